// A filter of any kind with its hash: what open(path) gives.
//
// Purpose:   ask, and where the kind can, change a stored filter by its keys, without knowing its kind.
// Cost:      opening reads the file into memory of its own; a batch pays one indirect call.
// Guarantee: the file says which hash its keys were given under; a keyed file needs its secret, of which
//            the copies kept here are wiped before their memory is given back. What
//            the kind cannot do throws errc::unsupported. What was opened has nothing more to do with the
//            file. map() is for one too large to copy: it cannot be changed (errc::read_only), follows what
//            others write to it, and ends the program if it is truncated. It maps the kinds that take keys
//            from several threads, whose cells are safe whatever they hold, and opens others.
//
//     bloomery::bloom<bloomery::counting_filter> made(100, 0.01);
//     made.insert("zebra");
//     bloomery::save(made, "visits.bloom");
//     bloomery::any_bloom visits = bloomery::open("visits.bloom");
//     assert(visits.may_contain("zebra") && visits.count("zebra") == 1);
//     visits.insert("yak");
//     bloomery::save(visits, "visits.bloom");
//     assert(bloomery::open("visits.bloom").may_contain("yak"));
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any/stored.hpp"
#include "bloomery/core/wiped.hpp"
#include "bloomery/filters/bloom.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery {

class any_bloom : public detail::keyed_methods<any_bloom, all_abilities> {
  using keyed = detail::keyed_methods<any_bloom, all_abilities>;

 public:
  // errc::incompatible if the filter's hash is keyed and `secret` is missing or another.
  explicit any_bloom(any_filter filter, std::optional<byte_view> secret = {});

  // Also of kinds that read texts, or keep keys under the secret.
  [[nodiscard]] bool may_contain(const auto& key) const {
    if constexpr (is_text<decltype(key)>) {
      return may_contain_key(key);
    } else {
      return keyed::may_contain(key);
    }
  }
  using keyed::may_contain;
  auto insert(const auto& key) {
    if constexpr (is_text<decltype(key)>) {
      return insert_key(key);
    } else {
      return keyed::insert(key);
    }
  }

  [[nodiscard]] any_filter& filter() { return filter_; }
  [[nodiscard]] const any_filter& filter() const { return filter_; }
  [[nodiscard]] any_bloom copy() const { return *this; }  // owned

  // For the abilities' methods.
  template <class Ability>
  [[nodiscard]] Ability& able_to() {
    return filter_.as<Ability>();
  }
  template <class Ability>
  [[nodiscard]] const Ability& able_to() const {
    return filter_.as<Ability>();
  }
  template <class Key>
  static constexpr bool is_key =
      std::integral<Key> || std::convertible_to<const Key&, std::string_view>;
  [[nodiscard]] digest digest_of(std::string_view key) const { return digest_by(key); }
  [[nodiscard]] digest digest_of(std::integral auto key) const {
    return digest_by(std::to_string(key));
  }
  template <class Ability, class Keys, class Act>
  void in_batches(const Keys& keys, Act act) const {
    detail::in_groups(
        keys, [&](const auto& key) { return digest_of(key); }, act);
  }

 private:
  template <class Key>
  static constexpr bool is_text = std::convertible_to<Key, std::string_view>;
  [[nodiscard]] bool may_contain_key(std::string_view key) const;
  bool insert_key(std::string_view key);
  [[nodiscard]] digest digest_by(std::string_view key) const;

  any_filter filter_;
  core::wiped_bytes secret_;
  std::optional<hasher> hash_;  // none where the kind has its own
};

any_bloom open(const std::string& path, std::optional<byte_view> secret = {},
               const wire::load_options& options = {});
any_bloom map(const std::string& path, std::optional<byte_view> secret = {},
              const wire::load_options& options = {});
void save(const any_bloom& filter, const std::string& path);

}  // namespace bloomery
