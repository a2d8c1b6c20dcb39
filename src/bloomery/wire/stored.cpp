#include "bloomery/wire/stored.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "bloomery/core/limits.hpp"
#include "bloomery/wire/journal.hpp"

namespace bloomery::wire {
namespace {

// The header's share is far below a megabyte; the envelope checks exactly.
constexpr std::uint64_t header_room = 1 << 20;

load_options for_copies(load_options options) {
  options.max_payload_bytes = options.most_copied();
  return options;
}

// A file that is whole, in memory of its own.
bits::file_contents settled(byte_view file, const file_tail& tail) {
  bits::file_contents contents{joined(std::array{file.first(tail.base)}), tail.base};
  redo(tail, contents.memory.bytes_for_writing().first(tail.base));
  return contents;
}

// What follows the length that a file states; nothing follows if it is no filter.
file_tail tail_of(byte_view file) {
  const std::uint64_t stated = stated_bytes(file);
  if (stated == 0 || file.size() <= stated) return {};
  return judge_tail(file.subspan(stated), stated);
}

// The same, of what has been read of a file, which goes on after it; `tail` keeps it.
file_tail tail_of(const bits::readable_file& file, std::uint64_t stated,
                  std::vector<std::byte>& tail) {
  const auto read_up_to = [&](std::uint64_t bytes) {
    if (tail.size() >= bytes) return;
    const std::vector<std::byte> more = bits::read_on(file, bytes - tail.size());
    tail.insert(tail.end(), more.begin(), more.end());
  };
  read_up_to(journal_head_bytes);
  read_up_to(stated_journal(tail, stated) + 1);
  return judge_tail(tail, stated);
}

// A file as it is without the journal that may follow it.
bits::file_contents read_settled(const bits::readable_file& file, const load_options& options) {
  bits::file_contents contents =
      bits::read_all(file, options.most_copied() + header_room, stated_bytes);
  const std::uint64_t stated = stated_bytes(contents.bytes());
  if (stated == 0 || contents.size <= stated) return contents;
  const byte_view begun = contents.bytes().subspan(stated);
  std::vector<std::byte> tail(begun.begin(), begun.end());
  const file_tail found = tail_of(file, stated, tail);
  if (found.what == file_tail::strange) return contents;  // which is too long
  contents.size = stated;
  redo(found, contents.memory.bytes_for_writing().first(stated));
  return contents;
}

// What `attempt` makes of a file, which another process may write to meanwhile (in_place.hpp). Then it sees
// parts of two versions, which a checksum betrays, and is made again: with writers kept out, or, if one
// has the file locked, until it succeeds or nothing has changed from one attempt to the end of the next.
template <class Attempt>
auto undisturbed(const std::string& path, Attempt attempt) {
  const bits::readable_file file(path);
  std::optional<std::array<std::int64_t, 3>> failed;
  while (true) {
    const bool alone = failed && file.keep_writers_out();
    const auto before = file.state();
    try {
      return naming(path, [&] { return attempt(file); });
    } catch (const error& problem) {
      if (problem.code() != errc::corrupt || !file.regular() || alone || failed == file.state()) {
        throw;
      }
    }
    failed = before;
    file.go_to(0);
  }
}

// What keep(payload) makes of a plain payload; a compressed one is expanded.
template <class Keep>
stored_filter stored_in(byte_view file, const load_options& options, const size_check& check,
                        Keep keep) {
  opened_envelope opened = open_envelope(file, options);
  if (opened.head.kind == compressed_form) return expand(opened, options, check);
  if (opened.head.kind == delta_form) {
    fail(errc::unsupported, "this is a delta, to be applied to the filter it was made from");
  }
  return {std::move(opened.head), keep(opened.payload)};
}

stored_filter own_stored(bits::file_contents file, const load_options& options,
                         const size_check& check) {
  const byte_view whole = file.bytes();
  return stored_in(whole, for_copies(options), check, [&](byte_view payload) {
    (void)file.memory.take_front(static_cast<std::uint64_t>(payload.data() - whole.data()));
    return file.memory.take_front(payload.size());
  });
}

}  // namespace

stored_filter load_stored(byte_view file, const load_options& options, const size_check& check) {
  const file_tail tail = tail_of(file);
  // What is over the limit is refused by its header, and not copied.
  const bool limited = tail.base > options.most_copied() + header_room;
  if (tail.what == file_tail::journal && !limited) {
    return own_stored(settled(file, tail), options, check);
  }
  if (tail.what != file_tail::strange && tail.base != 0) file = file.first(tail.base);
  return stored_in(file, for_copies(options), check,
                   [](byte_view payload) { return joined(std::array{payload}); });
}

stored_filter view_stored(byte_view file, std::shared_ptr<const void> owner,
                          const load_options& options, const size_check& check) {
  const file_tail tail = tail_of(file);
  if (tail.what == file_tail::journal) {
    fail(errc::unsupported,
         "a change follows this filter that is not in it yet; load it, to have both");
  }
  if (tail.what == file_tail::nothing && tail.base != 0) file = file.first(tail.base);
  return stored_in(file, options, check,
                   [&](byte_view payload) { return storage::view(payload, std::move(owner)); });
}

std::vector<field_value> stated_shape(const envelope& head, std::span<const field_info> fields) {
  try {
    return decode_shape(fields, head.fields);
  } catch (const error& problem) {
    fail(problem.code(), a_filter(head.kind) + ": " + problem.what());
  }
}

bits::file_contents read_bytes(const std::string& path, const load_options& options) {
  return naming(path, [&] { return read_settled(bits::readable_file(path), options); });
}

stored_filter read_stored(const std::string& path, const load_options& options,
                          const size_check& check) {
  return undisturbed(path, [&](const bits::readable_file& file) {
    return own_stored(read_settled(file, options), options, check);
  });
}

stored_filter map_stored(const std::string& path, const load_options& options,
                         const size_check& check, kind_check mappable) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return read_stored(path, options, check);
  constexpr std::uint64_t start_bytes = 1 << 12;
  load_options unread = options;
  unread.verify_payload = false;
  return undisturbed(path, [&](const bits::readable_file& file) {
    const std::uint64_t stated = stated_bytes(bits::read_on(file, start_bytes));
    std::vector<std::byte> tail;
    file.go_to(stated);
    const file_tail found = tail_of(file, stated, tail);
    // Its tail may be gone, or there, at any moment: that is not mapped.
    const bool whole = found.what != file_tail::strange && stated != 0;
    const bits::mapped_file mapped =
        bits::map_start(file, whole ? std::min(stated, file.size()) : file.size());
    const std::string kind = open_envelope(mapped.bytes, unread).head.kind;
    if (found.what != file_tail::journal && kind != compressed_form && kind != delta_form &&
        mappable(kind)) {
      return view_stored(mapped.bytes, mapped.owner, options, check);
    }
    file.go_to(0);
    return own_stored(read_settled(file, options), options, check);
  });
}

}  // namespace bloomery::wire
