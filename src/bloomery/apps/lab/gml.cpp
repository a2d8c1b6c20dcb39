#include "bloomery/apps/lab/gml.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::lab {
namespace {

[[noreturn]] void fail_at(std::uint64_t line, const std::string& what, errc code = errc::invalid) {
  fail(code, "GML, line " + std::to_string(line) + ": " + what);
}

enum class mark { word, number, text, open, close, end };

struct token {
  mark is = mark::end;
  std::string_view spelling;  // of a text, what is between the quotes
  std::uint64_t line = 1;
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_number_start(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

class tokens {
 public:
  explicit tokens(std::string_view text) : rest_(text) {}

  token next() {
    skip_blanks();
    if (rest_.empty()) return {mark::end, {}, line_};
    const char first = rest_.front();
    if (first == '[') return take(mark::open, 1);
    if (first == ']') return take(mark::close, 1);
    if (first == '"') return quoted();
    const bool word = is_letter(first);
    if (!word && !is_number_start(first)) {
      fail_at(line_, in_quotes(rest_.substr(0, 1)) + " begins neither a key nor a value");
    }
    std::size_t length = 1;
    while (length < rest_.size() && (is_letter(rest_[length]) || is_number_start(rest_[length]))) {
      ++length;
    }
    return take(word ? mark::word : mark::number, length);
  }

 private:
  token take(mark is, std::size_t length) {
    const token taken{is, rest_.substr(0, length), line_};
    rest_.remove_prefix(length);
    return taken;
  }

  token quoted() {
    const std::size_t end = rest_.find('"', 1);
    if (end == std::string_view::npos) fail_at(line_, "a text has no closing quote");
    const token taken{mark::text, rest_.substr(1, end - 1), line_};
    line_ += static_cast<std::uint64_t>(std::ranges::count(taken.spelling, '\n'));
    rest_.remove_prefix(end + 1);
    return taken;
  }

  void skip_blanks() {
    while (!rest_.empty()) {
      const char first = rest_.front();
      if (first == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
        continue;
      }
      if (first != ' ' && first != '\t' && first != '\r' && first != '\n') return;
      if (first == '\n') ++line_;
      rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
  std::uint64_t line_ = 1;
};

template <class T>
T number_in(const token& key, const token& value) {
  T number{};
  std::string_view digits = value.spelling;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (value.is != mark::number || problem != std::errc{} || end != digits.data() + digits.size()) {
    fail_at(value.line, std::string(key.spelling) + " is " + in_quotes(value.spelling) +
                            "; allowed: a " + (std::is_integral_v<T> ? "whole number" : "number"));
  }
  return number;
}

double degrees_in(const token& key, const token& value, double most) {
  const auto degrees = number_in<double>(key, value);
  if (!(std::abs(degrees) <= most)) {
    fail_at(value.line, std::string(key.spelling) + " is " + in_quotes(value.spelling) +
                            "; allowed: " + std::to_string(static_cast<int>(-most)) + " to " +
                            std::to_string(static_cast<int>(most)));
  }
  return degrees;
}

// Sets what may be given once only.
template <class T>
void set_once(std::optional<T>& place, T value, const token& key) {
  if (place) fail_at(key.line, "a second " + std::string(key.spelling) + " of the same thing");
  place = std::move(value);
}

struct read_edge {
  std::int64_t source;
  std::int64_t target;
  std::uint64_t line;
};

class gml_reader {
 public:
  gml_reader(std::string_view text, const gml_limits& limits) : tokens_(text), limits_(limits) {}

  gml_graph read() {
    bool found = false;
    for (token key = tokens_.next(); key.is != mark::end; key = tokens_.next()) {
      const token value = value_of(key);
      if (key.spelling != "graph" || value.is != mark::open) {
        skip(value, 1);
        continue;
      }
      if (std::exchange(found, true)) fail_at(key.line, "a second graph");
      each_entry(key, [this](const token& inner, const token& of) { read_entry(inner, of); });
    }
    if (!found) fail(errc::invalid, "GML: the text has no graph [ … ]");
    finish();
    return std::move(result_);
  }

 private:
  token value_of(const token& key) {
    if (key.is != mark::word) {
      fail_at(key.line, in_quotes(key.spelling) + " stands where a key should");
    }
    const token value = tokens_.next();
    if (value.is == mark::word || value.is == mark::close || value.is == mark::end) {
      fail_at(value.line, std::string(printable(key.spelling)) + " has no value");
    }
    return value;
  }

  // Calls take(key, value) for each pair up to the list's end.
  template <class Take>
  void each_entry(const token& list, Take take) {
    for (token key = tokens_.next(); key.is != mark::close; key = tokens_.next()) {
      if (key.is == mark::end) {
        fail_at(key.line, printable(list.spelling) + " of line " + std::to_string(list.line) +
                              " has no closing bracket");
      }
      take(key, value_of(key));
    }
  }

  // A value that means nothing here, with all lists in it.
  void skip(const token& value, std::uint64_t depth) {
    if (value.is != mark::open) return;
    if (depth >= limits_.depth) {
      fail_at(value.line, "lists are more than " + std::to_string(limits_.depth) + " deep",
              errc::limit);
    }
    each_entry(value, [&](const token&, const token& inner) { skip(inner, depth + 1); });
  }

  void read_entry(const token& key, const token& value) {
    if (key.spelling == "node" && value.is == mark::open) {
      read_node(key);
    } else if (key.spelling == "edge" && value.is == mark::open) {
      read_one_edge(key);
    } else {
      skip(value, 2);
    }
  }

  void read_node(const token& list) {
    if (result_.sites.size() >= limits_.vertices) {
      fail_at(list.line, "more than " + std::to_string(limits_.vertices) + " nodes", errc::limit);
    }
    gml_site site;
    std::optional<std::int64_t> id;
    std::optional<std::string> label;
    each_entry(list, [&](const token& key, const token& value) {
      if (key.spelling == "id") {
        set_once(id, number_in<std::int64_t>(key, value), key);
      } else if (key.spelling == "label" && value.is != mark::open) {
        if (value.spelling.size() > limits_.label) {
          fail_at(value.line,
                  "a label of " + std::to_string(value.spelling.size()) +
                      " bytes; allowed: at most " + std::to_string(limits_.label),
                  errc::limit);
        }
        set_once(label, std::string(value.spelling), key);
      } else if (key.spelling == "Latitude") {
        set_once(site.latitude, degrees_in(key, value, 90), key);
      } else if (key.spelling == "Longitude") {
        set_once(site.longitude, degrees_in(key, value, 180), key);
      } else {
        skip(value, 3);
      }
    });
    if (!id) fail_at(list.line, "a node without an id");
    const auto number = static_cast<graph::vertex>(result_.sites.size());
    if (!vertex_of_.emplace(*id, number).second) {
      fail_at(list.line, "a second node of id " + std::to_string(*id));
    }
    site.id = *id;
    site.label = label ? std::move(*label) : std::to_string(*id);
    result_.sites.push_back(std::move(site));
  }

  void read_one_edge(const token& list) {
    if (edges_.size() >= limits_.edges) {
      fail_at(list.line, "more than " + std::to_string(limits_.edges) + " edges", errc::limit);
    }
    std::optional<std::int64_t> source;
    std::optional<std::int64_t> target;
    each_entry(list, [&](const token& key, const token& value) {
      if (key.spelling == "source") {
        set_once(source, number_in<std::int64_t>(key, value), key);
      } else if (key.spelling == "target") {
        set_once(target, number_in<std::int64_t>(key, value), key);
      } else {
        skip(value, 3);
      }
    });
    if (!source || !target) fail_at(list.line, "an edge without source and target");
    edges_.push_back({*source, *target, list.line});
  }

  [[nodiscard]] graph::vertex vertex_of(std::int64_t id, std::uint64_t line) const {
    const auto found = vertex_of_.find(id);
    if (found == vertex_of_.end()) {
      fail_at(line, "an edge to node " + std::to_string(id) + ", which there is not");
    }
    return found->second;
  }

  // Edges may stand before the nodes that they join.
  void finish() {
    std::vector<graph::edge> edges;
    edges.reserve(edges_.size());
    for (const read_edge& each : edges_) {
      edges.emplace_back(vertex_of(each.source, each.line), vertex_of(each.target, each.line));
      if (each.source == each.target) ++result_.loops;
    }
    result_.whole = graph(result_.sites.size(), edges);
    result_.repeated = edges.size() - result_.loops - result_.whole.edges();
  }

  tokens tokens_;
  gml_limits limits_;
  std::map<std::int64_t, graph::vertex> vertex_of_;
  std::vector<read_edge> edges_;
  gml_graph result_;
};

}  // namespace

gml_graph read_gml(std::string_view text, const gml_limits& limits) {
  return gml_reader(text, limits).read();
}

}  // namespace bloomery::lab
