#include "bloomery/apps/shelf/texts.hpp"

#include <algorithm>
#include <set>

#include "bloomery/core/distinct.hpp"

namespace bloomery::apps {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

template <class Visit>
void each_word(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_word(text[end])) ++end;
    if (end > at) visit(text.substr(at, end - at));
    at = end + 1;
  }
}

template <class Visit>
void each_gram(std::string_view text, std::uint64_t grain, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (std::size_t at = 0; at + grain <= end; ++at) visit(text.substr(at, grain));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Memory follows the distinct ones: repeats soon after one another are dropped at once, others when as many
// have come as there are.
class distinct_digests {
 public:
  distinct_digests() {
    for (std::size_t i = 0; i < recent_.size(); ++i) recent_[i] = {i + 1, 0};  // of other places
  }
  void add(digest key) {
    digest& last = recent_[key.lo % recent_.size()];
    if (last == key) return;
    last = key;
    keys_.push_back(key);
    if (keys_.size() < full_) return;
    keys_ = core::distinct(std::move(keys_));
    full_ = std::max(full_, 2 * keys_.size());
  }
  std::vector<digest> take() { return core::distinct(std::move(keys_)); }

 private:
  std::vector<digest> keys_;
  std::vector<digest> recent_ = std::vector<digest>(std::size_t{1} << 14);
  std::size_t full_ = std::size_t{1} << 20;
};

}  // namespace

std::string folded(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

std::vector<std::string_view> searchable_words(std::string_view text) {
  std::vector<std::string_view> words;
  each_word(text, [&](std::string_view word) { words.push_back(word); });
  return words;
}

std::vector<digest> text_keys(std::string_view text, keys_of keys, std::uint64_t grain,
                              const hasher& hash) {
  const std::string plain = folded(text);
  distinct_digests found;
  const auto add = [&](std::string_view key) { found.add(hash(key)); };
  if (keys == keys_of::words) {
    each_word(plain, add);
  } else {
    each_gram(plain, grain, add);
  }
  return found.take();
}

bool has_words(std::string_view text, const std::vector<std::string>& words) {
  const std::string plain = folded(text);
  std::set<std::string_view> left;
  std::vector<std::string> wanted;
  for (const std::string& word : words) wanted.push_back(folded(word));
  for (const std::string& word : wanted) {
    for (const std::string_view part : searchable_words(word)) left.insert(part);
  }
  each_word(plain, [&](std::string_view word) { left.erase(word); });
  return left.empty();
}

bool has_part(std::string_view text, std::string_view part) {
  return folded(text).find(folded(part)) != std::string::npos;
}

}  // namespace bloomery::apps
