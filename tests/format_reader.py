"""A second reader of stored filters, written from docs/format.md alone; python3-xxhash is all it needs."""
import math
import struct

import xxhash

MASK = 2**64 - 1
MAX_BITS = MAX_KEYS = 2**48
GOLDEN = 0x9E3779B97F4A7C15
FIELDS = {"standard": 2, "partitioned": 2, "blocked": 2, "fuse": 5, "ribbon": 3}
LATER_FIELDS = {"ribbon": 1}  # that may be left out
HEAD = struct.Struct("<8sHHIQQ24sIIQQdQ")
BLOCK = 4096
JOURNAL = struct.Struct("<8sH6sQQQ16sQ")
JOURNAL_MARK = b"\x89BLMJ\r\n\x1a"


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def fold(x, y):
    return x * y & MASK ^ x * y >> 64


def check(sound, reason):
    if not sound:
        raise ValueError(reason)


def settled(file):
    """The file without its journal: what that says is written over it, unless it is not all there."""
    if len(file) < HEAD.size or file[:8] != b"\x89BLMY\r\n\x1a":
        return file
    end = sum(struct.unpack_from("<IQ", file, 12))
    tail = file[end:]
    if not tail:
        return file
    head = tail[:JOURNAL.size]
    sound = (len(head) == JOURNAL.size and head[:8] == JOURNAL_MARK
             and head[56:] == xxhash.xxh3_64_digest(head[:56])[::-1])
    if not sound:  # an append that was cut, or no journal
        begun = head[:8] == JOURNAL_MARK[:len(head)] or head == bytes(JOURNAL.size)
        check(len(tail) <= JOURNAL.size and begun, "payload size")
        return file[:end]
    _, version, reserved, base, count, body_sum, more_reserved, _ = JOURNAL.unpack(head)
    blocks = -(-end // BLOCK)
    check(version == 1 and not any(reserved + more_reserved) and base == end
          and 1 <= count <= min(2**14, blocks), "journal")
    body = tail[JOURNAL.size:]
    check(len(body) <= count * (8 + BLOCK), "journal size")
    if len(body) < count * (8 + BLOCK) or xxhash.xxh3_64_intdigest(body) != body_sum:
        return file[:end]
    numbers = struct.unpack_from(f"<{count}Q", body)
    check(all(a < b for a, b in zip(numbers, numbers[1:])) and numbers[-1] < blocks, "journal blocks")
    whole = bytearray(file[:end].ljust(blocks * BLOCK, b"\0"))
    for i, number in enumerate(numbers):
        at = 8 * count + i * BLOCK
        whole[number * BLOCK:(number + 1) * BLOCK] = body[at:at + BLOCK]
    check(not any(whole[end:]), "journal padding")
    return bytes(whole[:end])


class Envelope:
    """A filter of any kind, up to its cells, which are taken as they are."""
    def __init__(self, file):
        file = settled(file)
        check(len(file) >= HEAD.size and file[:8] == b"\x89BLMY\r\n\x1a", "not a Bloomery filter")
        (_, version, fields, header, payload, self.items, kind, self.hash, names, self.tag,
         self.promised_keys, self.promised_rate, payload_sum) = HEAD.unpack_from(file)
        check(version == 1, "unknown version")
        check(fields <= 32 and header == (96 + 8 * fields + 8 + 63) // 64 * 64, "header size")
        check(len(file) >= header, "cut inside the header")
        check(int.from_bytes(file[header - 8:header], "little")
              == xxhash.xxh3_64_intdigest(file[:header - 8]), "header checksum")
        check(names % 64 == 0 and names <= payload, "names")
        check(not any(file[96 + 8 * fields:header - 8]), "reserved bytes")
        self.cells = file[header:]
        check(len(self.cells) == payload and payload % 64 == 0, "payload size")
        check(payload_sum == xxhash.xxh3_64_intdigest(self.cells), "payload checksum")
        self.cells, self.names = self.cells[:payload - names], self.cells[payload - names:]
        self.kind = kind.rstrip(b"\0").decode("ascii")
        check(self.hash in (1, 2, 3, 4) or self.hash >= 2**31, "unknown hash")
        check(self.items <= 2**62, "items")
        check((self.promised_keys, self.promised_rate) == (0, 0)
              or 1 <= self.promised_keys <= MAX_KEYS and 0 < self.promised_rate < 1, "promise")
        self.fields = file[96:96 + 8 * fields]

    def digest(self, key):
        """The key's halves lo, hi; a key is bytes, or an int under the integer hash."""
        if self.hash == 1:
            both = xxhash.xxh3_128_intdigest(key, self.tag)
            return both & MASK, both >> 64
        check(self.hash == 3, "this reader has no such hash")
        hi = mix((key & MASK) ^ mix(self.tag))
        product = hi * GOLDEN & MASK
        return product ^ product >> 32, hi


class Filter(Envelope):
    def __init__(self, file):
        super().__init__(file)
        payload = len(self.cells)
        check(self.kind in FIELDS
              and 0 <= len(self.fields) // 8 - FIELDS[self.kind] <= LATER_FIELDS.get(self.kind, 0), "kind")
        if self.kind == "fuse":
            self.read_fuse(struct.unpack("<5Q", self.fields))
            return
        if self.kind == "ribbon":
            self.read_ribbon(*struct.unpack(f"<{len(self.fields) // 8}Q", self.fields))
            return
        self.size, self.hashes = struct.unpack("<2Q", self.fields)
        check(self.size >= 1 and 1 <= self.hashes <= (16 if self.kind == "blocked" else 64), "shape")
        bits = self.size * {"standard": 1, "partitioned": self.hashes, "blocked": 512}[self.kind]
        check(bits <= MAX_BITS and payload == (bits + 511) // 512 * 64, "shape and payload")
        check(int.from_bytes(self.cells, "little") >> bits == 0, "padding")

    def read_fuse(self, shape):
        segments, log, arity, self.fingerprint, values = shape
        self.width = self.fingerprint + values
        check(1 <= segments <= MAX_BITS and 1 <= log <= 20 and arity in (3, 4)
              and 1 <= self.fingerprint <= 32 and values <= 32 and self.width <= 57, "shape")
        self.log, self.arity, self.first_slots = log, arity, segments << log
        bits = self.width * (segments + arity - 1 << log)
        check(bits <= MAX_BITS and len(self.cells) == 64 + ((bits + 7) // 8 + 7 + 63) // 64 * 64,
              "shape and payload")
        self.seed, self.keys, *reserved = struct.unpack_from("<8Q", self.cells)
        check(not any(reserved), "reserved bytes")
        self.slots = int.from_bytes(self.cells[64:], "little")
        check(self.slots >> bits == 0, "padding")
        check(self.keys <= bits // self.width and self.keys <= self.items
              and (self.keys == 0) == (self.items == 0)
              and (self.keys > 0 or not any(self.cells)), "keys")

    def fuse_holds(self, lo, hi):
        hash = fold(lo ^ self.seed, hi ^ mix(self.seed)) >> 5 << 5
        slot = hash * self.first_slots >> 64
        turns = hash * GOLDEN & MASK
        found = hash >> 5  # with every slot taken out of it, 0 is left in the low bits
        for i in range(self.arity):
            turn = 0 if i == 0 else turns >> 64 - i * self.log & (1 << self.log) - 1
            found ^= self.slots >> self.width * (slot + (i << self.log) ^ turn)
        return self.keys > 0 and found & (1 << self.fingerprint) - 1 == 0

    def read_ribbon(self, keys, fingerprint, values, *later):
        self.fingerprint, width = fingerprint, fingerprint + values
        check(1 <= keys <= MAX_KEYS and 1 <= fingerprint and width <= 32 and keys * (width + 1) <= MAX_BITS
              and later in ((), (1,)), "shape")
        self.band = 40 if later else 32
        segments = []  # for each layer that bumps, the buckets in each of its segments
        all_keys = 0
        while keys > 1536:
            buckets = -(-5 * keys // (343 if later else 336))
            count = 1 if buckets < 1024 else 4 * -(-buckets // 4092)
            each = -(-buckets // count)
            segments.append([each + 1 if later or count == 1 else each] * count)
            all_keys += keys
            if later:
                keys -= count * (64 * each * 4083 // 4096 + 10)
            else:
                keys = -(-231 * keys // 4096) + math.isqrt(2 * keys) + 68 * count
        self.width, self.layers = width, [64 * sum(layer) for layer in segments]
        more = keys // 8 + 40 + math.isqrt(11 * (all_keys // 32)) if later else keys // 4 + 64
        self.layers.append(32 * -(-(keys + more) // 32))
        rows_end = 64 + 4 * width * (sum(self.layers) // 32)
        self.thresholds = (rows_end + 28 + 63) // 64 * 64
        buckets = sum(self.layers[:-1]) // 64
        check(len(self.cells) == self.thresholds + (-(-buckets // 4) + 63) // 64 * 64,
              "shape and payload")
        self.seed, *reserved = struct.unpack_from("<8Q", self.cells)
        check(not any(reserved), "reserved bytes")
        codes = int.from_bytes(self.cells[self.thresholds:], "little")
        check(not any(self.cells[rows_end:self.thresholds]) and codes >> 2 * buckets == 0, "padding")
        check((self.seed == 0) == (self.items == 0), "keys")
        check(self.seed != 0 or not any(self.cells), "keys")
        end = 0
        for length in sum(segments, []):
            end += length
            check(self.seed == 0 or codes >> 2 * (end - 1) & 3 == 3, "thresholds")

    def ribbon_holds(self, lo, hi):
        hash, before = fold(lo ^ self.seed, hi ^ mix(self.seed)), 0
        for i, rows in enumerate(self.layers):
            last = i + 1 == len(self.layers)
            if i > 0:
                hash = mix(hash ^ mix(self.seed + i * GOLDEN & MASK))
            starts = rows - (0 if not last else 32 if self.band == 32 else 39)
            row = before + (hash * starts >> 64)
            before += rows
            code = 0 if last else self.cells[self.thresholds + row // 256] >> row // 64 % 4 * 2 & 3
            if row % 64 >= (0, 8, 20, 64)[code]:
                break
        bits = fold(hash, GOLDEN)
        found = bits >> 32
        taken = bits % 2**32 | hash % 2**(self.band - 32) << 32 | 1
        for j in range(self.band):
            if taken >> j & 1:
                block, i = divmod(row + j, 32)
                words = struct.unpack_from(f"<{self.width}I", self.cells, 64 + 4 * self.width * block)
                found ^= sum((word >> i & 1) << c for c, word in enumerate(words))
        return self.seed != 0 and found & (1 << self.fingerprint) - 1 == 0

    def positions(self, lo, hi):
        if self.kind == "blocked":
            yield from self.blocked_positions(lo, hi)
            return
        for i in range(self.hashes):
            base = i * self.size if self.kind == "partitioned" else 0
            yield base + (mix(lo + i * (hi | 1) & MASK) * self.size >> 64)

    def blocked_positions(self, lo, hi):
        base = (lo * self.size >> 64) * 512
        word, lanes_left = hi, self.hashes
        if self.hashes > 8:
            for lane in range(8):
                yield base + 64 * lane + (hi >> 6 * lane) % 64
            product = hi * GOLDEN
            word, lanes_left = product & MASK ^ product >> 64, self.hashes - 8
        choices = [s for s in range(256) if s.bit_count() == lanes_left]
        choice = choices[(hi >> 48) * len(choices) >> 16]
        for lane in range(8):
            if choice >> lane & 1:
                yield base + 64 * lane + (word >> 6 * lane) % 64

    def __contains__(self, key):
        if self.kind == "fuse":
            return self.fuse_holds(*self.digest(key))
        if self.kind == "ribbon":
            return self.ribbon_holds(*self.digest(key))
        return all(self.cells[p // 8] >> p % 8 & 1 for p in self.positions(*self.digest(key)))
