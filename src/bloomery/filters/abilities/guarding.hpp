// Guarding: keys read as texts under a secret, without which the filter tells nothing of them.
//
// The secret is kept apart from the filter, which knows it by a fingerprint in its record from the
// first text on; any other throws errc::incompatible and changes nothing. Cells have `secret_type`
// (generate, load, save, identity), `insert(secret, text)`, `contains(secret, text)` and
// `static plan_guarded(keys, rate, secret)`. Sealing hides how many texts there are.
//
//     using bloomery::encrypted_filter;
//     const auto key = encrypted_filter::secret_type::generate();
//     auto filter = encrypted_filter::for_keys(100, 0.01);
//     assert(filter.insert_text(key, "zebra") && filter.may_contain_text(key, "zebra"));
//     assert(!filter.may_contain_text(key, "qzxvj"));
#pragma once

#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/filters/abilities/planning.hpp"
#include "bloomery/filters/ability.hpp"
#include "bloomery/filters/shape_checks.hpp"

namespace bloomery {

namespace detail {
template <class C, class Clue>
concept takes_clue = requires(const C cells, const Clue& clue) {
  cells.contains(clue);
};
// Concepts, since types that cells need not have are no error in these.
template <class C>
concept guards_texts = requires(C cells, const C asked, const typename C::secret_type secret,
                                byte_view stored, std::string_view text, std::uint64_t keys,
                                double rate) {
  { C::secret_type::generate() } -> std::same_as<typename C::secret_type>;
  { C::secret_type::load(stored) } -> std::same_as<typename C::secret_type>;
  { secret.save() } -> std::convertible_to<byte_view>;
  { cells.insert(secret, text) } -> std::same_as<bool>;
  { asked.contains(secret, text) } -> std::same_as<bool>;
  { C::plan_guarded(keys, rate, secret) } -> std::same_as<typename C::shape>;
};
template <class C>
concept seals_texts = requires(C cells, const C asked, const typename C::secret_type secret,
                               std::uint64_t n) {
  cells.seal(secret, n);
  cells.require_room(n);
  { asked.sealed() } -> std::same_as<bool>;
  requires has_capacity::of<C>;
  { C::most_texts(n) } -> std::same_as<std::uint64_t>;
};
}  // namespace detail

struct guards : ability<guards> {
  static constexpr std::string_view name = "guard";
  static constexpr std::string_view refusal = "keep keys secret";
  template <class C>
  static constexpr bool of = detail::guards_texts<C>;

  template <class F, class C>
  struct typed {
    using secret_type = typename C::secret_type;

    // What the number of keys leaves open follows from the secret, or is drawn at random.
    static typename C::shape plan_guarded(std::uint64_t keys, double rate,
                                          const secret_type& secret) {
      return C::plan_guarded(keys, detail::rate_to_plan(rate), secret);
    }
    // True if it was new to the filter. errc::limit, and nothing changed, when a bounded one is full.
    bool insert_text(const secret_type& secret, std::string_view text) {
      F& self = static_cast<F&>(*this);
      C& cells = self.cells_for_writing();
      require_secret(secret);
      if constexpr (requires { cells.require_room(self.record().items); }) {
        cells.require_room(self.record().items);
      }
      const bool fresh = cells.insert(secret, text);
      self.changed_record().hash = secret.identity();
      ++self.changed_record().items;
      return fresh;
    }
    [[nodiscard]] bool may_contain_text(const secret_type& secret, std::string_view text) const {
      const F& self = static_cast<const F&>(*this);
      if (self.record().items == 0) return false;
      require_secret(secret);
      return self.cells().contains(secret, text);
    }
    // The same for one who has no secret, but a clue from one who has.
    template <class Clue>
    [[nodiscard]] bool may_match(const Clue& clue) const requires detail::takes_clue<C, Clue> {
      if constexpr (requires { clue.identity(); }) require_secret(clue);
      return static_cast<const F&>(*this).cells().contains(clue);
    }

