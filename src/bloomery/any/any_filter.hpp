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
    [[nodiscard]] virtual double predicted_rate(std::uint64_t keys) const = 0;
    virtual std::uint64_t insert(std::span<const digest> keys) = 0;
    virtual std::uint64_t insert_shared(std::span<const digest> keys) = 0;
    virtual std::uint64_t may_contain(std::span<const digest> keys,
                                      std::span<bool> answers) const = 0;
    virtual void merge(const model& other) = 0;
    virtual void intersect(const model& other) = 0;
    [[nodiscard]] virtual std::unique_ptr<model> folded(std::uint64_t factor) const = 0;
    [[nodiscard]] virtual double fill() const = 0;
    [[nodiscard]] virtual double current_rate() const = 0;
    [[nodiscard]] virtual math::estimate estimated_keys(double confidence) const = 0;
    [[nodiscard]] virtual math::overlap estimated_overlap(const model& other,
                                                          double confidence) const = 0;
  };

  explicit any_filter(std::unique_ptr<model> held) : model_(std::move(held)) {}

  [[nodiscard]] const kind_entry& kind() const { return model_->kind(); }
  [[nodiscard]] std::vector<field_value> shape() const { return model_->shape(); }
  [[nodiscard]] filter_record record() const { return model_->record(); }
  [[nodiscard]] std::vector<byte_view> payload() const { return model_->payload(); }
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] any_filter copy() const { return any_filter(model_->copy()); }  // owned

  std::uint64_t insert(std::span<const digest> keys) { return model_->insert(keys); }
  std::uint64_t insert_shared(std::span<const digest> keys) { return model_->insert_shared(keys); }
  std::uint64_t may_contain(std::span<const digest> keys, std::span<bool> answers) const {
    return model_->may_contain(keys, answers);
  }

  void merge(const any_filter& other) { model_->merge(*other.model_); }
  void intersect(const any_filter& other) { model_->intersect(*other.model_); }
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

 private:
  std::unique_ptr<model> model_;
};

// Stored forms. Opening maps the file and copies nothing; call copy() to change the filter.
std::vector<std::byte> save(const any_filter& filter);
void save_file(const any_filter& filter, const std::string& path);
any_filter load(byte_view file, const wire::load_options& options = {});  // owned
any_filter open_file(const std::string& path, const wire::load_options& options = {});

}  // namespace bloomery
