// Any sequence of operations on any kind keeps the laws, judged against sets of the keys inserted.
//
// The input is a kind, a small shape and a list of operations on three filters: two of one hash and
// shape, and one of another hash. What a kind cannot do is skipped, so new kinds take part at once.
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/any/secure_kinds.hpp"
#include "bloomery/any/stored.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/hash/mix.hpp"
#include "fuzzing.hpp"
#include "subjects.hpp"

namespace {

using namespace bloomery;
using fuzzing::cells_of;
using fuzzing::input;
using fuzzing::law;
using fuzzing::take_shape;

constexpr std::uint64_t largest_payload = 1 << 14;
constexpr std::size_t most_operations = 200;
constexpr std::uint64_t key_space = 512;

struct subject {
  any_filter filter;
  std::set<digest> keys;      // those that must be found
  bool built_of_keys = true;  // and nothing else: not an intersection, which may hold more bits
};

// Half the keys come from a small space, so that sequences repeat and share them; the others are
// raw digests, which put probes where hashing would hardly ever.
digest take_key(input& in) {
  const std::uint64_t number = in.below(2 * key_space);
  if (number < key_space) return {hash::mix(number), hash::mix(~number)};
  return {in.take<std::uint64_t>(), in.take<std::uint64_t>()};
}

std::vector<digest> take_keys(input& in) {
  std::vector<digest> keys(in.below(80));
  for (digest& key : keys) key = take_key(in);
  return keys;
}

bool contains(const any_filter& filter, digest key) {
  std::array<bool, 1> answer{};
  const std::uint64_t hits = filter.as<asks>().may_contain(std::array{key}, answer);
  law(hits == (answer[0] ? 1U : 0U), "the hits returned are the answers given");
  return answer[0];
}

class session {
 public:
  session(const any_kind& kind, const std::vector<field_value>& shape, promise promised)
      : kind_(kind),
        subjects_{fresh(shape, {hash_id::xxh3, 1}, promised),
                  fresh(shape, {hash_id::xxh3, 1}, promised),
                  fresh(shape, {hash_id::xxh3, 2}, promised)} {}

  void step(input& in) {
    const auto operation = in.take<std::uint8_t>();
    subject& one = subjects_[in.below(subjects_.size())];
    subject& two = subjects_[in.below(subjects_.size())];
    switch (operation % 10) {
      case 0:
        return insert(one, take_key(in));
      case 1:
        return insert_batch(one, take_keys(in), (operation & 0x80) != 0);
      case 2:
        return query(one, take_keys(in));
      case 3:
        return merge(one, two);
      case 4:
        return intersect(one, two);
      case 5:
        return fold(one, 1 + in.below(8), (operation & 0x80) != 0);
      case 6:
        return store(one);
      case 7:
        return copy(one, take_key(in));
      case 8:
        return erase(one, in.below(key_space));
      default:
        return measure(one, two);
    }
  }

  void finish() const {
    for (const subject& each : subjects_) {
      find_all(each);
      compare_with_rebuilt(each);
    }
  }

 private:
  [[nodiscard]] subject fresh(const std::vector<field_value>& shape, hash_identity hash,
                              promise promised) const {
    return {kind_.create(shape, hash, promised), {}, true};
  }

  // Whether a key that was inserted must be found.
  [[nodiscard]] bool remembers() const {
    return kind_.can<asks>() && !kind_.info.false_negatives && !kind_.can<forgets>();
  }

  // Inserts; false if the kind had no room for all, and then for none of a single key.
  bool inserted(any_filter& filter, std::span<const digest> keys, std::uint64_t& added) const {
    const std::vector<std::byte> before = save(filter);
    try {
      added = filter.as<inserts>().insert(keys);
      return true;
    } catch (const error& problem) {
      law(problem.code() == errc::limit && (kind_.can<has_capacity>() || kind_.can<grows>()),
          "keys are refused for want of room only");
      law(keys.size() != 1 || save(filter) == before, "a refused key changes nothing");
      return false;
    }
  }

  void find_all(const subject& one) const {
    if (!remembers()) return;
    for (const digest key : one.keys) law(contains(one.filter, key), "a key inserted is found");
  }

  // A kind that folds is a function of shape and key set, whatever the road there: filters that
  // came by inserting, merging, folding and storing equal the one built afresh.
  void compare_with_rebuilt(const subject& one) const {
    if (!kind_.can<folds>() || !kind_.can<inserts>() || !one.built_of_keys) return;
    any_filter rebuilt = kind_.create(one.filter.shape(), one.filter.record().hash, {});
    rebuilt.as<inserts>().insert(std::vector<digest>(one.keys.begin(), one.keys.end()));
    law(cells_of(rebuilt) == cells_of(one.filter), "the cells are those of the keys");
  }

