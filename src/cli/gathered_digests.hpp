// Digests that are gathered, and then a set in order: in memory as long as there is room, else in a file without a name.
//
// Cost:      the memory that is given; of a larger set the file takes 16 bytes a digest, and as much again while the set
//            is made.
// Guarantee: the same set whatever the memory. A file that cannot be made or written is errc::io.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

#include "bloomery/apps/exchange/digest_set.hpp"

namespace bloomery::cli {

class gathered_digests {
 public:
  explicit gathered_digests(std::uint64_t memory);

  void add(std::span<const digest> some);
  // Once. The bytes are those of the lines that they stand for.
  exchange::digest_set set(std::uint64_t bytes);

 private:
  void put_away();

  std::size_t room_;
  std::vector<digest> held_;
  std::shared_ptr<std::FILE> runs_;
  std::vector<std::uint64_t> run_ends_;
};

}  // namespace bloomery::cli
