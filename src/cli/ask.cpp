#include "ask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <random>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/filters/text/distance_sensitive.hpp"
#include "bloomery/filters/text/hierarchical.hpp"

namespace bloomery::cli {
namespace {

using generator = std::mt19937_64;

// So many random bits are nobody's.
constexpr std::uint64_t enough_bits = 64;
constexpr int digit_bits = 4;

std::string random_digits(generator& random, std::uint64_t digits) {
  std::string text;
  while (text.size() < digits) text += fmt::format("{:016x}", random());
  text.resize(digits);
  return text;
}

std::string random_bytes(generator& random, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  std::ranges::generate(text, [&] { return static_cast<char>(random()); });
  return text;
}

// From all the numbers there are, few of which are near a point of anybody's.
std::string random_point(generator& random, std::uint64_t dimension) {
  std::uniform_real_distribution<double> coordinate(-max_coordinate, max_coordinate);
  std::string text;
  for (std::uint64_t i = 0; i < dimension; ++i) text += fmt::format("{} ", coordinate(random));
  return text;
}

std::string random_words(generator& random) {
  constexpr int words = 8;
  std::string text;
  for (int i = 0; i < words; ++i) text += random_digits(random, enough_bits / digit_bits) + ' ';
  return text;
}

std::function<std::string()> random_points(const distance_sensitive_shape& shape,
                                           generator random) {
  switch (static_cast<metric>(shape.metric)) {
    case metric::hamming:
      if (shape.dimension < enough_bits) return {};
      return [=]() mutable { return random_digits(random, shape.dimension / digit_bits); };
    case metric::jaccard:
      return [=]() mutable { return random_words(random); };
    case metric::euclidean:
      return [=]() mutable { return random_point(random, shape.dimension); };
  }
  return {};
}

}  // namespace

asker asker_of(const any_filter& filter, const key_file_option& key_file) {
  using texts_type = std::span<const std::string_view>;
  const any_kind& kind = filter.kind();
  if (kind.can<guards>()) {
    return [&filter, secret = key_file.contents(kind.info.name)](texts_type texts,
                                                                 std::span<bool> answers) {
      filter.as<guards>().may_contain_texts(secret, texts, answers);
    };
  }
  if (kind.can<reads_texts>()) {
    return [&filter](texts_type texts, std::span<bool> answers) {
      std::ranges::transform(texts, answers.begin(),
                             [&](std::string_view text) { return filter.as<reads_texts>().may_contain_text(text); });
    };
  }
  return [&filter, hash = key_file.for_filter(filter.record().hash)](texts_type texts,
                                                                     std::span<bool> answers) {
    std::vector<digest> digests(texts.size());
    hash(texts, digests);
    filter.as<asks>().may_contain(digests, answers);
  };
}

std::uint64_t count_present(const asker& ask, std::span<const std::string_view> texts) {
  const auto answers = std::make_unique<bool[]>(texts.size());
  ask(texts, {answers.get(), texts.size()});
  return static_cast<std::uint64_t>(std::count(answers.get(), answers.get() + texts.size(), true));
}

std::function<std::string()> random_texts(const any_filter& filter, std::uint64_t seed) {
  generator random(seed);
  if (filter.kind().can<guards>()) {
    return [=]() mutable { return random_digits(random, enough_bits / digit_bits); };
  }
  if (filter.kind().info.name == hierarchical_filter::kind.name) {
    const auto shape = shape_from<hierarchical_shape>(filter.shape());
    if (CHAR_BIT * shape.block_bytes < enough_bits) return {};
    return [=]() mutable { return random_bytes(random, 2 * shape.block_bytes - 1); };
  }
  if (filter.kind().info.name == distance_sensitive_filter::kind.name) {
    return random_points(shape_from<distance_sensitive_shape>(filter.shape()), random);
  }
  return {};
}

}  // namespace bloomery::cli
