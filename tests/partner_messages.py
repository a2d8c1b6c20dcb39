"""Messages between parties, written and read from docs/format.md alone, so that tests can be partners that lie.

A partner is a program of its own: `liar(folder, body)` writes one, in which `ask()` is the next message as (name, values),
and `say(name, *values)` answers. A value is (type, value), with the types of docs/format.md.
"""
import pathlib
import shlex
import struct
import sys

import xxhash

SEED = 0x426C6F6F6D657279


def number(value):
    groups = bytearray()
    while value >= 0x80:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(groups) + bytes([value])


def sized(data):
    return number(len(data)) + data


def written(name, *values):
    body = name.encode()
    for kind, value in values:
        body += kind.encode()
        if kind == "u":
            body += number(value)
        elif kind == "r":
            body += struct.pack("<d", value)
        elif kind == "l":
            body += number(len(value)) + b"".join(map(sized, value))
        else:
            body += sized(value)
    message = struct.pack("<4sBBBBQ", b"\x89BLm", 1, len(values), len(name), 0, len(body) + 24) + body
    return message + struct.pack("<Q", xxhash.xxh3_64_intdigest(message))


def read(message):
    name_bytes, at = message[6], 16 + message[6]

    def some(count):
        nonlocal at
        at += count
        return message[at - count:at]

    def one():
        value = shift = 0
        while True:
            group = some(1)[0]
            value |= (group & 0x7F) << shift
            shift += 7
            if group < 0x80:
                return value

    values = []
    for _ in range(message[5]):
        kind = some(1).decode()
        values.append(one() if kind == "u" else struct.unpack("<d", some(8))[0] if kind == "r"
                      else [some(one()) for _ in range(one())] if kind == "l" else some(one()))
    return message[16:16 + name_bytes].decode(), values


def ask():
    length = sys.stdin.buffer.read(4)
    if len(length) < 4:
        sys.exit(0)
    return read(sys.stdin.buffer.read(*struct.unpack("<I", length)))


def say(name, *values):
    message = written(name, *values)
    sys.stdout.buffer.write(struct.pack("<I", len(message)) + message)
    sys.stdout.buffer.flush()


def digest(line):
    """Of a line under the usual hash, as (lo, hi), which is also how digests are ordered."""
    both = xxhash.xxh3_128_intdigest(line, SEED)
    return both & 2**64 - 1, both >> 64


def liar(folder, body):
    """The command of a partner that does this."""
    program = pathlib.Path(folder) / "liar.py"
    here = str(pathlib.Path(__file__).parent)
    program.write_text(f"import sys\nsys.path.insert(0, {here!r})\nfrom partner_messages import *\n{body}")
    return shlex.join([sys.executable, str(program)]) + " 2>/dev/null"