  void insert(subject& one, digest key) {
    if (!kind_.can<inserts>()) return;
    const std::optional<bool> known =
        kind_.can<asks>() ? std::optional(contains(one.filter, key)) : std::nullopt;
    const std::uint64_t items = one.filter.record().items;
    std::uint64_t added = 0;
    if (!inserted(one.filter, std::array{key}, added)) return;
    if (known && !kind_.can<forgets>()) {
      law(added == 0 || !*known, "insert says that a key was new only if it was");
      law(added == 1 || *known || !contains(one.filter, key),
          "a key neither known nor new is one that the filter cannot take");
      law(added == 1 || *known || kind_.info.false_negatives, "which only some kinds may refuse");
    }
    law(one.filter.record().items == items + 1, "each insertion is counted");
    one.keys.insert(key);
  }

  // A kind without insertion is built anew of what it has and what comes, repeats and all.
  void rebuild(subject& one, std::vector<digest> keys) const {
    one.keys.insert(keys.begin(), keys.end());
    keys.insert(keys.end(), one.keys.begin(), one.keys.end());
    const filter_record record = one.filter.record();
    try {
      any_filter built = kind_.build(one.filter.shape(), keys, record.hash, record.promised, 1);
      law(built.record().items == keys.size(), "each key given is counted");
      one.filter = std::move(built);
    } catch (const error& problem) {
      law(problem.code() == errc::limit, "keys are refused for want of room only");
      law(one.keys.size() > record.promised.keys, "as many keys as were planned for fit");
      one = {kind_.create(one.filter.shape(), record.hash, record.promised), {}, true};
    }
    find_all(one);
  }

  void insert_batch(subject& one, const std::vector<digest>& keys, bool shared) {
    if (!kind_.can<inserts>() && kind_.can<builds>()) return rebuild(one, keys);
    if (shared ? !kind_.can<shares>() : !kind_.can<inserts>()) return;
    subject by_one{one.filter.copy(), one.keys, one.built_of_keys};
    std::uint64_t added = 0;
    if (shared) {
      added = one.filter.as<shares>().insert_shared(keys);
    } else if (!inserted(one.filter, keys, added)) {
      return;  // some of them are in it, some are not
    }
    law(added <= keys.size(), "no more keys are new than came");
    one.keys.insert(keys.begin(), keys.end());
    std::uint64_t added_by_one = 0;
    for (const digest key : keys) {
      std::uint64_t fresh = 0;
      law(inserted(by_one.filter, std::array{key}, fresh), "a key of a batch that fits, fits");
      added_by_one += fresh;
    }
    law(added == added_by_one && save(one.filter) == save(by_one.filter),
        "a batch is its keys one by one");
  }

  void query(const subject& one, const std::vector<digest>& keys) const {
    if (!kind_.can<asks>()) return;
    const auto answers = std::make_unique<bool[]>(keys.size());
    std::uint64_t hits = one.filter.as<asks>().may_contain(keys, {answers.get(), keys.size()});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      law(answers[i] == contains(one.filter, keys[i]), "a batch answers as its keys one by one");
      if (remembers()) {
        law(answers[i] || !one.keys.contains(keys[i]), "a key inserted is found");
      }
      hits -= std::uint64_t{answers[i]};
    }
    law(hits == 0, "the hits returned are the answers given");
  }

  // Erases a key that is in it, which is legal; the other keys stay.
  void erase(subject& one, std::uint64_t number) const {
    if (!kind_.can<erases>() || one.keys.empty()) return;
    const digest key =
        *std::next(one.keys.begin(), static_cast<std::ptrdiff_t>(number % one.keys.size()));
    const std::uint64_t items = one.filter.record().items;
    try {
      const std::uint64_t gone = one.filter.as<erases>().erase(std::array{key});
      law(gone <= 1 && one.filter.record().items + gone == items, "what is erased is counted");
      if (gone == 1) one.keys.erase(key);
    } catch (const error& problem) {
      law(problem.code() == errc::unsupported, "a shape may refuse to erase, and says so");
    }
    find_all(one);
  }

  // Runs the change; filters of different hash or shape must refuse it and stay as they were.
  template <class Change>
  static bool combined(subject& one, const subject& two, Change change) {
    const bool alike = one.filter.record().hash == two.filter.record().hash &&
                       one.filter.shape() == two.filter.shape();
    const std::vector<std::byte> before = save(one.filter);
    try {
      change();
    } catch (const error& problem) {
      law(problem.code() == (alike ? errc::unsupported : errc::incompatible),
          "filters that are alike combine, unless their shape forbids it");
      law(save(one.filter) == before, "a refused operation changes nothing");
      return false;
    }
    law(alike, "filters of different hash or shape do not combine");
    return true;
  }

