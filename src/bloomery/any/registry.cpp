#include "bloomery/any/registry.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "bloomery/any/kinds.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/wire/filter_io.hpp"

namespace bloomery {
namespace {

template <filter_kind F>
[[noreturn]] void cannot(std::string_view what, std::string_view why = {}) {
  fail(errc::unsupported, a_filter(F::kind.name) + " cannot " + std::string(what) +
                              (why.empty() ? "" : ": " + std::string(why)));
}

template <filter_kind F>
const kind_entry& entry_of();

// act(filter) if the kind is able to, and a refusal otherwise.
template <bool Able, class Answer, class F, class Act>
Answer able([[maybe_unused]] F& filter, std::string_view what, [[maybe_unused]] Act act) {
  if constexpr (Able)
    return act(filter);
  else
    cannot<std::remove_const_t<F>>(what);
}

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
    return able<plannable<F>, double>(filter_, "predict its rate", [&]<class G>(G& f) {
      return G::predicted_rate(f.shape(), keys);
    });
  }

  std::uint64_t insert(std::span<const digest> keys) override {
    return able<insertable<F>, std::uint64_t>(filter_, "take further keys",
                                              [&](auto& f) { return f.insert(keys); });
  }
  std::uint64_t insert(std::span<const digest> keys, std::span<bool> fresh) override {
    return able<telling<F>, std::uint64_t>(filter_, "take further keys",
                                           [&](auto& f) { return f.insert(keys, fresh); });
  }
  std::uint64_t insert_shared(std::span<const digest> keys) override {
    return able<concurrent<F>, std::uint64_t>(filter_, "take keys from several threads",
                                              [&](auto& f) { return f.insert_shared(keys); });
  }
  std::uint64_t may_contain(std::span<const digest> keys, std::span<bool> answers) const override {
    return able<membership<F>, std::uint64_t>(filter_, "answer membership queries", [&](auto& f) {
      return f.may_contain(keys, answers);
    });
  }

  std::uint64_t erase(std::span<const digest> keys) override {
    return able<erasable<F>, std::uint64_t>(filter_, "remove keys",
                                            [&](auto& f) { return f.erase(keys); });
  }
  void count(std::span<const digest> keys, std::span<std::uint64_t> counts) const override {
    able<multiset<F>, void>(filter_, "count keys", [&](auto& f) { f.count(keys, counts); });
  }
  [[nodiscard]] bool count_is_full(digest key) const override {
    if constexpr (saturable<F>)
      return filter_.count_is_full(key);
    else
      return false;
  }
  [[nodiscard]] decoded_counts decode(std::span<const digest> keys) const override {
    return able<decodable<F>, decoded_counts>(filter_, "be decoded",
                                              [&](auto& f) { return f.decode(keys); });
  }
  [[nodiscard]] std::vector<ranked_key> top() const override {
    return able<ranked<F>, std::vector<ranked_key>>(filter_, "rank keys",
                                                    [&](auto& f) { return f.top(); });
  }
  [[nodiscard]] bool wants_label(digest key) const override {
    if constexpr (ranked<F>)
      return filter_.wants_label(key);
    else
      return false;
  }
  void label(digest key, std::string_view name) override {
    able<ranked<F>, void>(filter_, "label keys", [&](auto& f) { f.label(key, name); });
  }
  [[nodiscard]] std::unique_ptr<model> plain() const override {
    return able<reducible<F>, std::unique_ptr<model>>(
        filter_, "be reduced to a plain filter", [](auto& f) {
          auto reduced = f.plain();
          return std::make_unique<held<decltype(reduced)>>(std::move(reduced));
        });
  }

