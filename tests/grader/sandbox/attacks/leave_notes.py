"""Idea: leave a note for the worker that comes next: a file, one beside the folder, the folder's own size, a module
that it imports, a thread.

Stopped by the system: every worker has a new folder, in one whose mode lets nobody write; a worker ends threads and
all.
"""

import threading
import time

attempts(
    """
    refuse_unless([name for name in os.listdir(".") if name.startswith("note")])
    refuse_unless(set(os.listdir("..")) - {"files"})
    refuse_unless(os.stat(".").st_size > 1 << 14)
    open("../note", "w").close()
    os.chmod("..", 0o700)
    os.mkdir("../more")
    os.rmdir("../files"); os.close(os.open("../files", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    """
)
for name in ("numpy.py", "rope.py", "sitecustomize.py", "-rf", "a\nb", " ", "☃", b"\xff\xfe", "..."):
    with open(name, "wb") as file:
        file.write(b"raise SystemExit('poisoned')")


def go_on():
    for _ in range(1_000):
        with contextlib.suppress(OSError):
            open("note-of-a-thread", "w").close()
        time.sleep(0.002)


threading.Thread(target=go_on).start()


def note(name, args):
    with contextlib.suppress(OSError):
        for number in range(200):
            open(f"note-{number:0200}", "w").close()
    os._exit(0)


in_every_call(note)
