"""Idea: leave a file anywhere: temporary folders, shared memory, the home, the project, the folder above.

Stopped by: Landlock.
"""

import os

for folder in (TARGETS["folder"], "/tmp", "/var/tmp", "/dev/shm", "/run", "/", os.path.expanduser("~root"), project(), ".."):
    if os.path.isdir(folder):
        with attempt(f"a file in {folder}"):
            open(os.path.join(folder, TARGETS["mark"]), "wb").close()
        with attempt(f"a folder in {folder}"):
            os.mkdir(os.path.join(folder, TARGETS["mark"]))
