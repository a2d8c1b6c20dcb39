"""Readers of the kinds' own payloads, each written from its page in docs/filters alone: whether a stored
filter of that kind claims a key."""
import math
import struct
from types import SimpleNamespace

from format_reader import GOLDEN, MASK, Envelope, Filter, mix


def reduce(x, size):
    return x * size >> 64


def at(lo, hi, i, size):
    """Position i of the key's sequence."""
    return reduce(mix(lo + i * (hi | 1) & MASK), size)


def lines(bits):
    """Bytes of so many bits in whole lines."""
    return -(-bits // 512) * 64


class Bits:
    """Cells of one width, without gaps, from byte `start` on."""
    def __init__(self, stored, start=0, width=1):
        self.bits, self.width = int.from_bytes(stored.cells[start:], "little"), width

    def __getitem__(self, i):
        return self.bits >> i * self.width & (1 << self.width) - 1

    def all(self, places):
        return all(self[i] for i in places)


def standard(bits, lo, hi, size, hashes, first=0):
    return bits.all(first + at(lo, hi, i, size) for i in range(hashes))


def counting(stored, counters, hashes, width):
    cells = Bits(stored, 0, width)
    return lambda lo, hi: standard(cells, lo, hi, counters, hashes)


def sorted_cuckoo(stored, buckets, width):
    cells, planes_of_bits = Bits(stored, width=4 * (width - 1)), sorted(range(width), key=lambda b: (b % 4, b))

    def prints(bucket):
        number, places = cells[bucket] & 0xfff, []
        for k in (4, 3, 2, 1):  # the last of the sequence first
            n = next(n for n in range(15, -1, -1) if math.comb(n + k - 1, k) <= number)
            number -= math.comb(n + k - 1, k)
            places.insert(0, n)
        rest = cells[bucket] >> 12
        for s in range(4):
            planes = places[s] | sum((rest >> 4 * i + s & 1) << 4 + i for i in range(width - 4))
            yield sum((planes >> plane & 1) << b for plane, b in enumerate(planes_of_bits))

    def holds(lo, hi):
        first, mark = reduce(lo, buckets), 1 + reduce(hi, 2**width - 1)
        second = (2 * reduce(mark * mark * 0x9e3779b97f4a7c15 & MASK, buckets // 2) + 1 - first) % buckets
        return mark in prints(first) or mark in prints(second)
    return holds


def deletable(stored, size, hashes, regions):
    bits = Bits(stored)
    return lambda lo, hi: standard(bits, lo, hi, size - regions, hashes, regions)


def two_filter(stored, size, hashes, removed_size, removed_hashes):
    keys, removed = Bits(stored), Bits(stored, lines(size))
    return lambda lo, hi: (standard(keys, lo, hi, size, hashes)
                           and not standard(removed, lo, hi, removed_size, removed_hashes))


def multilayer_counting(stored, counters, hashes):
    bits = Bits(stored)
    return lambda lo, hi: standard(bits, lo, hi, counters, hashes)


def succinct_counting(stored, blocks, hashes, spill):
    bits, codes, owners = Bits(stored), Bits(stored, 64 * blocks, 64), Bits(stored, 128 * blocks, 64)
    spilled = Bits(stored, 128 * blocks + lines(64 * spill), 64)
    ones, blocked = Bits(stored, 0, 64), SimpleNamespace(size=blocks, hashes=hashes)

    def count(at):
        line, lane, below = at // 512, at // 64, (1 << at % 64) - 1
        code, width = codes[lane] % 2**63, 63
        for slot in range(spill) if codes[lane] >> 63 else ():
            slot = (line * spill // blocks + slot) % spill
            if owners[slot] == line + 1:
                code, width = code | spilled[8 * slot + lane % 8] << width, width + 64
        ends = [i for i in range(width) if code >> i & 1]
        assert len(ends) == ones[lane].bit_count() or width == 63 and codes[lane] == 2**63
        rank = (ones[lane] & below).bit_count()
        return (ends[rank] - ([-1] + ends)[rank] if ends else 127) if bits[at] else 0
    return lambda lo, hi: min(map(count, Filter.blocked_positions(blocked, lo, hi))) > 0


def dynamic(stored, counters, hashes, width, row_keys):
    row = lines(counters * width)
    rows = next(r for r in range(len(stored.cells)) if lines(64 * r) + r * row == len(stored.cells))
    cells = [Bits(stored, lines(64 * rows) + r * row, width) for r in range(rows)]
    return lambda lo, hi: any(standard(c, lo, hi, counters, hashes) for c in cells)


def split(stored, rows, size, hashes, row_keys):
    bits = Bits(stored, 64)
    return lambda lo, hi: any(standard(bits, lo, hi, size, hashes, r * size) for r in range(rows))


def scalable(stored, slice_bits, rate, tightening, growth):
    stages, start = [], 0
    while start < len(stored.cells):
        size = slice_bits * growth**len(stages)
        hashes = math.ceil(-math.log2(rate * (1 - tightening) * tightening**len(stages)))
        stages.append((Bits(stored, start), size, hashes))
        start += lines(size * hashes)

    def holds(lo, hi):
        for i, (bits, size, hashes) in enumerate(stages):
            low = mix(lo ^ i * GOLDEN & MASK)
            if bits.all(j * size + at(low, hi, j, size) for j in range(hashes)):
                return True
        return False
    return holds


def two_choice(stored, size, hashes, choices):
    bits = Bits(stored)
    return lambda lo, hi: any(bits.all(at(lo, hi, c * hashes + i, size) for i in range(hashes))
                              for c in range(choices))


def hash_choice(stored, size, hashes, groups, choice_bits, passes):
    choices, bits = Bits(stored, 0, choice_bits), Bits(stored, lines(groups * choice_bits))
    return lambda lo, hi: bits.all(at(lo, hi, choices[reduce(lo, groups)] * hashes + i, size)
                                   for i in range(hashes))


def best_of_n(stored, size, hashes, seeds):
    seed, bits = struct.unpack_from("<Q", stored.cells)[0], Bits(stored, 64)
    return lambda lo, hi: bits.all(at(lo, hi, seed * hashes + i, size) for i in range(hashes))


def memory_optimised(stored, size, hashes):
    bits = Bits(stored)
    return lambda lo, hi: bits[at(lo, hi, reduce(mix(hi), hashes), size)]


def banked(stored, bank_bits, banks, hashes):
    bits = Bits(stored)
    return lambda lo, hi: bits.all(
        (reduce(mix(lo), banks) + i) % banks * bank_bits + at(lo, hi, 1 + i, bank_bits)
        for i in range(hashes))


def golomb(stored, sections, width, rice, code_bits):
    starts = Bits(stored, 0, code_bits.bit_length())
    codes = Bits(stored, lines((sections + 1) * code_bits.bit_length())).bits

    def values(section):
        place, value = starts[section], -1
        while place < starts[section + 1]:
            ones = 0
            while ones < 32 and codes >> place & 1:
                ones, place = ones + 1, place + 1
            if ones < 32:
                gap = ones << rice | codes >> place + 1 & (1 << rice) - 1
                place += 1 + rice
            else:
                gap = codes >> place & (1 << (width - 1).bit_length()) - 1
                place += (width - 1).bit_length()
            value += gap + 1
            yield value
    return lambda lo, hi: reduce(hi, width) in values(reduce(lo, sections))


def retouched(stored, size, hashes):
    bits = Bits(stored, 64)
    return lambda lo, hi: standard(bits, lo, hi, size, hashes)


def generalized(stored, size, zeros, ones):
    bits = Bits(stored)

    def holds(lo, hi):
        g = {at(lo, hi, i, size) for i in range(zeros)}
        h = {at(lo, hi, zeros + i, size) for i in range(ones)}
        return not any(bits[i] for i in g) and bits.all(h - g)
    return holds


def attenuated(stored, size, hashes, levels):
    cells = Bits(stored, 0, levels)

    def holds(lo, hi):
        claims = (1 << levels) - 1
        for i in range(hashes):
            claims &= cells[at(lo, hi, i, size)]
        return claims != 0
    return holds


def bank(stored, size, hashes, classes):
    return attenuated(stored, size, hashes, classes if classes <= 64 else -(-classes // 64) * 64)


def bloomier(stored, slots, hashes, width, values):
    attempt, cells = struct.unpack_from("<Q", stored.cells)[0], Bits(stored, 64, width)

    def holds(lo, hi):
        seed = mix(attempt)
        lo, hi = mix(lo ^ seed), mix(hi + seed & MASK)
        code, taken = mix(lo + hashes * (hi | 1) & MASK) & (1 << width) - 1, []
        for i in range(hashes):
            slot = at(lo, hi, i, slots - i)
            for other in sorted(taken):
                slot += other <= slot
            taken.append(slot)
            code ^= cells[slot]
        return attempt != 0 and code < values
    return holds


READERS = {function.__name__.replace("_", "-"): function for function in (
    attenuated, bank, banked, best_of_n, bloomier, counting, deletable, dynamic, generalized, golomb,
    hash_choice, memory_optimised, multilayer_counting, retouched, scalable, sorted_cuckoo, split,
    succinct_counting, two_choice, two_filter)}
REAL_FIELDS = {"scalable": "<QddQ"}


def reader(file):
    """The stored filter, and what says of a key's halves lo, hi whether it claims the key."""
    stored = Envelope(file)
    form = REAL_FIELDS.get(stored.kind, f"<{len(stored.fields) // 8}Q")
    return stored, READERS[stored.kind](stored, *struct.unpack(form, stored.fields))
