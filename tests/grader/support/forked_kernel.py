"""Jupyter kernels that start at once: each is forked from one process that has loaded what every kernel loads.

A kernel is `ipykernel_launcher` as ever, in the folder and with the environment of whoever starts it. Only loading IPython, Otter, numpy
and matplotlib, two seconds of processor time, is done once. Nothing of this project is loaded before the fork.

`python forked_kernel.py serve SOCKET` is the process that forks. `python forked_kernel.py start SOCKET ARGUMENTS` is what Jupyter starts in
a kernel's place: it says what is to be started, and ends when the kernel does.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import sys

LOADED = ("ipykernel.kernelapp", "matplotlib.pyplot", "matplotlib_inline.backend_inline", "otter")


def serve(path: str) -> None:
    """Fork a kernel for everybody who asks, until killed."""
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # a kernel reads this as soon as it is loaded, and ends with that process
    for name in LOADED:
        importlib.import_module(name)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print("ready", flush=True)
        while True:
            asking, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _be_kernel(asking)
            asking.close()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _be_kernel(asking: socket.socket) -> None:
    """Run a kernel and end with it. The socket stays open until then: that it is closed tells who asked."""
    from ipykernel.kernelapp import launch_new_instance

    status = 1
    try:
        message, files, _, _ = socket.recv_fds(asking, 1 << 20, 3)
        asked = json.loads(message)
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["folder"])
        sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        sys.argv = ["ipykernel_launcher", *asked["arguments"]]
        launch_new_instance()
        status = 0
    finally:
        os._exit(status)


def start(path: str, *arguments: str) -> None:
    """Have a kernel started here with these arguments, and wait for its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Jupyter's way of asking a kernel to end its cell
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(path)
        asked = {"environment": dict(os.environ), "folder": os.getcwd(), "arguments": arguments}
        socket.send_fds(asking, [json.dumps(asked).encode()], [0, 1, 2])
        asking.recv(1)


if __name__ == "__main__":
    {"serve": serve, "start": start}[sys.argv[1]](*sys.argv[2:])
