"""What is started in place of a model host or an MCP server: hands over its pipes and all it was given, and
ends with the fork that has them."""

import marshal
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as wire:
    wire.connect(sys.argv[1])
    asked = marshal.dumps((dict(os.environb), sys.argv[2:], os.getcwd()))
    socket.send_fds(wire, [len(asked).to_bytes(4, "big")], [0, 1, 2])
    wire.sendall(asked)
    for handle in (0, 1, 2):
        os.close(handle)
    wire.recv(1)
os._exit(0)
