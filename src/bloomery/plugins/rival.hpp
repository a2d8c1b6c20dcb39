// Classes of filters as contestants of `bloomery bench --rival FILE.so`.
//
// Purpose:   makes the table of bloomery/plugins/rival.h of a class, from whichever of these it has:
//   Filter(keys, rate)            made empty, for std::uint64_t keys and a rate of double
//   bytes()
//   insert(key), contains(key), remove(key)
//   insert_batch(keys, count), contains_batch(keys, count), remove_batch(keys, count)
//   Filter::build(keys, count, rate, threads)     gives a Filter* of its own, or null
//   insert_text(text), contains_text(text)        of std::string_view
//   insert_texts(texts, count), contains_texts(texts, count)
//            Those that look for batches and those that remove say how many.
// Cost:      one call through the table for many keys; operations on one key are inlined into its loop.
// Guarantee: every key is handed over once, in order.
//
//     struct sorted {
//       sorted(std::uint64_t, double) {}
//       std::uint64_t bytes() const { return 40 * all.size(); }
//       void insert(std::uint64_t key) { all.insert(key); }
//       bool contains(std::uint64_t key) const { return all.contains(key); }
//       std::set<std::uint64_t> all;
//     };
//     BLOOMERY_RIVALS(bloomery::rival_of<sorted>("std::set"))
#pragma once

#include <new>
#include <string_view>

#include "bloomery/plugins/rival.h"

namespace bloomery {

namespace detail {

template <class F>
struct rival_functions {
  using key = std::uint64_t;
  using text = bloomery_rival_text;

  static F& at(void* filter) { return *static_cast<F*>(filter); }
  static const F& at(const void* filter) { return *static_cast<const F*>(filter); }
  static std::string_view view(const text& key) { return {key.bytes, key.size}; }

  static void* make(std::uint64_t keys, double rate) { return new (std::nothrow) F(keys, rate); }
  static void drop(void* filter) { delete static_cast<F*>(filter); }
  static std::uint64_t bytes(const void* filter) { return at(filter).bytes(); }

  static void insert(void* filter, const key* keys, std::size_t count) {
    F& self = at(filter);
    for (std::size_t i = 0; i < count; ++i) self.insert(keys[i]);
  }
  static void insert_batch(void* filter, const key* keys, std::size_t count) {
    at(filter).insert_batch(keys, count);
  }
  static std::uint64_t find(const void* filter, const key* keys, std::size_t count) {
    const F& self = at(filter);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < count; ++i) found += std::uint64_t{self.contains(keys[i])};
    return found;
  }
  static std::uint64_t find_batch(const void* filter, const key* keys, std::size_t count) {
    return at(filter).contains_batch(keys, count);
  }
  static std::uint64_t find_dependent(const void* filter, const key* keys, std::size_t count,
                                      std::uint64_t zero) {
    const F& self = at(filter);
    std::uint64_t found = 0;
    std::uint64_t after = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool answer = self.contains(keys[i] ^ after);
      after = bloomery_rival_after(std::uint64_t{answer}, zero);
      found += std::uint64_t{answer};
    }
    return found;
  }
  static std::uint64_t remove(void* filter, const key* keys, std::size_t count) {
    F& self = at(filter);
    std::uint64_t removed = 0;
    for (std::size_t i = 0; i < count; ++i) removed += std::uint64_t{self.remove(keys[i])};
    return removed;
  }
  static std::uint64_t remove_batch(void* filter, const key* keys, std::size_t count) {
    return at(filter).remove_batch(keys, count);
  }
  static void* build(const key* keys, std::size_t count, double rate, unsigned threads) {
    return F::build(keys, count, rate, threads);
  }
  static void insert_texts(void* filter, const text* keys, std::size_t count) {
    F& self = at(filter);
    for (std::size_t i = 0; i < count; ++i) self.insert_text(view(keys[i]));
  }
  static void insert_texts_batch(void* filter, const text* keys, std::size_t count) {
    at(filter).insert_texts(keys, count);
  }
  static std::uint64_t find_texts(const void* filter, const text* keys, std::size_t count) {
    const F& self = at(filter);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      found += std::uint64_t{self.contains_text(view(keys[i]))};
    }
    return found;
  }
  static std::uint64_t find_texts_batch(const void* filter, const text* keys, std::size_t count) {
    return at(filter).contains_texts(keys, count);
  }
};

}  // namespace detail

template <class F>
bloomery_rival rival_of(const char* name, std::uint64_t most_keys = 0) {
  using all = detail::rival_functions<F>;
  constexpr std::uint64_t key = 0;
  constexpr std::size_t count = 0;
  const std::uint64_t* const keys = nullptr;
  const bloomery_rival_text* const texts = nullptr;
  bloomery_rival made{};
  made.table_bytes = sizeof made;
  made.name = name;
  made.most_keys = most_keys;
  made.drop = all::drop;
  made.bytes = all::bytes;
  if constexpr (requires { F(key, 0.5); }) made.make = all::make;
  if constexpr (requires(F f) { f.insert(key); }) made.insert = all::insert;
  if constexpr (requires(F f) { f.insert_batch(keys, count); }) {
    made.insert_batch = all::insert_batch;
  }
  if constexpr (requires(const F f) { f.contains(key); }) {
    made.find = all::find;
    made.find_dependent = all::find_dependent;
  }
  if constexpr (requires(const F f) { f.contains_batch(keys, count); }) {
    made.find_batch = all::find_batch;
  }
  if constexpr (requires(F f) { f.remove(key); }) made.remove = all::remove;
  if constexpr (requires(F f) { f.remove_batch(keys, count); }) {
    made.remove_batch = all::remove_batch;
  }
  if constexpr (requires { F::build(keys, count, 0.5, 1U); }) made.build = all::build;
  if constexpr (requires(F f) { f.insert_text(std::string_view()); }) {
    made.insert_texts = all::insert_texts;
  }
  if constexpr (requires(F f) { f.insert_texts(texts, count); }) {
    made.insert_texts_batch = all::insert_texts_batch;
  }
  if constexpr (requires(const F f) { f.contains_text(std::string_view()); }) {
    made.find_texts = all::find_texts;
  }
  if constexpr (requires(const F f) { f.contains_texts(texts, count); }) {
    made.find_texts_batch = all::find_texts_batch;
  }
  return made;
}

}  // namespace bloomery

// The plug-in's one function, with these contestants.
#define BLOOMERY_RIVALS(...)                                                            \
  extern "C" const bloomery_rival* bloomery_rivals(unsigned interface, size_t* count) { \
    static const bloomery_rival all[] = {__VA_ARGS__};                                  \
    *count = sizeof all / sizeof all[0];                                                \
    return interface == BLOOMERY_RIVAL_INTERFACE ? all : nullptr;                       \
  }
