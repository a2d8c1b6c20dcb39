// S1: known files are named, versions ranked by the blocks that they share, and doctored sets told.
#include <algorithm>
#include <random>
#include <set>

#include "bloomery/apps/shelf/file_blocks.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/estimate.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

struct version {
  std::size_t of = 0;  // which file it was made from
  std::string contents;
};

std::string drawn_bytes(std::size_t count, std::mt19937_64& random) {
  std::string bytes(count, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

std::set<std::string> block_set(std::string_view contents, std::uint64_t block) {
  std::set<std::string> blocks;
  for (std::size_t at = 0; at < contents.size(); at += block) {
    blocks.emplace(contents.substr(at, block));
  }
  return blocks;
}

std::uint64_t common_blocks(const std::set<std::string>& one, const std::set<std::string>& two) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(one, [&](const std::string& block) { return two.contains(block); }));
}

// The file with a few bytes changed here and there.
version edited(std::size_t of, std::string contents, std::mt19937_64& random) {
  const std::uint64_t edits = 1 + random() % 10;
  for (std::uint64_t i = 0; i < edits; ++i) {
    char& changed = contents[random() % contents.size()];
    changed = static_cast<char>(static_cast<unsigned char>(changed) ^ (1 + random() % 255));
  }
  return {of, std::move(contents)};
}

// The same shelf, but that a box states another number of keys.
apps::shelf restated(const apps::shelf& honest, std::size_t box, std::uint64_t items) {
  const std::vector<std::byte> stored = honest.save();
  auto message = wire::read<apps::shelf_message>(stored, {.max_bytes = stored.size()});
  std::vector<std::byte> changed(message.boxes[box].begin(), message.boxes[box].end());
  core::store_le<std::uint64_t>(changed.data() + sizeof(std::uint64_t), items);
  message.boxes[box] = changed;
  return apps::shelf::load(wire::write(message));
}

class experiment {
 public:
  explicit experiment(const lab::request& asked)
      : asked_(&asked), random_(asked.seed()), hash_(xxh3_hash(asked.seed())) {
    const std::uint64_t files = asked.count("files");
    const std::uint64_t size = asked.size("size");
    block_ = asked.size("blocks");
    math::require_whole("files", files, 2, 10'000);
    math::require_whole("blocks", block_, 16, 1 << 20);
    math::require_whole("size", size, 2 * block_, 1 << 24);
    shelf_ = apps::shelf(hash_.identity(), apps::keys_of::blocks, block_);
    for (std::uint64_t i = 0; i < files; ++i) {
      files_.push_back(drawn_bytes(size / 2 + random_() % size, random_));
      apps::add_file(shelf_, std::to_string(i), files_.back(), asked.ratio("fpr"), hash_);
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
      edited_.push_back(edited(i, files_[i], random_));
      shifted_.push_back({i, "x" + files_[i]});
    }
  }

  lab::result run() {
    name_known();
    compare_versions();
    tell_doctored();
    compare_with_rivals();
    return std::move(found_);
  }

 private:
  void name_known() {
    std::uint64_t unnamed = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto named = apps::resembling(shelf_, files_[i], hash_);
      unnamed += std::uint64_t{std::ranges::none_of(
          named, [&](const apps::resemblance& each) { return each.box == i && each.known; })};
    }
    found_.never("a known file was not named", unnamed, files_.size());
  }

  // Each version against every box: the truth is the set of its blocks.
  void compare_versions() {
    std::vector<std::set<std::string>> truth;
    for (const std::string& file : files_) truth.push_back(block_set(file, block_));
    std::uint64_t outside = 0;
    std::uint64_t compared = 0;
    std::uint64_t taken_for_it = 0;
    double chance = 0;
    for (const version& each : edited_) {
      const auto own = block_set(each.contents, block_);
      const auto blocks = static_cast<double>(own.size());
      for (const apps::resemblance& told : apps::resembling(shelf_, each.contents, hash_)) {
        const std::uint64_t common = common_blocks(own, truth[told.box]);
        const double share = static_cast<double>(common) / blocks;
        constexpr double rounding = 1e-12;  // shares are quotients
        outside +=
            std::uint64_t{share < told.share.low - rounding || share > told.share.high + rounding};
        ++compared;
        if (told.box != each.of) continue;
        const standard_filter& filter = shelf_.boxes()[told.box].filter;
        taken_for_it += std::uint64_t{told.known};
        chance +=
            math::instance_rate(filter.fill(), filter.shape().hashes * (own.size() - common + 1));
      }
    }
    lab::figure covered = lab::share_of("shares outside of their interval of 95 %", outside,
                                        compared, 1 - math::default_confidence);
    covered.predicted->low = 0;  // exact tails cover more often than they say
    found_.add(std::move(covered));
    found_.add(lab::count_of("versions taken for the file itself", taken_for_it, edited_.size(),
                             chance / static_cast<double>(edited_.size())));
  }

