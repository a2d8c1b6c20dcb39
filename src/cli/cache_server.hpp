// What `cache serve` answers: a sibling's cache digest and pages, and a server's annotations.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/gate/annotations.hpp"
#include "bloomery/net/http_service.hpp"

namespace bloomery::cli {

inline constexpr std::string_view annotations_filter_path = "/bloomery/annotations/filter";
inline constexpr std::string_view annotations_note_path = "/bloomery/annotations/note?url=";
inline constexpr std::string_view delta_coding = "bloomery-delta";

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

  // None if it is not for a sibling: another path of a server.
  std::optional<net::http_answer> answer(const net::http_message& request, std::int64_t now);
  [[nodiscard]] std::size_t urls() const { return urls_.size(); }

 private:
  void rebuild(std::int64_t now);
  [[nodiscard]] std::optional<std::string> page(std::string_view url) const;

  settings settings_;
  std::set<std::string, std::less<>> urls_;
  std::vector<std::byte> digest_;
  std::int64_t built_ = 0;
};

// Lines URL<TAB>TEXT of a file; errc::invalid with the line's number if there is no tab.
apps::annotated_pages::notes read_annotations(const std::string& path);

// The filter, whole or as a delta, and the notes themselves.
std::optional<net::http_answer> answer_annotations(const apps::annotated_pages& pages,
                                                   const net::http_message& request);

}  // namespace bloomery::cli
