"""Idea: read solutions, tests, other submissions, accounts and what /proc has: straight, by detours, by importing.

Stopped by the system: Landlock: only the standard library, numpy and the scratch folder are open; seccomp: a file is
opened to read, to write, or both, and neither linked nor mounted.
"""

import glob
import importlib.machinery
import importlib.util
import linecache
import pathlib
import pkgutil
import pwd
import runpy
import shutil

for path in (
    SECRET,
    *(f"{PROJECT}/{name}" for name in ("solutions/rope.py", "tests/hidden/test_rope.py", "tests/hidden/seed.txt")),
    *(f"{PROJECT}/{name}" for name in ("tests/public/test_rope.py", "tests/misconceptions/rope.py")),
    f"{PROJECT}/autograder/sandbox/worker.py",
    "/etc/passwd",
    "/etc/hostname",
):
    # Neither to read nor to write: Landlock has no right for that, so it asks nothing; as root, any file opens.
    attempts(
        """
        open(path).close()
        os.close(os.open(path, os.O_RDONLY | os.O_NOFOLLOW))
        os.close(os.open(path, os.O_WRONLY | os.O_RDWR))
        os.close(os.open(path, os.O_PATH))
        open(f"/proc/self/root{path}").close()
        refuse_unless(linecache.getlines(path))
        """,
        path=path,
    )
attempts(
    """
    shutil.copyfile(SECRET, "copy")
    os.symlink(SECRET, "link"); open("link").close()
    os.link(SECRET, "hard"); open("hard").close()
    open(os.path.join(os.getcwd(), *[".."] * 20, SECRET.lstrip("/"))).close()
    open(f"/proc/self/fd/{os.open(SECRET, os.O_PATH)}").close()
    os.copy_file_range(os.open(SECRET, os.O_PATH), os.open("copied", os.O_CREAT | os.O_WRONLY), 100)
    os.statvfs(SECRET)
    refuse_unless(pwd.getpwall())
    os.close(os.open("/dev/ptmx", os.O_WRONLY | os.O_RDWR))
    """
)
for folder in ("/", "/etc", "/home", "/root", "/tmp", "/proc", "/sys", "/dev", PROJECT, TARGETS["folder"], ".."):
    attempts("os.listdir(folder)", folder=folder)
attempts('refuse_unless(glob.glob(TARGETS["folder"] + "/*"))\nrefuse_unless([*pathlib.Path("/").glob("*/*")])')

sys.path.insert(0, PROJECT)
for module in ("autograder.grading.suite", "solutions.rope", "tests.hidden.test_rope", "otter", "pytest", "hypothesis"):
    attempts("importlib.import_module(module)", module=module)
attempts(
    """
    runpy.run_path(f"{PROJECT}/solutions/rope.py")
    importlib.machinery.SourceFileLoader("x", f"{PROJECT}/solutions/rope.py").get_data(f"{PROJECT}/solutions/rope.py")
    refuse_unless(pkgutil.get_data("autograder", "../solutions/rope.py"))
    refuse_unless([name for _, name, _ in pkgutil.iter_modules([PROJECT])])
    """
)
for process in ("self", os.getppid(), TARGETS["grader"], TARGETS["process"], 1):
    for name in ("environ", "cmdline", "maps", "mem", "stat", "comm"):
        with attempt(f"/proc/{process}/{name}"), open(f"/proc/{process}/{name}", "rb") as file:
            found_nothing(f"/proc/{process}/{name}", file.read(10**5).decode("latin-1"))
    for name in ("fd", "task", "root", "map_files"):
        attempts("os.listdir(name)", name=f"/proc/{process}/{name}")
attempts(
    """
    os.readlink(f"/proc/{TARGETS['process']}/exe")
    os.chdir(TARGETS["folder"]); open(TARGETS["files"][0]).close()
    os.chroot(TARGETS["folder"])
    """
)
