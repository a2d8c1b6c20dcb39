// Filters to bytes and back, by type; `any/` does the same by name.
//
// Purpose:   save a filter, load it owned, or view or map it in place. Compressed files load like others.
// Cost:      one pass for the checksum; view and map_file copy nothing.
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
  return make_envelope(F::kind.name, filter.record(), field_infos<typename F::shape_type>(),
                       values_of(filter.shape()));
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

// The shape of a filter of this type; errc::incompatible if the header is of another kind.
template <filter_type F>
typename F::shape_type shape_in(const envelope& head) {
  if (head.kind != F::kind.name) {
    fail(errc::incompatible,
         "the kind of this filter is " + head.kind + ", not " + std::string(F::kind.name));
  }
  return stored_shape<typename F::shape_type>(
      stated_shape(head, field_infos<typename F::shape_type>()));
}

// The filter of a header and its payload, owned or viewed. Throws unless they fit each other.
template <filter_type F>
F restore(const envelope& head, storage payload) {
  return F::restore(shape_in<F>(head), head.record, std::move(payload));
}

// Of a compressed file, before it is expanded: its kind, and a size that its shape justifies.
template <filter_type F>
void require_sizes(const envelope& head, const coded_sizes& sizes) {
  require_justified(F::payload_bytes(shape_in<F>(head)), sizes);
}

// `file` must start at a multiple of 8 and outlive the filter, unless `owner` keeps it or it is
// compressed: then, and only then, the cells are a copy.
template <filter_type F>
F view(byte_view file, std::shared_ptr<const void> owner = nullptr,
       const load_options& options = {}) {
  stored_filter stored = view_stored(file, std::move(owner), options, require_sizes<F>);
  return restore<F>(stored.head, std::move(stored.payload));
}

// `file` may start anywhere: the payload is copied, and the filter can change.
template <filter_type F>
F load(byte_view file, const load_options& options = {}) {
  stored_filter stored = load_stored(file, options, require_sizes<F>);
  return restore<F>(stored.head, std::move(stored.payload));
}

// load_file reads the file into memory of its own, so that it can change, and nothing that happens to the
// file matters. map_file copies nothing of a plain file of a kind that takes keys from several threads at
// once, whose cells are safe whatever they hold; other kinds it reads. What it maps cannot be changed, and
// follows what others write to the file; if that is truncated, asking ends the program (SIGBUS).
template <filter_type F>
F load_file(const std::string& path, const load_options& options = {}) {
  stored_filter stored = read_stored(path, options, require_sizes<F>);
  return naming(path, [&] { return restore<F>(stored.head, std::move(stored.payload)); });
}
template <filter_type F>
F map_file(const std::string& path, const load_options& options = {}) {
  stored_filter stored = map_stored(path, options, require_sizes<F>, [](std::string_view) {
    return lists<shares, typename F::abilities>;
  });
  return naming(path, [&] { return restore<F>(stored.head, std::move(stored.payload)); });
}

}  // namespace bloomery::wire
