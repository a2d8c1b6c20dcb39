// What a verb writes, be it a filter that it changes or its output: the one way to write filters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bloomery/bits/memory/file_lock.hpp"
#include "location.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {

struct lock_option {
  bool no_wait = false;
  bool rewrite = false;

  void declare(command& verb);
};

// Locked from before it is read until it has been written, so that no other process's change is lost. In a
// Redis server, where nobody can lock a key, what others have changed meanwhile is an error of `save`.
class changed_file {
 public:
  // `-` is standard input and output. `inputs` are what the verb reads beside the filter that it makes a
  // new version of: errc::invalid if writing would overwrite one. Waits for a lock that another process
  // has, and says so on a terminal.
  changed_file(const std::string& text, const lock_option& lock,
               const std::vector<std::string>& inputs);
  ~changed_file();

  [[nodiscard]] any_filter load();  // owned, to be changed
  // The filter where it is, in a server; null if it is in a file.
  [[nodiscard]] redis_filter* in_server() { return server_.get(); }
  // In place, if that is less work and allowed.
  void save(const any_filter& filter);
  void save(byte_view bytes);
  // How it was saved, for a report: whether in place, and for a large file why not.
  void report(json& to) const;
  // Nothing is to be changed, or all has been. A report comes after it, or two processes of one pipeline
  // could wait for each other.
  void release() { lock_.release(); }

 private:
  std::string text_;
  location where_;
  wire::writing how_;
  wire::written done_;
  bool large_ = false;
  std::unique_ptr<redis_filter> server_;
  bits::file_lock lock_;
};

// The inputs of a verb that makes a new version of `filter`, if it reads nothing else: none, if that may
// take its place. Standard input cannot be locked before it is read, nor standard output be replaced.
std::vector<std::string> unless_replaced(const std::string& filter, const std::string& output);

// errc::invalid if the output is the same regular file as an input, by whatever name. `-` is standard
// output there and standard input here; what does not exist is nothing's equal.
void require_no_input(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace bloomery::cli