  // Each box in turn states half of its keys, or twice as many.
  void tell_doctored() {
    std::uint64_t unnoticed = 0;
    std::uint64_t doctored = 0;
    std::uint64_t accused = 0;
    for (std::size_t i = 0; i < shelf_.boxes().size(); ++i) {
      accused += std::uint64_t{shelf_.is_doctored(i)};
      if (i >= most_doctored) continue;
      const std::uint64_t items = shelf_.boxes()[i].filter.record().items;
      for (const std::uint64_t stated : {items / 2, items * 2}) {
        ++doctored;
        unnoticed += std::uint64_t{!restated(shelf_, i, stated).is_doctored(i)};
      }
    }
    found_.never("a doctored set was not told", unnoticed, doctored);
    found_.add(lab::told("honest sets that were told, of which one in a thousand shelves has some",
                         lab::unit::count, static_cast<double>(accused)));
  }

  [[nodiscard]] double recognised(const std::vector<version>& versions) const {
    std::uint64_t times = 0;
    for (const version& each : versions) {
      const auto told = apps::resembling(shelf_, each.contents, hash_);
      times += std::uint64_t{told.front().box == each.of && told.front().related};
    }
    return static_cast<double>(times);
  }

  std::string tell(std::vector<std::string> command, const std::string& name) const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      command.push_back(name + "-" + std::to_string(i));
    }
    return asked_->outside().run(command, "");
  }
  void write(const std::string& name, std::string_view bytes) const {
    (void)asked_->outside().run({"dd", "of=" + name, "status=none"}, bytes);
  }

  // ssdeep's signatures and hashdeep's hashes of the known files; the latter are of whole files alone.
  void make_rivals() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::string number = std::to_string(i);
      write("known-" + number, files_[i]);
      write("edited-" + number, edited_[i].contents);
      write("shifted-" + number, shifted_[i].contents);
    }
    signatures_ = tell({"ssdeep", "-s", "-b"}, "known");
    hashes_ = tell({"hashdeep", "-b", "-c", "md5"}, "known");
    write("signatures", signatures_);
    write("hashes", hashes_);
  }

  // How many of the versions each names; hashdeep exits with 1 if it names none.
  [[nodiscard]] std::vector<lab::rival> named_by_rivals(const std::string& name) const {
    const auto lines = [](const std::string& text) {
      return static_cast<double>(lab::lines_of(text).size());
    };
    const std::string matches = tell({"ssdeep", "-s", "-b", "-m", "signatures"}, name);
    const std::string script = "hashdeep -b -c md5 -m -k hashes \"$@\" || [ $? = 1 ]";
    return {{"ssdeep", lines(matches)},
            {"hashdeep", lines(tell({"sh", "-c", script, "sh"}, name))}};
  }

  // Where the rivals are not installed, the shelf stands alone.
  void compare_with_rivals() {
    lab::figure bytes{.what = "bytes of the shelf",
                      .in = lab::unit::bytes,
                      .measured = static_cast<double>(shelf_.save().size())};
    lab::figure edits{.what = "versions with changed bytes that are recognised",
                      .in = lab::unit::count,
                      .measured = recognised(edited_)};
    lab::figure shifts{.what = "versions with a byte inserted in front that are recognised",
                       .in = lab::unit::count,
                       .measured = recognised(shifted_)};
    try {
      make_rivals();
      bytes.rivals = {{"ssdeep", static_cast<double>(signatures_.size())},
                      {"hashdeep", static_cast<double>(hashes_.size())}};
      edits.rivals = named_by_rivals("edited");
      shifts.rivals = named_by_rivals("shifted");
    } catch (const error& problem) {
      if (problem.code() != errc::unsupported && problem.code() != errc::io) throw;
      found_.note(std::string("The rivals, hashdeep and ssdeep, were left out: ") + problem.what() +
                  ".");
    }
    for (lab::figure* each : {&bytes, &edits, &shifts}) found_.add(std::move(*each));
  }

  static constexpr std::size_t most_doctored = 20;

  const lab::request* asked_;
  std::mt19937_64 random_;
  hasher hash_;
  std::uint64_t block_ = 0;
  apps::shelf shelf_;
  std::vector<std::string> files_;
  std::vector<version> edited_;
  std::vector<version> shifted_;
  std::string signatures_;
  std::string hashes_;
  lab::result found_;
};

}  // namespace

lab::result forensic_sets(const lab::request& asked) {
  return experiment(asked).run();
}

extern constinit const system_info forensic_sets_system{
    .id = "S1",
    .name = "Forensic hash sets",
    .source = "Roussev et al. 2006 (md5bloom); Tarkoma IV-E",
    .where = pattern::shelf,
    .does =
        "Every known file has a filter of the hashes of its blocks and of itself. Files that "
        "are on the shelf are named, versions of them ranked by the blocks that they share.",
    .figure =
        "Every known file is named, the share of common blocks lies in its interval, and a "
        "set that states another number of keys than it holds is told.",
    .verb = "index like",
    .needs = "hashdeep ssdeep",
    .settings_or_none = {{{"files", "100", "known files, of random bytes"},
                          {"size", "128KiB", "of a file, on average"},
                          {"blocks", "4096", "bytes of a block"},
                          {"fpr", "1%", "rate that each filter is sized for"}}},
    .run = forensic_sets};

}  // namespace bloomery::systems
