// What a program did, step by step, as valgrind's lackey writes it down.
//
// Purpose:   real branches and loads for experiments on processors. Lackey tells each instruction's address
//            and size, and each load and store; a branch is an instruction that was seen both to go on to
//            the next and to jump.
// Guarantee: a line that is none of lackey's throws errc::corrupt with its number. Lines of valgrind itself
//            ("==") are left out.
//
//     const auto trace = bloomery::lab::read_lackey("I  1000,4\n L 20,8\nI  1004,2\nI  1000,4\n");
//     assert(trace.loads.size() == 1 && trace.loads[0].address == 0x20);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bloomery::lab {

struct processor_trace {
  struct branch {
    std::uint64_t at;
    bool taken;
  };
  struct load {
    std::uint64_t at;  // the instruction
    std::uint64_t address;
  };
  std::vector<branch> branches;
  std::vector<load> loads;
};

processor_trace read_lackey(std::string_view text);

}  // namespace bloomery::lab
