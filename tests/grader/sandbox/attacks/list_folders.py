"""Idea: walk through the machine.

Stopped by: Landlock: folders are closed like files.
"""

import os
import pathlib

for folder in ("/", "/etc", "/home", "/root", "/tmp", "/var", "/proc", "/sys", "/dev", project(), os.path.dirname(os.getcwd())):
    if os.path.isdir(folder):
        with attempt(f"listing {folder}"):
            os.listdir(folder)
with attempt("walking"):
    refuse_unless([name for name in pathlib.Path("/").glob("*/*")])
