// What `cache serve` answers: a sibling's cache digest and pages, and a server's annotations.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "bloomery/apps/gate/annotations.hpp"
#include "bloomery/net/http_service.hpp"

namespace bloomery::cli {

inline constexpr std::string_view annotations_filter_path = "/bloomery/annotations/filter";
inline constexpr std::string_view annotations_note_path = "/bloomery/annotations/note?url=";
inline constexpr std::string_view delta_coding = "bloomery-delta";
inline constexpr std::size_t longest_note = 64 << 10;  // bytes

// The URLs that a sibling of Squid has: in the digest, and to be fetched.
class sibling {
 public:
  struct settings {
    std::string urls;             // a file of them, one a line
    std::string root;             // a folder with the pages as HOST/PATH
    std::string body;             // a file that is every page
    std::uint64_t period = 3600;  // seconds from one digest to the next
    std::optional<double> rate = {};
  };
  sibling(settings chosen, std::int64_t now);

  // Reads the list again if it is time to; an error leaves what was read before, for another period.
  void renew(std::int64_t now);
  // None if it is not for a sibling: another path of a server.
  [[nodiscard]] std::optional<net::http_answer> answer(const net::http_message& request,
                                                       std::int64_t now) const;
  [[nodiscard]] std::size_t urls() const { return urls_.size(); }

 private:
  void rebuild(std::int64_t now);
  [[nodiscard]] std::optional<net::http_pieces> page(std::string_view url) const;

  settings settings_;
  std::set<std::string, std::less<>> urls_;
  std::shared_ptr<const std::string> digest_;
  std::int64_t built_ = 0;
};

// Whether it has no control characters but tabs: another line would look like the note on another page, and others
// could command a terminal.
bool is_one_line(std::string_view note);

// Lines URL<TAB>TEXT of a file; errc::invalid with the line's number if there is no tab, or if no reader takes the note.
apps::annotated_pages::notes read_annotations(const std::string& path);

// The filter, whole or as a delta, and the notes themselves.
class annotation_server {
 public:
  annotation_server(std::string path, std::uint64_t period, std::int64_t now);

  // As a sibling does.
  void renew(std::int64_t now);
  // None if it is for another path.
  [[nodiscard]] std::optional<net::http_answer> answer(const net::http_message& request) const;

 private:
  [[nodiscard]] net::http_answer filter_for(const net::http_message& request) const;
  void publish();

  std::string path_;
  std::int64_t period_;
  apps::annotated_pages pages_;
  std::shared_ptr<const std::string> whole_;
  // To each version that readers may still have: made when the first asks.
  mutable std::map<std::string, std::shared_ptr<const std::string>, std::less<>> changes_;
  std::int64_t read_;
};

}  // namespace bloomery::cli
