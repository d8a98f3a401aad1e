"""Idea: accounts, host names and settings of the machine.

Stopped by: Landlock: /etc is closed.
"""

import grp
import os
import pwd

for path in ("/etc/passwd", "/etc/group", "/etc/hostname", "/etc/hosts", "/etc/machine-id", "/etc/os-release"):
    if os.path.exists(path):
        with attempt(path):
            open(path).close()
with attempt("accounts through the C library"):
    refuse_unless(pwd.getpwall())
with attempt("groups through the C library"):
    refuse_unless(grp.getgrall())
