// That no copy of a secret is left in memory that is given back: every `delete` of this program looks.
#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "bloomery/any/any_bloom.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/any/secure_kinds.hpp"
#include "secrets.hpp"
#include "testing.hpp"

#ifndef BLOOMERY_SANITIZED  // sanitizers have operators of their own
namespace {

thread_local bloomery::byte_view looked_for;
thread_local int left_behind = 0;

}  // namespace

void* operator new(std::size_t size) {
  if (void* const made = std::malloc(size)) return made;  // NOLINT(*-no-malloc)
  throw std::bad_alloc();
}
void operator delete(void* at) noexcept {
  if (at != nullptr && !looked_for.empty() &&
      ::memmem(at, ::malloc_usable_size(at), looked_for.data(), looked_for.size()) != nullptr) {
    ++left_behind;
  }
  std::free(at);  // NOLINT(*-no-malloc)
}
void operator delete(void* at, std::size_t /*size*/) noexcept {
  operator delete(at);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* const made = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return made;
  throw std::bad_alloc();
}
void operator delete(void* at, std::align_val_t /*alignment*/) noexcept {
  operator delete(at);
}
void operator delete(void* at, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  operator delete(at);
}

namespace bloomery::testing {
namespace {

// How often a secret was found in what was given back while `work` ran.
template <class Work>
int copies_left(byte_view secret, const Work& work) {
  left_behind = 0;
  looked_for = secret;
  work();
  looked_for = {};
  return left_behind;
}

TEST(secrets, that_are_not_wiped_are_seen) {
  const std::vector<std::byte> secret(32, std::byte{0x5a});
  EXPECT_EQ(copies_left(secret, [&] { const std::vector<std::byte> copy(secret); }), 1);
}

TEST(secrets, of_filters_of_any_kind_are_wiped) {
  const secure::secret_bytes secret = fixed_index_secret(0x5a).save();
  const std::vector<std::byte> inside(16, std::byte{0x5a});
  register_secure_kinds();
  const any_filter guarded = find_kind("secure-index").for_keys(10, 0.01);
  EXPECT_EQ(copies_left(inside,
                        [&] {
                          any_bloom one(guarded, byte_view(secret));
                          any_bloom copy = one;
                          copy = one;
                          const any_bloom moved = std::move(one);
                        }),
            0);
}

TEST(secrets, of_hashes_are_wiped) {
  const std::vector<std::byte> drawn(universal_hash::secret_bytes, std::byte{0x5a});
  EXPECT_EQ(copies_left(byte_view(drawn).first(64), [&] { const universal_hash hash(drawn); }), 0);
  const byte_view secret = byte_view(drawn).first(keyed_hash::secret_bytes);
  const auto keyed = [&] { return std::make_unique<hasher>(keyed_hash(secret)); };
  EXPECT_EQ(copies_left(secret, [&] { const auto hash = keyed(); }), 0);
  const any_filter plain = find_kind("standard").for_keys(10, 0.01, keyed_hash(secret).identity());
  EXPECT_EQ(copies_left(secret, [&] { const auto f = std::make_unique<any_bloom>(plain, secret); }),
            0);
}

}  // namespace
}  // namespace bloomery::testing

#endif