  void merge(subject& one, const subject& two) const {
    if (!kind_.can<merges>()) return;
    const any_filter before = one.filter.copy();
    if (!combined(one, two, [&] { one.filter.as<merges>().merge(two.filter); })) return;
    one.keys.insert(two.keys.begin(), two.keys.end());
    one.built_of_keys = one.built_of_keys && two.built_of_keys;
    find_all(one);
    for_each_sample([&](digest key) {
      if (!contains(before, key) && !contains(two.filter, key)) return;
      law(contains(one.filter, key), "a union holds what either holds");
    });
  }

  void intersect(subject& one, const subject& two) const {
    if (!kind_.can<intersects>()) return;
    const any_filter before = one.filter.copy();
    if (!combined(one, two, [&] { one.filter.as<intersects>().intersect(two.filter); })) return;
    std::erase_if(one.keys, [&](digest key) { return !two.keys.contains(key); });
    one.built_of_keys = &one == &two && one.built_of_keys;
    find_all(one);
    for_each_sample([&](digest key) {
      const bool both = contains(before, key) && contains(two.filter, key);
      law(both || !contains(one.filter, key), "an intersection holds nothing that one lacks");
    });
  }

  void fold(subject& one, std::uint64_t factor, bool keep) const {
    if (!kind_.can<folds>()) return;
    std::optional<any_filter> folded;
    try {
      folded = one.filter.as<folds>().folded(factor);
    } catch (const error& problem) {
      law(factor != 1 && problem.code() == errc::invalid, "a factor that divides folds");
      return;
    }
    subject smaller{std::move(*folded), one.keys, one.built_of_keys};
    law(smaller.filter.bytes() <= one.filter.bytes(), "folding does not grow");
    find_all(smaller);
    compare_with_rebuilt(smaller);
    if (keep) one = std::move(smaller);
  }

  static void store(subject& one) {
    const std::vector<std::byte> file = save(one.filter);
    one.filter = load(file);
    law(save(one.filter) == file, "a filter saves as it was loaded");
  }

  void copy(subject& one, digest key) const {
    const std::vector<std::byte> before = save(one.filter);
    any_filter other = one.filter.copy();
    law(save(other) == before, "a copy is alike");
    if (!kind_.can<inserts>()) return;
    std::uint64_t added = 0;
    if (!inserted(other, std::array{key}, added)) return;
    law(save(one.filter) == before, "a copy is apart");
    one.filter = std::move(other);
    one.keys.insert(key);
  }

  static void require_sound(const math::estimate& estimate) {
    law(estimate.low >= 0 && estimate.low <= estimate.high, "an interval has its ends in order");
    law(estimate.saturated || (estimate.low <= estimate.value && estimate.value <= estimate.high),
        "an estimate lies in its interval");
  }

  void measure(const subject& one, const subject& two) const {
    const double predicted = kind_.predicted_rate(one.filter.shape(), one.filter.record().items);
    law(predicted >= 0 && predicted <= 1, "a predicted rate is between 0 and 1");
    if (!kind_.can<measures>()) return;
    const double fill = one.filter.as<tells_rate>().fill();
    law(fill >= 0 && fill <= 1, "a fill is between 0 and 1");
    const double rate = one.filter.as<tells_rate>().current_rate();
    law(rate >= 0 && rate <= 1, "a rate is between 0 and 1");
    require_sound(one.filter.as<measures>().estimated_keys());
    if (one.filter.record().hash != two.filter.record().hash ||
        one.filter.shape() != two.filter.shape()) {
      return;
    }
    const math::overlap both = one.filter.as<measures>().estimated_overlap(two.filter);
    for (const auto& part : {both.first, both.second, both.united, both.common, both.jaccard}) {
      require_sound(part);
    }
    law(both.jaccard.high <= 1, "a Jaccard index is at most 1");
  }

  template <class Visit>
  void for_each_sample(Visit visit) const {
    if (!kind_.can<asks>()) return;
    for (std::uint64_t i = 0; i < key_space; i += 8) visit(digest{hash::mix(i), hash::mix(~i)});
  }

  const any_kind& kind_;
  std::array<subject, 3> subjects_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  register_secure_kinds();
  input in({data, size});
  const any_kind& kind = kinds()[in.below(kinds().size())];
  const auto drawn = take_shape(in, kind, 1000, largest_payload);
  if (!drawn) return 0;
  session run(kind, drawn->values, drawn->promised);
  for (std::size_t i = 0; i < most_operations && !in.empty(); ++i) run.step(in);
  run.finish();
  return 0;
}
