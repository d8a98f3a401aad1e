"""Idea: datagrams and name lookups, which need no connection.

Stopped by: seccomp: no socket of any kind.
"""

import socket

with attempt("a datagram"):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"canary", ("127.0.0.1", TARGETS["udp"]))
with attempt("a raw packet"):
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
for name in ("AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG", "AF_BLUETOOTH"):
    if hasattr(socket, name):
        with attempt(name):
            socket.socket(getattr(socket, name), socket.SOCK_RAW)
with attempt("looking up an address"):
    refuse_unless(socket.gethostbyaddr("127.0.0.1"))
