#include "bloomery/any/any_bloom.hpp"

#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/filters/any_kind.hpp"
#include "bloomery/wire/stored.hpp"

namespace bloomery {

any_bloom::any_bloom(any_filter filter, std::optional<byte_view> secret)
    : filter_(std::move(filter)) {
  if (secret) secret_.assign(secret->begin(), secret->end());
  if (filter_.can<guards>() == nullptr) {
    hash_ = hasher::for_identity(filter_.record().hash, secret);
  } else if (!secret) {
    fail(errc::incompatible, "the keys of this filter are kept under a secret, which is needed");
  }
}

digest any_bloom::digest_by(std::string_view key) const {
  if (!hash_) refuse(filter_.kind().info.name, "be asked by a digest: its keys are kept secret");
  return (*hash_)(key);
}

bool any_bloom::may_contain_key(std::string_view key) const {
  if (const auto* texts = filter_.can<reads_texts>()) return texts->may_contain_text(key, &*hash_);
  if (const auto* guarded = filter_.can<guards>()) {
    bool answer = false;
    return guarded->may_contain_texts(secret_, {&key, 1}, {&answer, 1}) != 0;
  }
  return filter_.as<asks>().may_contain(digest_by(key));
}

bool any_bloom::insert_key(std::string_view key) {
  if (auto* texts = filter_.can<reads_texts>()) return texts->insert_text(key, 0, &*hash_);
  if (auto* guarded = filter_.can<guards>()) {
    return guarded->insert_texts(secret_, {&key, 1}) != 0;
  }
  return filter_.as<inserts>().insert(digest_by(key));
}

any_bloom open(const std::string& path, std::optional<byte_view> secret,
               const wire::load_options& options) {
  any_filter filter = load_file(path, options);
  return wire::naming(path, [&] { return any_bloom(std::move(filter), secret); });
}

any_bloom map(const std::string& path, std::optional<byte_view> secret,
              const wire::load_options& options) {
  any_filter filter = map_file(path, options);
  return wire::naming(path, [&] { return any_bloom(std::move(filter), secret); });
}

void save(const any_bloom& filter, const std::string& path) {
  save_file(filter.filter(), path);
}

}  // namespace bloomery
