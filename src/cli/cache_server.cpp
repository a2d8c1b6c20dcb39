#include "cache_server.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/net/descriptor.hpp"
#include "bloomery/net/http.hpp"
#include "bloomery/wire/foreign/squid_digest.hpp"
#include "input.hpp"
#include "mirror.hpp"

namespace bloomery::cli {
namespace {

constexpr double annotation_rate = 0.01;

std::string as_text(byte_view bytes) {
  return std::string(text_of(bytes));
}

net::http_answer plain_answer(int status, std::string text) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain"}},
          .parts = {std::move(text) + "\n"}};
}

// A page, to be read while it is sent, so that none is ever held whole. None if there is no such file, or if it is
// none: a pipe would keep everybody waiting.
std::optional<net::http_pieces> pieces_of(net::descriptor open) {
  struct stat about {};
  if (!open || ::fstat(open.number(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  const auto file = std::make_shared<net::descriptor>(std::move(open));
  return net::http_pieces{.length = static_cast<std::uint64_t>(about.st_size),
                          .next = [file](std::size_t most) {
                            std::string piece(most, '\0');
                            const ssize_t got = ::read(file->number(), piece.data(), most);
                            piece.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
                            return piece;
                          }};
}

net::http_pieces pieces_of(std::shared_ptr<const std::string> text, std::size_t from) {
  return {.length = text->size() - from, .next = [text, from](std::size_t most) mutable {
            std::string piece = text->substr(from, most);
            from += piece.size();
            return piece;
          }};
}

}  // namespace

sibling::sibling(settings chosen, std::int64_t now) : settings_(std::move(chosen)) {
  rebuild(now);
}

void sibling::renew(std::int64_t now) {
  if (now < built_ + static_cast<std::int64_t>(settings_.period)) return;
  built_ = now;  // what cannot be read is tried again as late as what can
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
  digest_ = std::make_shared<const std::string>(as_text(made->save()));
  built_ = now;
}

std::optional<net::http_pieces> sibling::page(std::string_view url) const {
  if (!urls_.contains(url)) return std::nullopt;
  if (!settings_.body.empty()) {
    return pieces_of(
        net::descriptor(::open(settings_.body.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)));
  }
  if (settings_.root.empty()) return std::nullopt;
  return pieces_of(open_mirrored(settings_.root, url));
}

std::optional<net::http_answer> sibling::answer(const net::http_message& request,
                                                std::int64_t now) const {
  const bool is_digest = request.target.ends_with(foreign::squid_digest::path);
  if (!is_digest && !request.target.starts_with("http://")) return std::nullopt;
  const auto period = static_cast<std::int64_t>(settings_.period);
  const std::vector<net::http_header> times{
      {"Date", net::http_date(now)},
      {"Last-Modified", net::http_date(built_)},
      {"Expires", net::http_date(is_digest ? built_ + period : now + period)}};
  if (is_digest) {
    net::http_answer found{.headers = times, .paced = true};
    found.headers.push_back({"Content-Type", "application/cache-digest"});
    found.parts = {digest_->substr(0, foreign::squid_digest::head_bytes)};
    found.pieces = pieces_of(digest_, foreign::squid_digest::head_bytes);
    return found;
  }
  auto body = page(request.target);
  if (!body) return plain_answer(504, "this page is not here");  // as only-if-cached asks for
  net::http_answer found{.headers = times};
  found.headers.push_back({"Content-Type", "application/octet-stream"});
  found.pieces = std::move(*body);
  return found;
}

bool is_one_line(std::string_view note) {
  return std::ranges::none_of(note, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
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
    const std::string here = path + ": line " + std::to_string(number);
    if (tab == std::string_view::npos || tab == 0) {
      fail(errc::invalid, here + " is not a URL, a tab and an annotation");
    }
    if (line.size() - tab - 1 > longest_note) {
      fail(errc::limit, here + " has an annotation of " + std::to_string(line.size() - tab - 1) +
                            " bytes; allowed: " + std::to_string(longest_note));
    }
    if (!is_one_line(line.substr(tab + 1))) {
      fail(errc::invalid, here + " has control characters in its annotation");
    }
    notes[std::string(line.substr(0, tab))] = std::string(line.substr(tab + 1));
  });
  return notes;
}

annotation_server::annotation_server(std::string path, std::uint64_t period, std::int64_t now)
    : path_(std::move(path)),
      period_(static_cast<std::int64_t>(period)),
      pages_(read_annotations(path_), annotation_rate),
      read_(now) {
  publish();
}

void annotation_server::renew(std::int64_t now) {
  if (now < read_ + period_) return;
  read_ = now;
  pages_.replace(read_annotations(path_));
  publish();
}

void annotation_server::publish() {
  whole_ = std::make_shared<const std::string>(as_text(pages_.whole()));
  changes_.clear();
}

net::http_answer annotation_server::filter_for(const net::http_message& request) const {
  const std::string tag = "\"" + pages_.version() + "\"";
  net::http_answer found{.headers = {{"ETag", tag}, {"Content-Type", "application/octet-stream"}}};
  const std::string known(request.find("If-None-Match").value_or(""));
  if (known == tag) {
    found.status = 304;
    return found;
  }
  found.pieces = pieces_of(whole_, 0);
  if (!request.lists("A-IM", delta_coding) || known.size() <= 2) return found;
  const std::string version = known.substr(1, known.size() - 2);
  auto delta = changes_.find(version);
  if (delta == changes_.end()) {
    const auto made = pages_.changes_since(version);
    if (!made) return found;
    delta = changes_.emplace(version, std::make_shared<const std::string>(as_text(*made))).first;
  }
  found.status = 226;
  found.headers.push_back({"IM", std::string(delta_coding)});
  found.headers.push_back({"Delta-Base", "\"" + version + "\""});
  found.pieces = pieces_of(delta->second, 0);
  return found;
}

std::optional<net::http_answer> annotation_server::answer(const net::http_message& request) const {
  if (request.target == annotations_filter_path) return filter_for(request);
  if (!request.target.starts_with(annotations_note_path)) return std::nullopt;
  std::string url;
  try {
    url =
        net::percent_decoded(std::string_view(request.target).substr(annotations_note_path.size()));
  } catch (const error& problem) {
    return plain_answer(400, problem.what());
  }
  const std::string* const note = pages_.find(url);
  return note == nullptr ? plain_answer(404, "this page has no annotation")
                         : plain_answer(200, *note);
}

}  // namespace bloomery::cli
