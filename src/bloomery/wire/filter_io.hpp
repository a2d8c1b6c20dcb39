// Filters to bytes and back, by type; `any/` does the same by name.
//
// Purpose:   save a filter, load it owned, or view it in place. Compressed files load like others.
// Cost:      one pass for the checksum; view copies nothing.
// Guarantee: what load and view accept is a valid filter; all else throws, and nothing half-loaded
//            escapes.
//
//     auto filter = bloomery::standard_filter::for_keys(100, 0.01);
//     filter.insert({1, 2});
//     const std::vector<std::byte> bytes = bloomery::wire::save(filter);
//     const auto again = bloomery::wire::load<bloomery::standard_filter>(bytes);
//     assert(again.may_contain({1, 2}) && again.record().items == 1);
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/wire/envelope.hpp"
#include "bloomery/wire/stored.hpp"

namespace bloomery::wire {

inline storage copied(byte_view payload) {
  return joined(std::array{payload});
}

template <filter_type F>
envelope envelope_of(const F& filter) {
  return make_envelope(F::kind.name, filter.record(), values_of(filter.shape()));
}

template <filter_type F>
std::vector<std::byte> save(const F& filter) {
  return save(envelope_of(filter), filter.payload());
}

template <filter_type F>
void save_file(const F& filter, const std::string& path) {
  save_file(envelope_of(filter), filter.payload(), path);
}

// The stored shape. A value out of range is the file's fault here, not the caller's.
template <class Shape>
Shape stored_shape(std::span<const field_value> values) {
  try {
    return shape_from<Shape>(values);
  } catch (const error& problem) {
    if (problem.code() != errc::invalid) throw;
    fail(errc::corrupt, std::string("the stored shape is impossible: ") + problem.what());
  }
}

// The filter of a header and its payload, owned or viewed. Throws unless they fit each other.
template <filter_type F>
F restore(const envelope& head, storage payload) {
  if (head.kind != F::kind.name) {
    fail(errc::incompatible,
         "the kind of this filter is " + head.kind + ", not " + std::string(F::kind.name));
  }
  const auto values = stated_shape(head, field_infos<typename F::shape_type>());
  return F::restore(stored_shape<typename F::shape_type>(values), head.record, std::move(payload));
}

// `file` must start at a multiple of 8 and outlive the filter, unless `owner` keeps it or it is
// compressed: then, and only then, the cells are a copy.
template <filter_type F>
F view(byte_view file, std::shared_ptr<const void> owner = nullptr,
       const load_options& options = {}) {
  stored_filter stored = view_stored(file, std::move(owner), options);
  return restore<F>(stored.head, std::move(stored.payload));
}

// `file` may start anywhere: the payload is copied, and the filter can change.
template <filter_type F>
F load(byte_view file, const load_options& options = {}) {
  stored_filter stored = load_stored(file, options);
  return restore<F>(stored.head, std::move(stored.payload));
}

// open_file maps a plain file and cannot be changed; load_file copies it.
template <filter_type F>
F open_file(const std::string& path, const load_options& options = {}) {
  return open_stored(path, options, [](stored_filter stored) {
    return restore<F>(stored.head, std::move(stored.payload));
  });
}
template <filter_type F>
F load_file(const std::string& path, const load_options& options = {}) {
  return open_file<F>(path, options).copy();
}

}  // namespace bloomery::wire
