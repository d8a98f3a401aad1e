"""Idea: send what one knows to a server, or let somebody in.

Stopped by: seccomp: no socket; Landlock closes TCP as well.
"""

import http.client
import socket
import urllib.request

with attempt("connecting"):
    socket.create_connection(("127.0.0.1", TARGETS["tcp"]), timeout=1).sendall(b"canary")
with attempt("connecting over IPv6"):
    socket.create_connection(("::1", TARGETS["tcp"]), timeout=1)
with attempt("HTTP"):
    http.client.HTTPConnection("127.0.0.1", TARGETS["tcp"], timeout=1).request("GET", "/")
with attempt("a URL"):
    urllib.request.urlopen(f"http://127.0.0.1:{TARGETS['tcp']}/", timeout=1)
with attempt("listening"):
    socket.create_server(("127.0.0.1", 0))
