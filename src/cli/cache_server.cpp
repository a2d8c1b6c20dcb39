#include "cache_server.hpp"

#include <algorithm>
#include <filesystem>

#include "bloomery/bits/memory/file_reader.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/net/http.hpp"
#include "bloomery/wire/foreign/squid_digest.hpp"
#include "input.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t largest_page = std::uint64_t{1} << 30;

std::string file_text(const std::string& path) {
  return std::string(text_of(bits::read_file(path, largest_page).bytes()));
}

std::string as_text(byte_view bytes) {
  return std::string(text_of(bytes));
}

net::http_answer plain_answer(int status, std::string text) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain"}},
          .parts = {std::move(text) + "\n"}};
}

// Where a mirror keeps a page: HOST/PATH, and index.html for a folder; none if the path would lead elsewhere.
std::optional<std::string> mirrored(const std::string& root, std::string_view url) {
  constexpr std::string_view scheme = "http://";
  if (!url.starts_with(scheme)) return std::nullopt;
  std::string path(url.substr(scheme.size()));
  if (path.find('/') == std::string::npos || path.ends_with('/')) {
    path += path.find('/') == std::string::npos ? "/index.html" : "index.html";
  }
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view step = std::string_view(path).substr(at, end - at);
    if (step.empty() || step == "." || step == ".." || step.find('\0') != std::string_view::npos) {
      return std::nullopt;
    }
    at = end + 1;
  }
  return root + "/" + path;
}

}  // namespace

sibling::sibling(settings chosen, std::int64_t now) : settings_(std::move(chosen)) {
  rebuild(now);
}

void sibling::rebuild(std::int64_t now) {
  std::set<std::string, std::less<>> listed;
  line_options lines;
  lines.crlf = true;
  lines.skip_empty = true;
  key_input({}, {settings_.urls}, lines).each_text([&](std::string_view url) {
    listed.emplace(url);
  });
  const auto made =
      foreign::find_format(foreign::squid_digest::info.name).make(listed.size(), settings_.rate);
  const std::vector<std::string_view> keys(listed.begin(), listed.end());
  made->insert(keys);
  urls_ = std::move(listed);
  digest_ = made->save();
  built_ = now;
}

std::optional<std::string> sibling::page(std::string_view url) const {
  if (!urls_.contains(url)) return std::nullopt;
  if (!settings_.body.empty()) return file_text(settings_.body);
  if (settings_.root.empty()) return std::nullopt;
  const auto path = mirrored(settings_.root, url);
  std::error_code problem;
  if (!path || !std::filesystem::is_regular_file(*path, problem)) return std::nullopt;
  return file_text(*path);
}

std::optional<net::http_answer> sibling::answer(const net::http_message& request,
                                                std::int64_t now) {
  const bool is_digest = request.target.ends_with(foreign::squid_digest::path);
  if (!is_digest && !request.target.starts_with("http://")) return std::nullopt;
  if (request.method != "GET" && request.method != "HEAD") {
    return plain_answer(405, "only GET and HEAD are answered");
  }
  const auto period = static_cast<std::int64_t>(settings_.period);
  if (now >= built_ + period) rebuild(now);
  const std::vector<net::http_header> times{
      {"Date", net::http_date(now)},
      {"Last-Modified", net::http_date(built_)},
      {"Expires", net::http_date(is_digest ? built_ + period : now + period)}};
  if (is_digest) {
    net::http_answer found{.headers = times, .paced = true};
    found.headers.push_back({"Content-Type", "application/cache-digest"});
    const byte_view whole = digest_;
    found.parts = {as_text(whole.first(foreign::squid_digest::head_bytes)),
                   as_text(whole.subspan(foreign::squid_digest::head_bytes))};
    return found;
  }
  auto body = page(request.target);
  if (!body) return plain_answer(504, "this page is not here");  // as only-if-cached asks for
  net::http_answer found{.headers = times};
  found.headers.push_back({"Content-Type", "application/octet-stream"});
  found.parts = {std::move(*body)};
  return found;
}

apps::annotated_pages::notes read_annotations(const std::string& path) {
  apps::annotated_pages::notes notes;
  std::uint64_t number = 0;
  line_options lines;
  lines.crlf = true;
  key_input({}, {path}, lines).each_text([&](std::string_view line) {
    ++number;
    if (line.empty()) return;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos || tab == 0) {
      fail(errc::invalid,
           path + ": line " + std::to_string(number) + " is not a URL, a tab and an annotation");
    }
    notes[std::string(line.substr(0, tab))] = std::string(line.substr(tab + 1));
  });
  return notes;
}

std::optional<net::http_answer> answer_annotations(const apps::annotated_pages& pages,
                                                   const net::http_message& request) {
  if (request.target == annotations_filter_path) {
    const std::string tag = "\"" + pages.version() + "\"";
    net::http_answer found{
        .headers = {{"ETag", tag}, {"Content-Type", "application/octet-stream"}}};
    const std::string known(request.find("If-None-Match").value_or(""));
    if (known == tag) {
      found.status = 304;
      return found;
    }
    if (request.lists("A-IM", delta_coding) && known.size() > 2) {
      if (const auto delta = pages.changes_since(known.substr(1, known.size() - 2))) {
        found.status = 226;
        found.headers.push_back({"IM", std::string(delta_coding)});
        found.headers.push_back({"Delta-Base", known});
        found.parts = {as_text(*delta)};
        return found;
      }
    }
    found.parts = {as_text(pages.whole())};
    return found;
  }
  if (!request.target.starts_with(annotations_note_path)) return std::nullopt;
  const std::string url =
      net::percent_decoded(std::string_view(request.target).substr(annotations_note_path.size()));
  const std::string* const note = pages.find(url);
  return note == nullptr ? plain_answer(404, "this page has no annotation")
                         : plain_answer(200, *note);
}

}  // namespace bloomery::cli
