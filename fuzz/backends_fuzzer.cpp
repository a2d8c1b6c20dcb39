// Every back end against the plain one, for every kind: the same keys leave the same cells and get the same
// answers, as digests or as integers, in batches or one by one, in the cache or beyond it.
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "bloomery/any/kinds.hpp"
#include "bloomery/core/simd.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "subjects.hpp"

namespace {

using namespace bloomery;
using fuzzing::input;
using fuzzing::law;

constexpr std::uint64_t largest_payload = 4 << 20;  // beyond what kernels take for cached
constexpr std::uint64_t most_keys = 2'000'000;

struct task {
  const any_kind& kind;
  fuzzing::drawn_shape shape;
  std::vector<std::uint64_t> integers;
  std::vector<digest>
      digests;  // theirs, and raw ones, which lie where hashing hardly ever puts them
};

struct outcome {
  bool refused = false;  // for want of room, or because the keys do not fit
  std::vector<std::uint64_t> told;
  std::vector<bool> answers;
  std::vector<std::byte> cells;

  friend bool operator==(const outcome&, const outcome&) = default;
};

// Calls act(filter) if the filter is of a kind that takes integers as they are.
template <class... F, class Act>
bool as_integers(any_filter& filter, kind_list<F...> /*all*/, Act act) {
  const auto tried = [&]<class Typed>(std::type_identity<Typed>) {
    if constexpr (detail::answers_integers<typename Typed::cells_type> &&
                  detail::inserts_integers<typename Typed::cells_type>) {
      if (auto* const typed = filter.get_if<Typed>()) {
        act(*typed);
        return true;
      }
    }
    return false;
  };
  return (tried(std::type_identity<F>{}) || ...);
}

void ask(const any_filter& filter, digest_span keys, outcome& result) {
  if (!filter.kind().can<asks>()) return;
  const auto answers = std::make_unique<bool[]>(keys.size());
  result.told.push_back(filter.as<asks>().may_contain(keys, {answers.get(), keys.size()}));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    law(filter.as<asks>().may_contain(keys[i]) == answers[i], "a batch is asked as its keys are");
    result.answers.push_back(answers[i]);
  }
}

void change(any_filter& filter, const task& of, bool integers, outcome& result) {
  const digest_span keys(of.digests);
  const std::size_t third = keys.size() / 3;
  if (of.kind.can<inserts>()) {
    const hash::hashed_span unhashed(integer_hash{}, std::span(of.integers));
    const bool taken = integers && as_integers(filter, all_kinds{}, [&](auto& typed) {
                         result.told.push_back(typed.insert(unhashed));
                         const auto answers = std::make_unique<bool[]>(unhashed.size());
                         const std::span<bool> told(answers.get(), unhashed.size());
                         law(typed.may_contain(unhashed, told) ==
                                 static_cast<std::uint64_t>(std::ranges::count(told, true)),
                             "the hits returned are the answers given");
                         for (std::size_t i = 0; i < told.size(); ++i) {
                           law(typed.may_contain(unhashed[i]) == told[i],
                               "integers are asked as their digests are");
                         }
                       });
    if (!taken) {
      result.told.push_back(filter.as<inserts>().insert(keys.first(of.integers.size())));
    }
    const auto fresh = std::make_unique<bool[]>(third);
    result.told.push_back(
        filter.as<inserts>().insert(keys.last(third), std::span(fresh.get(), third)));
    result.answers.assign(fresh.get(), fresh.get() + third);
  }
  ask(filter, keys, result);
  if (of.kind.can<erases>()) {
    result.told.push_back(filter.as<erases>().erase(keys.first(third)));
    ask(filter, keys, result);
  }
}

outcome run(const task& of, bool integers) {
  outcome result;
  const hash_identity hash = integer_hash{}.identity();
  try {
    any_filter filter =
        of.kind.can<inserts>()
            ? of.kind.create(of.shape.values, hash, of.shape.promised)
            : of.kind.build(of.shape.values, of.digests, hash, of.shape.promised, 1);
    change(filter, of, integers, result);
    result.cells = fuzzing::cells_of(filter);
  } catch (const error& problem) {
    law(problem.code() == errc::limit || problem.code() == errc::invalid,
        "keys are refused for want of room only");
    result = {.refused = true, .told = {}, .answers = {}, .cells = {}};
  }
  return result;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  input in({data, size});
  const any_kind& kind = kinds()[in.below(kinds().size())];
  if (!kind.takes_keys()) return 0;
  const bool large = in.take<std::uint8_t>() % 4 == 0;
  auto drawn = fuzzing::take_shape(in, kind, large ? most_keys : 1000, largest_payload);
  if (!drawn) return 0;
  task of{kind, std::move(*drawn), std::vector<std::uint64_t>(in.below(300)), {}};
  const std::size_t raw = in.below(100);
  for (std::uint64_t& key : of.integers) key = in.take<std::uint32_t>();  // so that some repeat
  for (const std::uint64_t key : of.integers) of.digests.push_back(integer_hash{}(key));
  for (std::size_t i = 0; i < raw; ++i) {
    of.digests.push_back({in.take<std::uint64_t>(), in.take<std::uint64_t>()});
  }
  std::optional<outcome> first;
  for (const core::backend which : core::all_backends) {
    if (!core::runnable(which)) continue;
    const core::forced_backend forced(which);
    for (const bool integers : {false, true}) {
      outcome now = run(of, integers);
      if (first) law(now == *first, "back ends leave and tell the same");
      first = std::move(now);
    }
  }
  return 0;
}
