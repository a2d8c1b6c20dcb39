#include "bloomery/any/registry.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "bloomery/any/kinds.hpp"
#include "bloomery/bits/mapped_file.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/wire/filter_io.hpp"

namespace bloomery {
namespace {

template <filter_kind F>
[[noreturn]] void cannot(std::string_view what) {
  fail(errc::unsupported, "a " + std::string(F::kind.name) + " filter cannot " + std::string(what));
}

template <filter_kind F>
const kind_entry& entry_of();

// Each operation is the filter's own if it models the concept, and a refusal otherwise.
template <filter_kind F>
class held final : public any_filter::model {
 public:
  explicit held(F filter) : filter_(std::move(filter)) {}

  [[nodiscard]] const kind_entry& kind() const override { return entry_of<F>(); }
  [[nodiscard]] std::vector<field_value> shape() const override {
    return values_of(filter_.shape());
  }
  [[nodiscard]] filter_record record() const override { return filter_.record(); }
  [[nodiscard]] std::vector<byte_view> payload() const override { return filter_.payload(); }
  [[nodiscard]] std::unique_ptr<model> copy() const override { return hold(filter_.copy()); }

  [[nodiscard]] double predicted_rate(std::uint64_t keys) const override {
    if constexpr (plannable<F>)
      return F::predicted_rate(filter_.shape(), keys);
    else
      cannot<F>("predict its rate");
  }

  std::uint64_t insert(std::span<const digest> keys) override {
    if constexpr (insertable<F>)
      return filter_.insert(keys);
    else
      cannot<F>("take further keys");
  }
  std::uint64_t insert_shared(std::span<const digest> keys) override {
    if constexpr (concurrent<F>)
      return filter_.insert_shared(keys);
    else
      cannot<F>("take keys from several threads");
  }
  std::uint64_t may_contain(std::span<const digest> keys, std::span<bool> answers) const override {
    if constexpr (membership<F>)
      return filter_.may_contain(keys, answers);
    else
      cannot<F>("answer membership queries");
  }

  void merge(const model& other) override {
    if constexpr (mergeable<F>)
      filter_.merge(same_kind(other));
    else
      cannot<F>("be merged");
  }
  void intersect(const model& other) override {
    if constexpr (intersectable<F>)
      filter_.intersect(same_kind(other));
    else
      cannot<F>("be intersected");
  }
  [[nodiscard]] std::unique_ptr<model> folded(
      [[maybe_unused]] std::uint64_t factor) const override {
    if constexpr (foldable<F>)
      return hold(filter_.folded(factor));
    else
      cannot<F>("be folded");
  }

  [[nodiscard]] double fill() const override {
    if constexpr (measurable<F>)
      return filter_.fill();
    else
      cannot<F>("report its fill");
  }
  [[nodiscard]] double current_rate() const override {
    if constexpr (measurable<F>)
      return filter_.current_rate();
    else
      cannot<F>("report its rate");
  }
  [[nodiscard]] math::estimate estimated_keys([[maybe_unused]] double confidence) const override {
    if constexpr (measurable<F>)
      return filter_.estimated_keys(confidence);
    else
      cannot<F>("estimate its keys");
  }
  [[nodiscard]] math::overlap estimated_overlap(const model& other,
                                                [[maybe_unused]] double confidence) const override {
    if constexpr (measurable<F>)
      return filter_.estimated_overlap(same_kind(other), confidence);
    else
      cannot<F>("estimate an overlap");
  }

 private:
  static std::unique_ptr<model> hold(F filter) { return std::make_unique<held>(std::move(filter)); }

  static const F& same_kind(const model& other) {
    const auto* same = dynamic_cast<const held*>(&other);
    if (same == nullptr) {
      fail(errc::incompatible, "the kind differs: " + std::string(F::kind.name) + " against " +
                                   std::string(other.kind().info.name));
    }
    return same->filter_;
  }