    // Throws errc::incompatible unless the filter was filled under this secret, or is empty.
    template <class Known>
    void require_secret(const Known& known) const {
      const filter_record record = static_cast<const F&>(*this).record();
      if (record.items != 0) require_same_hash(record.hash, known.identity());
    }
  };

  // Under a secret as stored. Returns how many texts were new.
  virtual std::uint64_t insert_texts(byte_view secret, std::span<const std::string_view> texts) = 0;
  virtual std::uint64_t may_contain_texts(byte_view secret, std::span<const std::string_view> texts,
                                          std::span<bool> answers) const = 0;

  template <class Held, class C>
  struct on : methods<Held, C, guards> {
    std::uint64_t insert_texts(byte_view secret, std::span<const std::string_view> texts) override {
      auto& filter = filter_in<Held>(*this);
      const auto key = C::secret_type::load(secret);
      std::uint64_t fresh = 0;
      for (const std::string_view text : texts) {
        fresh += std::uint64_t{filter.insert_text(key, text)};
      }
      return fresh;
    }
    std::uint64_t may_contain_texts(byte_view secret, std::span<const std::string_view> texts,
                                    std::span<bool> answers) const override {
      detail::require_as_many(texts.size(), answers.size());
      auto& filter = filter_in<Held>(*this);
      const auto key = C::secret_type::load(secret);
      std::uint64_t hits = 0;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        answers[i] = filter.may_contain_text(key, texts[i]);
        hits += std::uint64_t{answers[i]};
      }
      return hits;
    }
  };

  struct of_kind : ability<guards>::of_kind {
    [[nodiscard]] virtual shape_values plan_guarded(std::uint64_t keys, double rate,
                                                    byte_view secret) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] shape_values plan_guarded(std::uint64_t keys, double rate,
                                            byte_view secret) const override {
      using filter = typename K::filter;
      return values_of(filter::plan_guarded(keys, rate, filter::secret_type::load(secret)));
    }
  };
};

// Hides how many texts it holds, told how many of them differ, and takes no more.
struct seals : ability<seals> {
  static constexpr std::string_view name = "seal";
  static constexpr std::string_view refusal = "be sealed";
  template <class C>
  static constexpr bool of = detail::seals_texts<C>;

  template <class F, class C>
  struct typed {
    // `distinct` of the texts inserted were different. Done once, and last.
    void seal(const typename C::secret_type& secret, std::uint64_t distinct) {
      F& self = static_cast<F&>(*this);
      C& cells = self.cells_for_writing();
      self.require_secret(secret);
      if (cells.sealed()) fail(errc::limit, "the filter is sealed already");
      filter_record& record = self.changed_record();
      if (distinct > record.items) {
        fail(errc::invalid, "distinct is " + std::to_string(distinct) + "; allowed: 0 to the " +
                                std::to_string(record.items) + " texts inserted");
      }
      cells.seal(secret, distinct);
      record.hash = secret.identity();
      record.items = C::capacity(self.shape());
    }
    [[nodiscard]] bool sealed() const { return static_cast<const F&>(*this).cells().sealed(); }
  };

  virtual void seal(byte_view secret, std::uint64_t distinct) = 0;

  template <class Held, class C>
  struct on : methods<Held, C, seals> {
    void seal(byte_view secret, std::uint64_t distinct) override {
      filter_in<Held>(*this).seal(C::secret_type::load(secret), distinct);
    }
  };

  struct of_kind : ability<seals>::of_kind {
    // The most texts that a document of this length can have: what it is sized for, since their
    // number is what it hides.
    [[nodiscard]] virtual std::uint64_t most_texts(std::uint64_t bytes) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] std::uint64_t most_texts(std::uint64_t bytes) const override {
      return K::cells::most_texts(bytes);
    }
  };
};

}  // namespace bloomery
