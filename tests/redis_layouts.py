"""The compatible types of the module, written down once more: how keys find their cells, and what a dump of a
value is. Shares nothing with the module but the papers and the published layouts."""
import math
import struct

MASK = 2**64 - 1
LN2, LN2_SQUARED = 0.693147180559945, 0.480453013918201


def murmur64(key: bytes, seed: int) -> int:
    m = 0xc6a4a7935bd1e995
    h = seed ^ len(key) * m & MASK
    whole = len(key) // 8 * 8
    for k, in struct.iter_unpack("<Q", key[:whole]):
        k = k * m & MASK
        k = (k ^ k >> 47) * m & MASK
        h = (h ^ k) * m & MASK
    if key[whole:]:
        h = (h ^ int.from_bytes(key[whole:], "little")) * m & MASK
    h = (h ^ h >> 47) * m & MASK
    return h ^ h >> 47


def murmur32(key: bytes, seed: int) -> int:
    m, mask = 0x5bd1e995, 2**32 - 1
    h = seed ^ len(key)
    whole = len(key) // 4 * 4
    for k, in struct.iter_unpack("<I", key[:whole]):
        k = k * m & mask
        k = (k ^ k >> 24) * m & mask
        h = h * m & mask ^ k
    if key[whole:]:
        h = (h ^ int.from_bytes(key[whole:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


def length(n: int) -> bytes:
    if n < 64:
        return bytes([n])
    if n < 1 << 14:
        return bytes([0x40 | n >> 8, n & 255])
    return b"\x80" + struct.pack(">I", n) if n < 1 << 32 else b"\x81" + struct.pack(">Q", n)


def u(n: int) -> bytes:
    return b"\x02" + length(n)


def d(x: float) -> bytes:
    return b"\x04" + struct.pack("<d", x)


def s(b: bytes) -> bytes:
    return b"\x05" + length(len(b)) + b


def crc64(data: bytes) -> int:
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x95ac9329ac4bc9b5 if crc & 1 else 0)
    return crc


def dump(name: str, encoding: int, fields: bytes, version=10) -> bytes:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    kind = 0
    for c in name:
        kind = kind << 6 | letters.index(c)
    body = b"\x07\x81" + struct.pack(">Q", kind << 10 | encoding) + fields + b"\x00" + struct.pack("<H", version)
    return body + struct.pack("<Q", crc64(body))


class Bloom:
    def __init__(self, capacity, rate, growth=2, scaling=True):
        self.growth, self.scaling, self.items, self.links = growth, scaling, 0, []
        self.grow(capacity, rate * 0.5 if scaling else rate)

    def grow(self, capacity, rate):
        a_key = -(math.log(rate) / LN2_SQUARED)
        bits = -(-max(1, int(capacity * a_key)) // 64) * 64
        self.links.append({"capacity": capacity, "rate": rate, "a_key": a_key, "items": 0,
                           "hashes": math.ceil(LN2 * a_key), "bits": bytearray(bits // 8)})

    def places(self, key, link):
        a = murmur64(key, 0xc6a4a7935bd1e995)
        b = murmur64(key, a)
        return [(a + i * b & MASK) % (8 * len(link["bits"])) for i in range(link["hashes"])]

    def has(self, key):
        return any(all(link["bits"][p // 8] >> p % 8 & 1 for p in self.places(key, link)) for link in self.links)

    def add(self, key):
        if self.has(key):
            return 0
        last = self.links[-1]
        if last["items"] >= last["capacity"]:
            if not self.scaling:
                return None
            self.grow(last["capacity"] * self.growth, last["rate"] * 0.5)
            last = self.links[-1]
        for p in self.places(key, last):
            last["bits"][p // 8] |= 1 << p % 8
        last["items"] += 1
        self.items += 1
        return 1

    def options(self):
        return 5 if self.scaling else 13

    def dump(self):
        fields = u(self.items) + u(len(self.links)) + u(self.options()) + u(self.growth)
        for x in self.links:
            fields += (u(x["capacity"]) + d(x["rate"]) + u(x["hashes"]) + d(x["a_key"]) + u(8 * len(x["bits"])) +
                       u(0) + s(bytes(x["bits"])) + u(x["items"]))
        return dump("MBbloom--", 4, fields)

    def header(self):
        out = struct.pack("<QIII", self.items, len(self.links), self.options(), self.growth)
        for x in self.links:
            out += struct.pack("<QQQddIQB", len(x["bits"]), 8 * len(x["bits"]), x["items"], x["rate"], x["a_key"],
                               x["hashes"], x["capacity"], 0)
        return out


class Cuckoo:
    def __init__(self, buckets, bucket_size=2, iterations=20, expansion=1):
        self.size, self.iterations, self.expansion = bucket_size, iterations, expansion
        self.items, self.deletions, self.buckets = 0, 0, buckets
        self.links = [bytearray(buckets * bucket_size)]

    @staticmethod
    def places(key):
        h = murmur64(key, 0)
        fingerprint = h % 255 + 1
        return fingerprint, h, h ^ fingerprint * 0x5bd1e995

    def find(self, link, indices, content):
        for index in indices:
            start = index % (len(link) // self.size) * self.size
            at = link.find(content, start, start + self.size)
            if at >= 0:
                return at
        return None

    def has(self, key):
        fingerprint, *indices = self.places(key)
        return any(self.find(link, indices, fingerprint) is not None for link in self.links)

    def add(self, key):
        fingerprint, *indices = self.places(key)
        while True:
            for link in reversed(self.links):
                at = self.find(link, indices, 0)
                if at is not None:
                    link[at] = fingerprint
                    self.items += 1
                    return True
            if self.move(indices[0], fingerprint):
                self.items += 1
                return True
            if self.expansion == 0:
                return False
            self.links.append(bytearray(self.buckets * self.expansion ** len(self.links) * self.size))

    def move(self, index, moving):
        link = self.links[-1]
        before = bytes(link)
        victim = 0
        buckets = len(link) // self.size
        index %= buckets
        for _ in range(self.iterations):
            at = index * self.size + victim
            link[at], moving = moving, link[at]
            index = (index ^ moving * 0x5bd1e995) % buckets
            empty = self.find(link, [index], 0)
            if empty is not None:
                link[empty] = moving
                return True
            victim = (victim + 1) % self.size
        link[:] = before
        return False

    def remove(self, key):
        """Without moving what is left together, which some tenth of the keys may start."""
        fingerprint, *indices = self.places(key)
        for link in reversed(self.links):
            at = self.find(link, indices, fingerprint)
            if at is not None:
                link[at] = 0
                self.items -= 1
                self.deletions += 1
                return True
        return False

    def dump(self):
        fields = b"".join(map(u, (len(self.links), self.buckets, self.items, self.deletions, self.size,
                                  self.iterations, self.expansion)))
        for link in self.links:
            fields += u(len(link) // self.size) + s(bytes(link))
        return dump("MBbloomCF", 4, fields)

    def header(self):
        return struct.pack("<QQQQHHH", self.items, self.buckets, self.deletions, len(self.links), self.size,
                           self.iterations, self.expansion)


class Sketch:
    def __init__(self, width, depth):
        self.width, self.depth, self.total = width, depth, 0
        self.rows = [[0] * width for _ in range(depth)]

    def add(self, key, times):
        self.total += times
        counts = []
        for seed, row in enumerate(self.rows):
            at = murmur32(key, seed) % self.width
            row[at] = min(row[at] + times, 2**32 - 1)
            counts.append(row[at])
        return min(counts)

    def dump(self):
        cells = b"".join(struct.pack(f"<{self.width}I", *row) for row in self.rows)
        return dump("CMSk-TYPE", 0, u(self.width) + u(self.depth) + u(self.total) + s(cells))


class TopList:
    """As long as no key meets another in a row: nothing is left to chance then."""

    def __init__(self, k, width, depth, decay):
        self.k, self.width, self.depth, self.decay = k, width, depth, decay
        self.cells = [[None] * width for _ in range(depth)]
        self.heap = []

    def add(self, key, times):
        fingerprint = murmur32(key, 1919)
        for seed, row in enumerate(self.cells):
            at = murmur32(key, seed) % self.width
            assert row[at] is None or row[at][0] == fingerprint, "two keys meet; choose others"
            row[at] = (fingerprint, (row[at] or (0, 0))[1] + times)

    def cell_bytes(self):
        return b"".join(struct.pack("<II", *(cell or (0, 0))) for row in self.cells for cell in row)
