#include "mirror.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>

namespace bloomery::cli {
namespace {

std::string escaped(unsigned char byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  return {'%', digits[byte / 16], digits[byte % 16]};
}

// The name of one file or folder.
std::string mirrored_step(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    const char* const digits = text.data() + i + 1;
    unsigned char meant = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, meant, 16).ptr == digits + 2) {
      byte = meant;
      i += 2;
    }
    const bool plain = byte >= 0x20 && byte != 0x7f && byte != '/';
    name += plain ? std::string(1, static_cast<char>(byte)) : escaped(byte);
  }
  if (name != "." && name != "..") return name;
  return name == "." ? escaped('.') : escaped('.') + escaped('.');
}

}  // namespace

std::vector<std::string> mirrored_steps(std::string_view url) {
  constexpr std::string_view scheme = "http://";
  if (!url.starts_with(scheme)) return {};
  url.remove_prefix(scheme.size());
  const std::string_view path = url.substr(0, url.find('?'));
  std::vector<std::string> steps;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const bool last = end == path.size();
    if (at < end) steps.push_back(mirrored_step(path.substr(at, end - at)));
    if (at == end && (!last || steps.empty())) return {};
    if (last && (at == end || steps.size() == 1)) steps.emplace_back("index.html");
    at = end + 1;
  }
  steps.back() += mirrored_step(url.substr(path.size()));
  return steps;
}

net::descriptor open_mirrored(const std::string& root, std::string_view url) {
  constexpr int to_read = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  // a pipe keeps nobody waiting
  const std::vector<std::string> steps = mirrored_steps(url);
  if (steps.empty()) return {};
  net::descriptor at(::open(root.c_str(), to_read | O_DIRECTORY));
  for (std::size_t i = 0; at && i < steps.size(); ++i) {
    const int folder = i + 1 < steps.size() ? O_DIRECTORY : 0;
    at = net::descriptor(::openat(at.number(), steps[i].c_str(), to_read | O_NOFOLLOW | folder));
  }
  return at;
}

}  // namespace bloomery::cli
