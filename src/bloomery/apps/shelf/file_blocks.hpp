// Files known by their blocks: which they are, and which they resemble.
//
// Purpose:   a shelf of files whose keys are the hashes of their blocks and of the whole. A file that is on it
//            is named; of another, the boxes are ranked by the share of its blocks that they have.
// Cost:      a pass over a file, and a question a block to each box.
// Guarantee: a file that is on the shelf is named, whatever its name. Another is called known with the rate of
//            the box to the power of its blocks and one, and only by a box of as many keys. The share's
//            interval holds the truth as often as its confidence says.
//            Blocks lie at multiples of their size: what is behind an insertion is not recognised.
// Citation:  Roussev, Chen, Bourg, Richard 2006 (md5bloom); Tarkoma §IV-E.
//
//     const bloomery::hasher hash;
//     const std::string text(10000, 'x');
//     bloomery::apps::shelf shelf({}, bloomery::apps::keys_of::blocks, 4096);
//     bloomery::apps::add_file(shelf, "x.bin", text, 0.001, hash);
//     assert(bloomery::apps::resembling(shelf, text, hash).at(0).known);
//     assert(!bloomery::apps::resembling(shelf, text + "y", hash).at(0).known);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/shelf/shelf.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery::apps {

struct file_keys {
  digest whole;                // of the blocks' hashes, one after another
  std::vector<digest> blocks;  // distinct, sorted
};
file_keys keys_of_file(std::string_view contents, std::uint64_t block, const hasher& hash);

void add_file(shelf& shelf, std::string label, std::string_view contents, double rate,
              const hasher& hash);

struct resemblance {
  std::size_t box = 0;
  bool known = false;    // the very file
  math::estimate share;  // of the file's distinct blocks
  // It shares blocks with the file. Of a thousand files that have none in common with a shelf, one is said to.
  bool related = false;
  // It has more of the file's blocks than it states to hold keys, which one in a thousand honest shelves
  // seems to.
  bool doctored = false;
};

// Of every box, known ones first, then by share.
std::vector<resemblance> resembling(const shelf& shelf, std::string_view contents,
                                    const hasher& hash,
                                    double confidence = math::default_confidence);

}  // namespace bloomery::apps
