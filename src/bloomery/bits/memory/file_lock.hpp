// A lock on the file that a path names, among programs that ask for it.
//
// Purpose:   whoever reads a file, changes it and replaces it (file_writer.hpp) or writes to it holds the lock
//            from before reading until after writing; then no other change gets lost between.
// Guarantee: once made, the path names the file that is locked: if it was replaced meanwhile, the one that
//            took its place. Symbolic links lead to the file at their end. The lock ends with the object,
//            and with the process however that ends. It is advisory (flock): who does not ask is not kept
//            out. A path that names nothing, or no regular file, locks nothing.
//
//     const std::string path = "locked.bin";
//     bloomery::bits::write_file(path, std::array{bloomery::bytes_of("one at a time")});
//     const bloomery::bits::file_lock lock(path, [] { assert(false); });  // nobody else has it
//     assert(lock.held());
#pragma once

#include <functional>
#include <string>

namespace bloomery::bits {

class file_lock {
 public:
  // Calls on_wait, if any, once before it waits for another holder; what that throws ends the attempt.
  // errc::io if the file cannot be opened for writing or the file system has no locks.
  explicit file_lock(const std::string& path, const std::function<void()>& on_wait = {});
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;
  ~file_lock();

  [[nodiscard]] bool held() const { return file_ >= 0; }
  void release();
  // A descriptor to read and write the file by; -1 unless held.
  [[nodiscard]] int number() const { return file_; }

 private:
  int file_ = -1;
};

}  // namespace bloomery::bits
