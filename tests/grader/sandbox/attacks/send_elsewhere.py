"""Idea: send what one knows to somebody, let somebody in, or hand descriptors along the wire, which is a unix socket.

Stopped by the system: seccomp: no socket, no message with descriptors; Landlock closes TCP and abstract sockets as
well.
"""

import http.client
import socket
import urllib.request

attempts("refuse_unless(len(wire_descriptors()) > 1)")
attempts(
    """
    socket.create_connection(("127.0.0.1", TARGETS["tcp"]), timeout=1).sendall(b"canary")
    socket.create_connection(("::1", TARGETS["tcp"]), timeout=1)
    http.client.HTTPConnection("127.0.0.1", TARGETS["tcp"], timeout=1).request("GET", "/")
    urllib.request.urlopen(f"http://127.0.0.1:{TARGETS['tcp']}/", timeout=1)
    socket.create_server(("127.0.0.1", 0))
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"canary", ("127.0.0.1", TARGETS["udp"]))
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    refuse_unless(socket.gethostbyaddr("127.0.0.1"))
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(TARGETS["unix"])
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).connect(TARGETS["unix"])
    socket.socket(fileno=os.dup(wire_descriptors()[0])).connect(TARGETS["unix"])
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"canary", "\\0" + TARGETS["abstract"])
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"canary", "\\0" + TARGETS["abstract"])
    """
)
for name in ("AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG", "AF_BLUETOOTH"):
    if hasattr(socket, name):
        attempts("socket.socket(family, socket.SOCK_RAW)", family=getattr(socket, name))
for descriptor in wire_descriptors():
    attempts(
        """
        socket.send_fds(socket.socket(fileno=os.dup(descriptor)), [], [0])
        socket.recv_fds(socket.socket(fileno=os.dup(descriptor)), 1, 1, socket.MSG_DONTWAIT)
        socket.socket(fileno=os.dup(descriptor)).getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        """,
        descriptor=descriptor,
    )
