// The native family: filters of every kind under BLOOM.*.
#include "redis/groups.hpp"
#include "redis/native/commands.hpp"
#include "redis/native/value.hpp"

namespace bloomery::redis {
namespace {

constexpr command commands[] = {
    {"bloom.create", guarded<native::create>, "write deny-oom", -3, keys::change,
     "key kind [options...]", "O(1), and O(N) in the bytes of the filter",
     "Creates a filter of a kind, for so many keys at a rate or with the fields given"},
    {"bloom.add", guarded<native::add>, "write deny-oom", -3, keys::change, "key item...",
     "O(N) in the items", "Adds items, and answers which were new to the filter"},
    {"bloom.addat", guarded<native::add_at>, "write deny-oom", -4, keys::change, "key time item...",
     "O(N) in the items", "Adds items at a time, to a filter that forgets by time"},
    {"bloom.addp", guarded<native::add_packed>, "write deny-oom", -3, keys::change,
     "key digests [AT=time] [OF=family] [epoch]", "O(N) in the digests",
     "Adds what the client has hashed, 16 bytes each, and answers with a bit for each that was "
     "new"},
    {"bloom.has", guarded<native::has>, "readonly", -3, keys::read, "key item...",
     "O(N) in the items", "Answers which items may be in the filter"},
    {"bloom.hasat", guarded<native::has_at>, "readonly", -4, keys::read, "key time item...",
     "O(N) in the items", "Answers which items may be in the filter as of a time"},
    {"bloom.hasp", guarded<native::has_packed>, "readonly", -3, keys::read,
     "key digests [AT=time] [OF=family] [epoch]", "O(N) in the digests",
     "Answers with a bit for each digest that may be in the filter"},
    {"bloom.remove", guarded<native::remove>, "write", -3, keys::change, "key item...",
     "O(N) in the items", "Removes items, and answers which were there"},
    {"bloom.removep", guarded<native::remove_packed>, "write", -3, keys::change,
     "key digests [OF=family] [epoch]", "O(N) in the digests",
     "Removes what the client has hashed, and answers with a bit each"},
    {"bloom.count", guarded<native::count>, "readonly", -3, keys::read, "key item...",
     "O(N) in the items", "Answers how often items were added"},
    {"bloom.countat", guarded<native::count_at>, "readonly", -4, keys::read, "key time item...",
     "O(N) in the items", "Answers how often items were added as of a time"},
    {"bloom.get", guarded<native::get>, "readonly", -3, keys::read, "key item...",
     "O(N) in the items", "Answers with the values of items, of a map"},
    {"bloom.set", guarded<native::set>, "write deny-oom", -4, keys::change, "key item value...",
     "O(N) in the items", "Gives items values, in a map that takes them"},
    {"bloom.fence", guarded<native::fence>, "write", 4, keys::change, "key family epoch", "O(1)",
     "Makes the filter a part of a family, or refuses from here on who knows an earlier epoch"},
    {"bloom.top", guarded<native::top>, "readonly", 2, keys::read, "key",
     "O(N log N) in the keys that are ranked", "Lists the items that came most often"},
    {"bloom.merge", guarded<native::merge>, "write deny-oom", -4, keys::merge,
     "key number source...", "O(N) in the bytes of the filters",
     "Puts what other filters hold into one, which may be new"},
    {"bloom.fold", guarded<native::fold>, "write deny-oom", 4, keys::change_and_change,
     "key source factor", "O(N) in the bytes of the filter",
     "Makes a filter of the same items at a part of the size"},
    {"bloom.info", guarded<native::info>, "readonly", 2, keys::read, "key",
     "O(N) in the bytes of the filter", "Describes a filter"},
    {"bloom.estimate", guarded<native::estimate>, "readonly", -2, keys::read,
     "key [CONFIDENCE=share]", "O(N) in the bytes of the filter",
     "Estimates how many distinct items are in a filter"},
    {"bloom.doctor", guarded<native::doctor>, "readonly", 2, keys::read, "key",
     "O(N) in the bytes of the filter", "Tells whether a filter keeps its promise, and why not"},
    {"bloom.dump", guarded<native::dump>, "readonly", 3, keys::read, "key position",
     "O(N) in the bytes of a piece, of the filter for the first",
     "Answers with a piece of the stored filter, and the position of the next"},
    {"bloom.load", guarded<native::load>, "write deny-oom", 4, keys::change, "key position piece",
     "O(N) in the bytes of the piece, of the filter for the last",
     "Takes the pieces of a stored filter, one after another"},
    {"bloom.kinds", guarded<native::kinds>, "readonly", 1, keys::none, "", "O(1)",
     "Lists the kinds of filters and what they can do"},
};

}  // namespace

const group bloom_group{
    "bloom",
    register_type<bloom_value>,
    &bloom_value::counts,
    {"bloom", commands},
};

}  // namespace bloomery::redis
