"""Idea: send descriptors along the wire, or take the grader's: the wire is a unix socket.

Stopped by: seccomp: sendmsg and recvmsg are not allowed.
"""

import socket

for descriptor in wire_descriptors():
    with attempt("sending a descriptor"):
        socket.send_fds(socket.socket(fileno=descriptor), [b"x"], [0])
    with attempt("receiving a descriptor"):
        socket.recv_fds(socket.socket(fileno=descriptor), 1, 1, socket.MSG_DONTWAIT)
    with attempt("asking who is at the other end"):
        socket.socket(fileno=descriptor).getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
with attempt("a descriptor that was inherited"):
    refuse_unless(len(wire_descriptors()) > 1)
