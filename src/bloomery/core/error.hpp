// The one exception type of Bloomery.
//
// Purpose:   every mistake a caller, a file or the machine can make arrives as `bloomery::error`,
//            with a code to branch on and a message for a person. Programmer errors assert.
// Guarantee: nothing else is thrown by any public function, except `std::bad_alloc` when the
//            machine cannot give even a few kilobytes; refusals of large memory are translated.
//
//     try {
//       bloomery::fail(bloomery::errc::invalid, "hashes is 0; allowed: 1 to 64");
//     } catch (const bloomery::error& problem) {
//       assert(problem.code() == bloomery::errc::invalid);
//     }
#pragma once

#include <stdexcept>
#include <string>

namespace bloomery {

enum class errc {
  invalid,        // a parameter is out of its stated range, or text does not parse
  incompatible,   // two things that must agree (shape, hash, kind) do not
  unsupported,    // this kind cannot do that
  corrupt,        // stored bytes are damaged or not ours
  limit,          // a size is beyond what the caller, or Bloomery, allows
  out_of_memory,  // the machine refused the memory
  read_only,      // a change was asked of a view
  io,             // the operating system failed a file operation
};

class error : public std::runtime_error {
 public:
  error(errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

[[noreturn]] void fail(errc code, const std::string& message);

}  // namespace bloomery
