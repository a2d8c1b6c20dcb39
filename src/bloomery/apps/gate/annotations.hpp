// Annotated pages: a reader asks the server of annotations only for pages that may have one.
//
// Purpose:   `annotated_pages` is the server's: the annotations, a filter of their URLs, and what changed in it since
//            versions that readers may still have. `annotation_gate` is a reader's: the filter as it was last
//            downloaded, whole or as a delta, before every question to the server.
// Cost:      a filter of the promised rate, with room for as many pages again, so that a delta can follow; when that
//            is used up it is made anew. The server keeps the latest versions, a filter each.
// Guarantee: a page that was annotated when the filter was downloaded is always asked for. Of the others a share of
//            current_rate() is. What is downloaded is hostile: filters that claim too much, of another hash, or deltas to
//            another version, are refused and change nothing.
// Citation:  Marais, Bharat 1997 (Vistabar); Broder–Mitzenmacher §5.
//
//     bloomery::apps::annotated_pages server({{"http://a/", "worth it"}}, 0.01);
//     bloomery::apps::annotation_gate reader;
//     reader.take_whole(server.whole());
//     assert(reader.version() == server.version() && reader.may_be_annotated("http://a/"));
//     assert(*server.find("http://a/") == "worth it" && server.find("http://b/") == nullptr);
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/hasher.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::apps {

class annotated_pages {
 public:
  using notes = std::map<std::string, std::string, std::less<>>;

  annotated_pages(notes annotations, double rate, std::size_t versions_kept = 8);

  // Other annotations from now on; readers of the versions that are kept can have a delta.
  void replace(notes annotations);

  [[nodiscard]] const std::string* find(std::string_view url) const;
  [[nodiscard]] std::size_t size() const { return notes_.size(); }
  // The fingerprint of the filter: who has the same has the same filter.
  [[nodiscard]] const std::string& version() const { return versions_.back().name; }
  [[nodiscard]] std::vector<std::byte> whole() const;  // compressed
  // None if that version is not kept, or its filter is of another size.
  [[nodiscard]] std::optional<std::vector<std::byte>> changes_since(std::string_view version) const;
  [[nodiscard]] const standard_filter& filter() const { return versions_.back().filter; }

 private:
  struct kept_version {
    std::string name;
    standard_filter filter;
  };
  void publish();

  notes notes_;
  double rate_;
  std::size_t most_versions_;
  std::uint64_t room_ = 0;             // pages that the filter is planned for
  std::deque<kept_version> versions_;  // the latest last
};

class annotation_gate {
 public:
  // As downloaded; errc::corrupt, errc::incompatible, errc::limit or errc::unsupported if it is of no use.
  void take_whole(byte_view file, const wire::filter_limits& limits = {});
  void take_changes(byte_view delta, const wire::filter_limits& limits = {});
  // To be kept, and taken again as a whole.
  [[nodiscard]] std::vector<std::byte> save() const;

  // True before anything was downloaded: then all must be asked for.
  [[nodiscard]] bool may_be_annotated(std::string_view url) const;
  [[nodiscard]] std::string version() const;  // empty before
  [[nodiscard]] double current_rate() const { return filter_ ? filter_->current_rate() : 1; }

 private:
  void take(standard_filter next, const wire::filter_limits& limits);
  std::optional<standard_filter> filter_;
};

}  // namespace bloomery::apps
