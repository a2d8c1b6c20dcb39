"""Servers of a test's own that answer as no server should."""
import socket
import threading

import redis_private


class Fake:
    """A server that answers each command by a function of its words, one for each connection; what that yields is
    sent as it is."""

    def __init__(self, answering):
        self.answering = answering
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        answer = self.answering()
        try:
            with connection, connection.makefile("rb") as file:
                while line := file.readline():
                    words = []
                    for _ in range(int(line[1:])):
                        size = int(file.readline()[1:])
                        words.append(file.read(size + 2)[:-2])
                    for part in answer(words):
                        connection.sendall(part)
        except OSError:
            pass  # the tool has heard enough

    def close(self):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()


def encoded(value):
    if isinstance(value, redis_private.Refused):
        return b"-" + str(value).encode() + b"\r\n"
    if value is None:
        return b"*-1\r\n"
    if isinstance(value, int):
        return b":%d\r\n" % value
    if isinstance(value, str):
        return b"+" + value.encode() + b"\r\n"
    if isinstance(value, bytes):
        return b"$%d\r\n%s\r\n" % (len(value), value)
    return b"*%d\r\n" % len(value) + b"".join(map(encoded, value))
