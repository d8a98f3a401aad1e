"""Idea: unix sockets without a file, which no right on files covers.

Stopped by: seccomp; where the kernel has it, Landlock's scope too.
"""

import socket

with attempt("an abstract socket"):
    end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    end.sendto(b"canary", "\0" + TARGETS["abstract"])
with attempt("a pair of sockets, connected elsewhere"):
    end, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    end.sendto(b"canary", "\0" + TARGETS["abstract"])
