"""Idea: other processes' environments, command lines, open files and memory are files under /proc.

Stopped by: Landlock: /proc is not among the readable folders.
"""

import os

for process in ("self", os.getppid(), TARGETS["grader"], TARGETS["process"], 1):
    for name in ("environ", "cmdline", "maps", "mem", "stat"):
        with attempt(f"/proc/{process}/{name}"):
            with open(f"/proc/{process}/{name}", "rb") as file:
                found_nothing(f"/proc/{process}/{name}", file.read(10**5).decode("latin-1"))
    for name in ("fd", "task", "root", "map_files"):
        with attempt(f"/proc/{process}/{name}/"):
            os.listdir(f"/proc/{process}/{name}")
with attempt("the list of processes"):
    os.listdir("/proc")