  std::uint64_t values(std::span<const digest> keys, std::span<mapped> answers) const override {
    return able<key_value<F>, std::uint64_t>(filter_, "tell values",
                                             [&](auto& f) { return f.values(keys, answers); });
  }
  std::uint64_t set_values(std::span<const keyed_value> entries) override {
    return able<settable<F>, std::uint64_t>(filter_, "change values", [&](auto& f) {
      std::uint64_t done = 0;
      for (const keyed_value& entry : entries) {
        done += std::uint64_t{f.set_value(entry.key, entry.value)};
      }
      return done;
    });
  }
  [[nodiscard]] std::vector<std::uint64_t> hits(digest key) const override {
    return able<classifying<F>, std::vector<std::uint64_t>>(
        filter_, "tell all classes of a key", [&](auto& f) { return f.cells().hits(key); });
  }
  bool insert_text(std::string_view text, std::uint64_t source) override {
    if constexpr (searchable<F>) {
      return filter_.insert_text(text, source);
    } else {
      if (source != 0) cannot<F>("tell sources apart");
      return able<text_keyed<F>, bool>(filter_, "take texts",
                                       [&](auto& f) { return f.insert_text(text); });
    }
  }
  [[nodiscard]] bool may_contain_text(std::string_view text) const override {
    return able<text_keyed<F>, bool>(filter_, "look into texts",
                                     [&](auto& f) { return f.may_contain_text(text); });
  }
  [[nodiscard]] std::vector<text_match> search(std::string_view text) const override {
    return able<searchable<F>, std::vector<text_match>>(filter_, "find parts of texts",
                                                        [&](auto& f) { return f.search(text); });
  }
  [[nodiscard]] std::uint64_t nearness(std::string_view text) const override {
    return able<similar<F>, std::uint64_t>(filter_, "find what is near",
                                           [&](auto& f) { return f.nearness(text); });
  }
  std::uint64_t insert_guarded(byte_view secret, std::span<const std::string_view> texts) override {
    return able<guarded<F>, std::uint64_t>(filter_, "keep keys secret", [&]<class G>(G& f) {
      const auto key = G::secret_type::load(secret);
      std::uint64_t fresh = 0;
      for (const std::string_view text : texts) fresh += std::uint64_t{f.insert_text(key, text)};
      return fresh;
    });
  }
  std::uint64_t may_contain_guarded(byte_view secret, std::span<const std::string_view> texts,
                                    std::span<bool> answers) const override {
    return able<guarded<F>, std::uint64_t>(filter_, "keep keys secret", [&]<class G>(G& f) {
      const auto key = G::secret_type::load(secret);
      std::uint64_t hits = 0;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        answers[i] = f.may_contain_text(key, texts[i]);
        hits += std::uint64_t{answers[i]};
      }
      return hits;
    });
  }
  void seal(byte_view secret, std::uint64_t distinct) override {
    able<sealable<F>, void>(filter_, "be sealed",
                            [&]<class G>(G& f) { f.seal(G::secret_type::load(secret), distinct); });
  }

  [[nodiscard]] std::uint64_t stages() const override {
    return able<growing<F>, std::uint64_t>(filter_, "grow", [&](auto& f) { return f.stages(); });
  }
  [[nodiscard]] std::uint64_t overflows() const override {
    return able<overflowing<F>, std::uint64_t>(filter_, "overflow",
                                               [&](auto& f) { return f.overflows(); });
  }
  [[nodiscard]] std::uint64_t window() const override {
    return able<windowed<F>, std::uint64_t>(filter_, "forget", [&](auto& f) { return f.window(); });
  }
  [[nodiscard]] std::uint64_t now() const override {
    return able<timed<F>, std::uint64_t>(filter_, "tell the time",
                                         [&](auto& f) { return f.now(); });
  }
  [[nodiscard]] bool runs_on_time() const override {
    if constexpr (timed<F>)
      return filter_.runs_on_time();
    else
      return false;
  }
  void advance(std::uint64_t now) override {
    able<timed<F>, void>(filter_, "tell the time", [&](auto& f) { f.advance(now); });
  }

  std::uint64_t age() override {
    return able<aging<F>, std::uint64_t>(filter_, "forget what is not used",
                                         [](auto& f) { return f.age(); });
  }

  void merge(const model& other) override {
    if constexpr (mergeable<F>)
      filter_.merge(same_kind(other));
    else
      cannot<F>("be merged", F::kind.unmergeable);
  }
  void intersect(const model& other) override {
    able<intersectable<F>, void>(filter_, "be intersected",
                                 [&](auto& f) { f.intersect(same_kind(other)); });
  }
  [[nodiscard]] std::unique_ptr<model> advertisement(std::span<const model* const> others,
                                                     std::uint64_t link) const override {
    return able<advertising<F>, std::unique_ptr<model>>(
        filter_, "be advertised", [&]<class G>(G& f) {
          std::vector<const F*> behind;
          for (const model* other : others) behind.push_back(&same_kind(*other));
          return hold(G::advertisement(f, behind, link));
        });
  }
  [[nodiscard]] std::unique_ptr<model> folded(std::uint64_t factor) const override {
    return able<foldable<F>, std::unique_ptr<model>>(
        filter_, "be folded", [&](auto& f) { return hold(f.folded(factor)); });
  }

  [[nodiscard]] double fill() const override {
    return able<rated<F>, double>(filter_, "report its fill", [&](auto& f) { return f.fill(); });
  }
  [[nodiscard]] double current_rate() const override {
    return able<rated<F>, double>(filter_, "report its rate",
                                  [&](auto& f) { return f.current_rate(); });
  }
  [[nodiscard]] math::estimate estimated_keys(double confidence) const override {
    return able<measurable<F>, math::estimate>(
        filter_, "estimate its keys", [&](auto& f) { return f.estimated_keys(confidence); });
  }
  [[nodiscard]] math::overlap estimated_overlap(const model& other,
                                                double confidence) const override {
    return able<measurable<F>, math::overlap>(filter_, "estimate an overlap", [&](auto& f) {
      return f.estimated_overlap(same_kind(other), confidence);
    });
  }
  [[nodiscard]] std::optional<math::estimate> taken_keys(double confidence) const override {
    if constexpr (measurable<F>)
      return filter_.estimated_keys(confidence);
    else if constexpr (requires { filter_.cells().taken_keys(confidence); })
      return filter_.cells().taken_keys(confidence);
    else
      return std::nullopt;
  }
  [[nodiscard]] std::optional<math::estimate> wearing_keys(double confidence) const override {
    if constexpr (requires { filter_.cells().wearing_keys(confidence); })
      return filter_.cells().wearing_keys(confidence);
    else
      return std::nullopt;
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

// Has fields that are chosen, not planned: plan_for keeps those of `wanted`.
template <class F>
concept chosen_for = requires(const F f, typename F::shape_type wanted, std::uint64_t keys,
                              double rate) {
  { f.cells().plan_for(wanted, keys, rate) } -> std::same_as<typename F::shape_type>;
};

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
  entry.can = {.plan = plannable<F>,
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
               .time = timed<F>,
               .decode = decodable<F>,
               .rank = ranked<F>,
               .reduce = reducible<F>,
               .overflow = overflowing<F>,
               .bounded = bounded<F>,
               .set_value = settable<F>,
               .text = text_keyed<F>,
               .search = searchable<F>,
               .near = similar<F>,
               .guard = guarded<F>,
               .seal = sealable<F>,
               .classify = classifying<F>,
               .age = aging<F>,
               .advertise = advertising<F>,
               .tell_rate = rated<F>};
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
  entry.plan_shape = [](std::uint64_t keys, double rate) -> std::vector<field_value> {
    if constexpr (plannable<F>)
      return values_of(F::plan(keys, rate));
    else
      cannot<F>("be planned");
  };
  entry.plan_around = [](std::span<const field_value> values, [[maybe_unused]] std::uint64_t keys,
                         [[maybe_unused]] double rate) -> std::vector<field_value> {
    if constexpr (chosen_for<F>) {
      using cells = std::remove_cvref_t<decltype(std::declval<const F&>().cells())>;
      return values_of(cells::plan_for(shape_from<shape>(values), keys, rate_to_plan(rate)));
    } else {
      return {values.begin(), values.end()};
    }
  };
  entry.plan_time = [](std::uint64_t keys, double rate,
                       std::uint64_t milliseconds) -> std::vector<field_value> {
    if constexpr (timed<F>)
      return values_of(F::plan(keys, rate, milliseconds));
    else
      cannot<F>("keep a window of time");
  };
  entry.plan_map = [](std::uint64_t keys, double rate,
                      std::uint64_t values) -> std::vector<field_value> {
    if constexpr (key_value<F>)
      return values_of(F::plan_map(keys, rate, values));
    else
      cannot<F>("hold values");
  };
  entry.value_limit = [](std::span<const field_value> values) -> std::uint64_t {
    if constexpr (key_value<F>)
      return F::value_limit(shape_from<shape>(values));
    else
      cannot<F>("hold values");
  };
  entry.build_map = [](std::span<const field_value> values, std::span<const keyed_value> entries,
                       hash_identity hash, promise promised, unsigned threads) -> any_filter {
    if constexpr (key_value<F>)
      return erased(F::build(shape_from<shape>(values), entries, hash, promised, threads));
    else
      cannot<F>("hold values");
  };
  entry.plan_weighted = [](std::uint64_t keys, double rate,
                           std::span<const key_weight> weights) -> std::vector<field_value> {
    if constexpr (popularity_aware<F>)
      return values_of(F::plan_weighted(keys, rate, weights));
    else
      cannot<F>("weigh keys");
  };
  entry.build_weighted = [](std::span<const field_value> values, std::span<const digest> keys,
                            std::span<const key_weight> weights, hash_identity hash,
                            promise promised, unsigned threads) -> any_filter {
    if constexpr (popularity_aware<F>)
      return erased(F::build(shape_from<shape>(values), keys, weights, hash, promised, threads));
    else
      cannot<F>("weigh keys");
  };
  entry.capacity = [](std::span<const field_value> values) -> std::uint64_t {
    if constexpr (bounded<F>)
      return F::capacity(shape_from<shape>(values));
    else
      cannot<F>("be full");
  };
  entry.predicted_rate = [](std::span<const field_value> values, std::uint64_t keys) -> double {
    if constexpr (plannable<F>)
      return F::predicted_rate(shape_from<shape>(values), keys);
    else
      cannot<F>("predict its rate");
  };
  entry.query_cost = [](std::span<const field_value> values,
                        std::uint64_t keys) -> math::query_cost {
    if constexpr (plannable<F>)
      return F::query_cost(shape_from<shape>(values), keys);
    else
      cannot<F>("predict its cost");
  };
  entry.predicted_false_negatives = [](std::span<const field_value> values, std::uint64_t keys) {
    if constexpr (lossy<F>)
      return F::predicted_false_negatives(shape_from<shape>(values), keys);
    else
      return F::kind.false_negatives ? 1.0 : 0.0;
  };
  entry.layout = [](std::span<const field_value> values) -> math::bit_layout {
    if constexpr (laid_out<F>)
      return F::layout(shape_from<shape>(values));
    else
      cannot<F>("predict its fill");
  };
  entry.of_bits = [](std::uint64_t bits, std::uint64_t hashes) -> std::vector<field_value> {
    if constexpr (laid_out<F>)
      return valid_values(F::of_bits(bits, hashes));
    else
      cannot<F>("be made of bits and hashes alone");
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

}  // namespace

std::string a_filter(std::string_view kind) {
  const bool vowel = std::string_view("aeio").find(kind.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(kind) + " filter";
}

std::string_view kind_entry::output() const {
  if (can.value) return "value";
  return counts() ? "frequency" : "boolean";
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

}  // namespace bloomery
