"""Idea: processes that start processes.

Stopped by: seccomp: a worker can start none.
"""

import multiprocessing
import os
import subprocess


def start(name, args):
    with attempt("fork"):
        if os.fork() == 0:
            os._exit(0)
    with attempt("posix_spawn"):
        os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})
    with attempt("subprocess"):
        subprocess.run([sys.executable, "-c", ""], check=False)
    with attempt("multiprocessing"):
        process = multiprocessing.get_context("fork").Process(target=print)
        process.start()
        process.join()
    with attempt("system"):
        refuse_unless(os.system(":") == 0)
    raise NotImplementedError


in_every_call(start)
