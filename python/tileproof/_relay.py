# SPDX-License-Identifier: Apache-2.0
"""The program under test that `tileproof.conform` gives to the judge.

    python _relay.py SOCKET

It passes each line to the process that called `conform`, where the functions are, and each answer
back. Imports nothing but the standard library, so that it starts quickly.
"""

from __future__ import annotations

import socket
import sys
import threading


def main() -> None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(sys.argv[1])

    def send() -> None:
        while data := sys.stdin.buffer.raw.read(1 << 16):  # type: ignore[union-attr]
            connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)

    threading.Thread(target=send, daemon=True).start()
    while data := connection.recv(1 << 16):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
