// A filter of any kind, chosen at run time.
//
// Purpose:   what the tool and the servers hold. Typed code should hold the typed filter.
// Cost:      one indirect call per batch, never per key.
// Guarantee: asking a kind for what it cannot do throws errc::unsupported and names both.
//
//     auto filter = bloomery::find_kind("blocked").plan(1000, 0.01, {});
//     const std::array<bloomery::digest, 2> keys{{{1, 2}, {3, 4}}};
//     filter.insert(keys);
//     std::array<bool, 2> answers{};
//     assert(filter.may_contain(keys, answers) == 2 && answers[0] && answers[1]);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/core/fields.hpp"
#include "bloomery/filters/concepts.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery {

struct kind_entry;

class any_filter {
 public:
  // One per kind, made by the registry from the kind's concepts.
  class model {
   public:
    model() = default;
    model(const model&) = delete;
    model& operator=(const model&) = delete;
    virtual ~model() = default;
    [[nodiscard]] virtual const kind_entry& kind() const = 0;
    [[nodiscard]] virtual std::vector<field_value> shape() const = 0;
    [[nodiscard]] virtual filter_record record() const = 0;
    [[nodiscard]] virtual std::vector<byte_view> payload() const = 0;
    [[nodiscard]] virtual std::unique_ptr<model> copy() const = 0;
    // What a kind cannot do throws errc::unsupported, unless said otherwise.
    [[nodiscard]] virtual double predicted_rate(std::uint64_t keys) const = 0;
    virtual std::uint64_t insert(std::span<const digest> keys) = 0;
    virtual std::uint64_t insert(std::span<const digest> keys, std::span<bool> fresh) = 0;
    virtual std::uint64_t insert_shared(std::span<const digest> keys) = 0;
    virtual std::uint64_t may_contain(std::span<const digest> keys,
                                      std::span<bool> answers) const = 0;
    virtual std::uint64_t erase(std::span<const digest> keys) = 0;
    virtual void count(std::span<const digest> keys, std::span<std::uint64_t> counts) const = 0;
    [[nodiscard]] virtual bool count_is_full(digest key) const = 0;  // or false
    [[nodiscard]] virtual decoded_counts decode(std::span<const digest> keys) const = 0;
    [[nodiscard]] virtual std::vector<ranked_key> top() const = 0;
    [[nodiscard]] virtual bool wants_label(digest key) const = 0;  // or false
    virtual void label(digest key, std::string_view name) = 0;
    [[nodiscard]] virtual std::unique_ptr<model> plain() const = 0;
    virtual std::uint64_t values(std::span<const digest> keys, std::span<mapped> answers) const = 0;
    virtual std::uint64_t set_values(std::span<const keyed_value> entries) = 0;
    [[nodiscard]] virtual std::vector<std::uint64_t> hits(digest key) const = 0;
    virtual bool insert_text(std::string_view text, std::uint64_t source) = 0;
    [[nodiscard]] virtual bool may_contain_text(std::string_view text) const = 0;
    [[nodiscard]] virtual std::vector<text_match> search(std::string_view text) const = 0;
    [[nodiscard]] virtual std::uint64_t nearness(std::string_view text) const = 0;
    virtual std::uint64_t insert_guarded(byte_view secret,
                                         std::span<const std::string_view> texts) = 0;
    virtual std::uint64_t may_contain_guarded(byte_view secret,
                                              std::span<const std::string_view> texts,
                                              std::span<bool> answers) const = 0;
    virtual void seal(byte_view secret, std::uint64_t distinct) = 0;
    [[nodiscard]] virtual std::uint64_t stages() const = 0;
    [[nodiscard]] virtual std::uint64_t overflows() const = 0;
    [[nodiscard]] virtual std::uint64_t window() const = 0;
    [[nodiscard]] virtual std::uint64_t now() const = 0;
    [[nodiscard]] virtual bool runs_on_time() const = 0;  // or false
    virtual void advance(std::uint64_t now) = 0;
    virtual std::uint64_t age() = 0;
    virtual void merge(const model& other) = 0;
    virtual void intersect(const model& other) = 0;
    [[nodiscard]] virtual std::unique_ptr<model> advertisement(std::span<const model* const> others,
                                                               std::uint64_t link) const = 0;
    [[nodiscard]] virtual std::unique_ptr<model> folded(std::uint64_t factor) const = 0;
    [[nodiscard]] virtual double fill() const = 0;
    [[nodiscard]] virtual double current_rate() const = 0;
    [[nodiscard]] virtual math::estimate estimated_keys(double confidence) const = 0;
    [[nodiscard]] virtual math::overlap estimated_overlap(const model& other,
                                                          double confidence) const = 0;
    // None if the kind cannot tell.
    [[nodiscard]] virtual std::optional<math::estimate> taken_keys(double confidence) const = 0;
    [[nodiscard]] virtual std::optional<math::estimate> wearing_keys(double confidence) const = 0;

    std::vector<std::string> names;  // of values or sources, by number
  };

  explicit any_filter(std::unique_ptr<model> held) : model_(std::move(held)) {}

