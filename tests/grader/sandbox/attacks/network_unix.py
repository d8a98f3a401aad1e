"""Idea: sockets with a file name, such as those of the system's services and of Docker.

Stopped by: seccomp: no socket.
"""

import socket

for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    with attempt(f"a unix socket, {kind.name}"):
        end = socket.socket(socket.AF_UNIX, kind)
        end.connect(TARGETS["unix"])
        end.send(b"canary")
with attempt("the wire as a socket of another address"):
    socket.socket(fileno=wire_descriptors()[0]).connect(TARGETS["unix"])