  F filter_;
};

template <filter_kind F>
any_filter erased(F filter) {
  return any_filter(std::make_unique<held<F>>(std::move(filter)));
}

template <class Shape>
std::vector<field_value> valid_values(const Shape& shape) {
  require_valid(shape);
  return values_of(shape);
}

template <filter_kind F>
kind_entry make_entry() {
  static_assert(F::kind.name.size() <= wire::max_kind_name);
  static_assert(F::shape_type::fields.size() <= wire::max_fields);
  using shape = typename F::shape_type;
  kind_entry entry{};
  entry.info = F::kind;
  entry.can = {
      .plan = plannable<F>,
      .query = membership<F>,
      .build = buildable<F> || insertable<F>,
      .insert = insertable<F>,
      .insert_shared = concurrent<F>,
      .merge = mergeable<F>,
      .intersect = intersectable<F>,
      .fold = foldable<F>,
      .erase = erasable<F>,
      .count = multiset<F>,
      .popularity = popularity_aware<F>,
      .value = key_value<F>,
      .measure = measurable<F>,
      .lay_out = laid_out<F>,
      .grow = growing<F>,
      .window = windowed<F>,
  };
  entry.fields = field_infos<shape>();
  entry.create = [](std::span<const field_value> values, hash_identity hash, promise promised) {
    return erased(F(shape_from<shape>(values), hash, promised));
  };
  entry.build = [](std::span<const field_value> values, std::span<const digest> keys,
                   hash_identity hash, promise promised, [[maybe_unused]] unsigned threads) {
    const auto wanted = shape_from<shape>(values);
    if constexpr (buildable<F>) {
      return erased(F::build(wanted, keys, hash, promised, threads));
    } else {
      F filter(wanted, hash, promised);
      if constexpr (insertable<F>)
        filter.insert(keys);
      else
        cannot<F>("hold keys");
      return erased(std::move(filter));
    }
  };
  entry.restore = [](const wire::envelope& head, storage payload) {
    return erased(wire::restore<F>(head, std::move(payload)));
  };
  entry.plan_shape = [](std::uint64_t keys, double rate) {
    if constexpr (plannable<F>)
      return values_of(F::plan(keys, rate));
    else
      return (cannot<F>("be planned"), std::vector<field_value>{});
  };
  entry.predicted_rate = [](std::span<const field_value> values, std::uint64_t keys) {
    if constexpr (plannable<F>)
      return F::predicted_rate(shape_from<shape>(values), keys);
    else
      return (cannot<F>("predict its rate"), 0.0);
  };
  entry.query_cost = [](std::span<const field_value> values, std::uint64_t keys) {
    if constexpr (plannable<F>)
      return F::query_cost(shape_from<shape>(values), keys);
    else
      return (cannot<F>("predict its cost"), math::query_cost{});
  };
  entry.predicted_false_negatives = [](std::span<const field_value> values, std::uint64_t keys) {
    if constexpr (lossy<F>)
      return F::predicted_false_negatives(shape_from<shape>(values), keys);
    else
      return F::kind.false_negatives ? 1.0 : 0.0;
  };
  entry.layout = [](std::span<const field_value> values) {
    if constexpr (laid_out<F>)
      return F::layout(shape_from<shape>(values));
    else
      return (cannot<F>("predict its fill"), math::bit_layout{});
  };
  entry.of_bits = [](std::uint64_t bits, std::uint64_t hashes) {
    if constexpr (laid_out<F>)
      return valid_values(F::of_bits(bits, hashes));
    else
      return (cannot<F>("be made of bits and hashes alone"), std::vector<field_value>{});
  };
  entry.payload_bytes = [](std::span<const field_value> values) {
    return F::payload_bytes(shape_from<shape>(values));
  };
  return entry;
}

template <class... Kinds>
const std::vector<kind_entry>& entries_of(kind_list<Kinds...> /*kinds*/) {
  static const std::vector<kind_entry> entries{make_entry<Kinds>()...};
  return entries;
}

template <filter_kind F>
const kind_entry& entry_of() {
  return find_kind(F::kind.name);
}

// A file's unknown kind is no mistake of the caller's: perhaps a later version wrote it.
const kind_entry& stored_kind(std::string_view name) {
  try {
    return find_kind(name);
  } catch (const error& problem) {
    fail(errc::unsupported, problem.what());
  }
}

any_filter restore(const wire::opened_envelope& opened, storage payload) {
  return stored_kind(opened.head.kind).restore(opened.head, std::move(payload));
}

}  // namespace

std::string_view kind_entry::output() const {
  if (can.value) return "value";
  return can.count ? "frequency" : "boolean";
}

std::span<const kind_entry> kinds() {
  return entries_of(all_kinds{});
}

const kind_entry& find_kind(std::string_view name) {
  std::string known;
  for (const kind_entry& entry : kinds()) {
    if (entry.info.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.info.name);
  }
  fail(errc::invalid, "'" + std::string(name) + "' is not a kind of filter; known: " + known);
}

std::uint64_t any_filter::bytes() const {
  std::uint64_t total = 0;
  for (const byte_view part : payload()) total += part.size();
  return total;
}

namespace {

wire::envelope envelope_of(const any_filter& filter) {
  return wire::make_envelope(filter.kind().info.name, filter.record(), filter.shape());
}

}  // namespace

std::vector<std::byte> save(const any_filter& filter) {
  return wire::save(envelope_of(filter), filter.payload());
}

void save_file(const any_filter& filter, const std::string& path) {
  wire::save_file(envelope_of(filter), filter.payload(), path);
}

any_filter load(byte_view file, const wire::load_options& options) {
  const wire::opened_envelope opened = wire::open_envelope(file, options);
  return restore(opened, wire::copied(opened.payload));
}

any_filter open_file(const std::string& path, const wire::load_options& options) {
  // The header's share is far below a megabyte; the envelope checks exactly.
  const std::uint64_t most = std::min(options.max_payload_bytes, max_bits / 8);
  const mapped_file file = map_file(path, most + (1 << 20), wire::stated_bytes);
  try {
    const wire::opened_envelope opened = wire::open_envelope(file.bytes, options);
    return restore(opened, storage::view(opened.payload, file.owner));
  } catch (const error& problem) {
    fail(problem.code(), path + ": " + problem.what());
  }
}

}  // namespace bloomery