  [[nodiscard]] const kind_entry& kind() const { return model_->kind(); }
  [[nodiscard]] std::vector<field_value> shape() const { return model_->shape(); }
  [[nodiscard]] filter_record record() const { return model_->record(); }
  [[nodiscard]] std::vector<byte_view> payload() const { return model_->payload(); }
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] any_filter copy() const;  // owned

  std::uint64_t insert(std::span<const digest> keys) { return model_->insert(keys); }
  // As above, and says which of them were new, also to those before them.
  std::uint64_t insert(std::span<const digest> keys, std::span<bool> fresh) {
    return model_->insert(keys, fresh);
  }
  std::uint64_t insert_shared(std::span<const digest> keys) { return model_->insert_shared(keys); }
  std::uint64_t may_contain(std::span<const digest> keys, std::span<bool> answers) const {
    return model_->may_contain(keys, answers);
  }

  std::uint64_t erase(std::span<const digest> keys) { return model_->erase(keys); }
  void count(std::span<const digest> keys, std::span<std::uint64_t> counts) const {
    model_->count(keys, counts);
  }
  // Whether the key may have come more often than count says; false for kinds that count on.
  [[nodiscard]] bool count_is_full(digest key) const { return model_->count_is_full(key); }
  [[nodiscard]] decoded_counts decode(std::span<const digest> keys) const {
    return model_->decode(keys);
  }
  [[nodiscard]] std::vector<ranked_key> top() const { return model_->top(); }
  [[nodiscard]] bool wants_label(digest key) const { return model_->wants_label(key); }
  void label(digest key, std::string_view name) { model_->label(key, name); }
  [[nodiscard]] any_filter plain() const { return any_filter(model_->plain()); }

  // As key_value and settable; set_values says how many keys could have a value, and have it.
  std::uint64_t values(std::span<const digest> keys, std::span<mapped> answers) const {
    return model_->values(keys, answers);
  }
  std::uint64_t set_values(std::span<const keyed_value> entries) {
    return model_->set_values(entries);
  }

  // All values that a key may have, where several may claim it: a bank's.
  [[nodiscard]] std::vector<std::uint64_t> hits(digest key) const { return model_->hits(key); }

  // As text_keyed, searchable and similar.
  bool insert_text(std::string_view text, std::uint64_t source = 0) {
    return model_->insert_text(text, source);
  }
  [[nodiscard]] bool may_contain_text(std::string_view text) const {
    return model_->may_contain_text(text);
  }
  [[nodiscard]] std::vector<text_match> search(std::string_view text) const {
    return model_->search(text);
  }
  [[nodiscard]] std::uint64_t nearness(std::string_view text) const {
    return model_->nearness(text);
  }

  // As guarded and sealable, under a secret as stored.
  std::uint64_t insert_guarded(byte_view secret, std::span<const std::string_view> texts) {
    return model_->insert_guarded(secret, texts);
  }
  std::uint64_t may_contain_guarded(byte_view secret, std::span<const std::string_view> texts,
                                    std::span<bool> answers) const {
    return model_->may_contain_guarded(secret, texts, answers);
  }
  void seal(byte_view secret, std::uint64_t distinct) { model_->seal(secret, distinct); }

  // What values or sources are called, by number; kept with the filter. None: they are numbers.
  [[nodiscard]] const std::vector<std::string>& names() const { return model_->names; }
  void set_names(std::vector<std::string> names) { model_->names = std::move(names); }

  [[nodiscard]] std::uint64_t stages() const { return model_->stages(); }
  [[nodiscard]] std::uint64_t overflows() const { return model_->overflows(); }
  [[nodiscard]] std::uint64_t window() const { return model_->window(); }
  [[nodiscard]] std::uint64_t now() const { return model_->now(); }
  // Whether the window is a time; false for kinds that know none.
  [[nodiscard]] bool runs_on_time() const { return model_->runs_on_time(); }
  void advance(std::uint64_t now) { model_->advance(now); }

  // As state_machine's: forgets what was not touched since the last time; how many keys.
  std::uint64_t age() { return model_->age(); }

  void merge(const any_filter& other);  // errc::incompatible also if their names differ
  void intersect(const any_filter& other) { model_->intersect(*other.model_); }
  // As advertising: what to tell a neighbour of this filter and of what lies behind the other links.
  [[nodiscard]] any_filter advertisement(std::span<const any_filter* const> others,
                                         std::uint64_t link) const;
  [[nodiscard]] any_filter folded(std::uint64_t factor) const {
    return any_filter(model_->folded(factor));
  }

  [[nodiscard]] double predicted_rate(std::uint64_t keys) const {
    return model_->predicted_rate(keys);
  }
  [[nodiscard]] double fill() const { return model_->fill(); }
  [[nodiscard]] double current_rate() const { return model_->current_rate(); }
  [[nodiscard]] math::estimate estimated_keys(double confidence = math::default_confidence) const {
    return model_->estimated_keys(confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(
      const any_filter& other, double confidence = math::default_confidence) const {
    return model_->estimated_overlap(*other.model_, confidence);
  }
  // Keys that take room: those estimated, and where erasing frees none also those erased. And keys
  // at whose cost others are missed, as predicted_false_negatives counts. None if it cannot tell.
  [[nodiscard]] std::optional<math::estimate> taken_keys(double confidence) const {
    return model_->taken_keys(confidence);
  }
  [[nodiscard]] std::optional<math::estimate> wearing_keys(double confidence) const {
    return model_->wearing_keys(confidence);
  }

 private:
  std::unique_ptr<model> model_;
};

// Stored forms. Opening maps a plain file and copies nothing; call copy() to change the filter.
std::vector<std::byte> save(const any_filter& filter);
void save_file(const any_filter& filter, const std::string& path);
any_filter load(byte_view file, const wire::load_options& options = {});  // owned
any_filter open_file(const std::string& path, const wire::load_options& options = {});

// The same file in fewer bytes, which load and open_file take as well; and what changed between two
// versions of a filter, which patch makes the new one of again (wire/compressed.hpp, wire/delta.hpp).
std::vector<std::byte> compress(const any_filter& filter, unsigned threads = 1);
std::vector<std::byte> diff(const any_filter& before, const any_filter& after,
                            unsigned threads = 1);
any_filter patch(const any_filter& before, byte_view delta, const wire::load_options& options = {});

}  // namespace bloomery
