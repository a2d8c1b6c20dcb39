#include "changed_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/hash/key.hpp"
#include "filling.hpp"
#include "message.hpp"
#include "progress.hpp"
#include "redis_filter.hpp"
#include "report.hpp"

namespace bloomery::cli {
namespace {

// The regular file that a name, or `-` for this descriptor, means.
bool find_file(const std::string& name, int standard, struct stat& found) {
  const int result = name == "-" ? ::fstat(standard, &found) : ::stat(name.c_str(), &found);
  return result == 0 && S_ISREG(found.st_mode);
}

void on_wait(const std::string& path, const lock_option& lock) {
  if (lock.no_wait) fail(errc::io, path + ": another process is changing it");
  if (::isatty(STDERR_FILENO) != 0) {
    tell(path + ": waiting for another process that is changing it");
  }
}

// From here on it takes long enough to ask why.
constexpr std::uint64_t large_file = 64 << 20;

std::string to_lock(const std::string& text, const std::vector<std::string>& inputs) {
  require_no_input(text, inputs);
  if (text == "-" || redis_address::is_one(text)) return {};
  bits::require_replaceable(text);
  return text;
}

}  // namespace

void lock_option::declare(command& verb) {
  verb.add_flag(
      "--no-wait", no_wait,
      "refuse, rather than wait, if another process is changing the file that is written");
  verb.add_flag("--rewrite", rewrite,
                "replace the file as a whole, rather than change a large one in place");
}

void require_no_input(const std::string& output, const std::vector<std::string>& inputs) {
  struct stat written {};
  if (!find_file(output, STDOUT_FILENO, written)) return;
  for (const std::string& input : inputs) {
    struct stat read {};
    if (find_file(input, STDIN_FILENO, read) && read.st_dev == written.st_dev &&
        read.st_ino == written.st_ino) {
      fail(errc::invalid, fmt::format("{} is both an input and the output; name another file",
                                      input == "-" ? "standard input" : input));
    }
  }
}

std::vector<std::string> unless_replaced(const std::string& filter, const std::string& output) {
  if (filter == "-" || output == "-") return {filter};
  return {};
}

changed_file::changed_file(const std::string& text, const lock_option& lock,
                           const std::vector<std::string>& inputs)
    : text_(text),
      where_(text),
      how_(lock.rewrite ? wire::writing::whole : wire::writing::least),
      server_(where_.in_server() ? where_.of_server() : nullptr),
      lock_(to_lock(text, inputs), [&] { on_wait(text, lock); }) {}

changed_file::~changed_file() = default;

any_filter changed_file::load() {
  if (server_ == nullptr) return where_.load();
  server_->watch();
  return server_->load(reading().limits());
}

void changed_file::save(const any_filter& filter) {
  {
    const phase writing("writing " + (text_ == "-" ? "standard output" : where_.name()));
    if (server_ != nullptr) {
      server_->save(filter);
    } else if (text_ == "-") {
      save(byte_view(bloomery::save(filter)));
    } else {
      large_ = lock_.held() && filter.bytes() >= large_file;  // there was one before
      done_ = change_file(filter, text_, lock_, how_);
      release();
    }
  }
  if (!done_.unsettled.empty()) {
    tell(fmt::format(
        "{}: the change is kept behind the filter, for the next change to write it where it "
        "belongs, since now that failed: {}",
        text_, done_.unsettled));
  }
  if (large_ && !done_.in_place && is_watched()) {
    tell(fmt::format("{} was written anew, since {}", text_, done_.why_not));
  }
  tell_of(filter, text_ == "-" ? "the filter" : where_.name());
}

void changed_file::report(json& to) const {
  to["in_place"] = done_.in_place;
  if (large_ && !done_.in_place) to["why_not_in_place"] = done_.why_not;
}

void changed_file::save(byte_view bytes) {
  if (server_ != nullptr) {
    const foreign::format* const of = foreign::recognised(
        bytes.first(std::min(bytes.size(), foreign::recognised_bytes)), bytes.size());
    if (of == nullptr || of->redis_type.empty()) {
      fail(errc::unsupported,
           where_.name() + ": this is written to a file; a server keeps filters");
    }
    return server_->restore(text_of(bytes), server_->time_to_live());
  }
  if (text_ == "-") return print_text(text_of(bytes));
  bits::write_file(text_, std::array{bytes});
  release();
}

}  // namespace bloomery::cli
