#include "bloomery/apps/exchange/semijoin.hpp"

#include <algorithm>

#include "bloomery/any/stored.hpp"
#include "bloomery/apps/gate/planned_set.hpp"
#include "bloomery/core/distinct.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/semijoin.hpp"

namespace bloomery::apps {
namespace {

// So many bytes of keys or rows go into one message, and so many messages before an answer.
constexpr std::size_t batch_bytes = std::size_t{64} << 10;
constexpr std::uint64_t batches_ahead = 8;
// Below the first a larger filter hardly spares a row, and holders refuse one of a rate near 1/2.
constexpr double least_rate = 1e-9;
constexpr double most_rate = 0.4;
// To count what joins, which costs no rows.
constexpr double counting_rate = 0.01;

byte_view bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
std::string_view text_of(byte_view bytes) {
  // Bytes may be looked at as characters.
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What a row takes: its key, its rest and what parts them.
std::size_t bytes_of(const table_row& row) {
  return row.key.size() + row.rest.size() + 1;
}

void hash_keys(const hasher& hash, std::span<const table_row> rows, std::vector<digest>& into) {
  std::vector<std::string_view> keys(rows.size());
  std::ranges::transform(rows, keys.begin(), &table_row::key);
  into.resize(rows.size());
  hash(keys, into);
}

void require_row(const table_row& row) {
  if (row.key.size() > join_message::most_row_bytes ||
      row.rest.size() > join_message::most_row_bytes) {
    fail(errc::limit, "a column is longer than " + format_size(join_message::most_row_bytes));
  }
}

// Reads the table through. Halves of digests tell its keys apart: that two share one is less likely than
// 2^-64 times the pairs of keys, and would shift an estimate of cost.
template <class Use>
table_size measure(table& rows, const hasher& hash, Use use) {
  table_size size;
  std::vector<std::uint64_t> halves;
  std::vector<digest> digests;
  rows.rewind();
  for (auto block = rows.next(); !block.empty(); block = rows.next()) {
    hash_keys(hash, block, digests);
    for (std::size_t i = 0; i < block.size(); ++i) {
      require_row(block[i]);
      size.row_bytes += bytes_of(block[i]);
      size.key_bytes += block[i].key.size() + 1;
      halves.push_back(digests[i].lo);
      use(digests[i]);
    }
    size.rows += block.size();
  }
  std::ranges::sort(halves);
  for (auto first = halves.begin(); first != halves.end();) {
    const auto last = std::upper_bound(first, halves.end(), *first);
    const auto same = static_cast<double>(last - first);
    ++size.keys;
    size.squares += same * same;
    first = last;
  }
  return size;
}

double mean(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

}  // namespace

listed_table::listed_table(std::vector<std::pair<std::string, std::string>> rows)
    : held_(std::move(rows)) {
  for (const auto& [key, rest] : held_) rows_.push_back({key, rest});
}

std::span<const table_row> listed_table::next() {
  if (read_) return {};
  read_ = true;
  return rows_;
}

join_asker::join_asker(table& mine, hasher hash, join_wish wish, found tell)
    : hash_(std::move(hash)), mine_(&mine), wish_(std::move(wish)), tell_(std::move(tell)) {}

void join_asker::start(time /*now*/, outbox& out) {
  report_.mine = measure(*mine_, hash_, [&](digest key) { keys_.push_back(key); });
  keys_ = core::distinct(std::move(keys_));
  const std::string form = mine_->form();
  out.send(wish_.partner, wire::write(join_message::ask{.form = bytes_of(form)}));
}

void join_asker::receive(time /*now*/, peer from, byte_view message, outbox& out) {
  if (from != wish_.partner || done_) fail(errc::incompatible, "nobody was asked for a message");
  const std::string_view name = wire::message_name(message, join_message::limits);
  const auto as = [&]<class Message>(Message) {
    return wire::read<Message>(message, join_message::limits);
  };
  if (!chosen_) {
    choose(as(join_message::told{}), out);
  } else if (name == join_message::more::name && report_.method == join_method::keys) {
    (void)as(join_message::more{});
    send_keys(out);
  } else if (name == join_message::counted::name && wish_.want == join_want::count) {
    const auto counted = as(join_message::counted{});
    if (counted.rows > report_.theirs.rows || counted.keys > report_.theirs.keys) {
      fail(errc::corrupt, "more rows passed than the other table has");
    }
    report_.passed = {counted.rows, counted.keys};
    done_ = true;
  } else {
    take(as(join_message::batch{}), out);
  }
}

void join_asker::choose(const join_message::told& told, outbox& out) {
  chosen_ = true;
  report_.theirs = {told.rows, told.keys, told.row_bytes, told.key_bytes, told.squares};
  report_.heading = text_of(told.heading);
  if (told.keys > told.rows || told.key_bytes > told.row_bytes) {
    fail(errc::corrupt, "the other table has more keys than rows, by what it says");
  }
  if (told.rows == 0) {
    if (wish_.want == join_want::count) report_.passed = {0, 0};
    done_ = true;
    return;
  }
  if (keys_.empty()) return ask_for_nothing(out);
  const bool rows = wish_.want != join_want::keys;
  const std::uint64_t rest = rows ? told.rows : told.keys;
  const double each = rows ? mean(told.row_bytes, told.rows) : mean(told.key_bytes, told.rows);
  const double best = math::best_join_rate(keys_.size(), rest, each, math::least_bits_a_halving);
  const auto make_filter = [&](double rate) {
    const any_filter filter = planned_set(keys_, rate, wish_.kind, hash_.identity());
    filter_ = save(filter);
    report_.rate = rate_of(filter);
    report_.filter_bytes = static_cast<double>(filter_.size());
  };
  make_filter(wish_.rate != 0 ? wish_.rate : std::clamp(best, least_rate, most_rate));
  report_.cost_of_filter = math::bloomjoin_bytes(report_.filter_bytes, report_.rate, 0, rest, each);
  report_.key_bytes = mean(report_.mine.key_bytes, report_.mine.rows);
  report_.even_key_bytes =
      math::even_key_bytes(report_.filter_bytes, report_.rate, keys_.size(), rest, each);
  report_.cost_of_keys = math::semijoin_bytes(keys_.size(), report_.key_bytes, 0, each);
  report_.cost_of_rows = math::all_rows_bytes(rest, each);

  if (wish_.rate == 0 && wish_.want == join_want::count) make_filter(counting_rate);

  report_.method = join_method::filter;
  if (wish_.method) {
    report_.method = *wish_.method;
  } else if (wish_.want != join_want::count) {
    double least = report_.cost_of_filter;
    if (report_.cost_of_keys < least) {
      least = report_.cost_of_keys;
      report_.method = join_method::keys;
    }
    if (report_.cost_of_rows < least) report_.method = join_method::rows;
  }
  const auto want = static_cast<std::uint64_t>(wish_.want);
  if (report_.method == join_method::filter) {
    send_filter(out);
  } else if (report_.method == join_method::keys) {
    mine_->rewind();
    send_keys(out);
    return;  // rows are asked for when all keys are there
  } else {
    out.send(wish_.partner, wire::write(join_message::all_rows{.want = want}));
  }
  out.send(wish_.partner, wire::write(join_message::more{.batches = batches_ahead}));
}

// So that the holder, too, comes to an end.
void join_asker::ask_for_nothing(outbox& out) {
  report_.method = join_method::keys;
  out.send(wish_.partner,
           wire::write(join_message::by_keys{
               .want = static_cast<std::uint64_t>(wish_.want), .last = 1, .keys = {}}));
  out.send(wish_.partner, wire::write(join_message::more{}));
}

void join_asker::send_filter(outbox& out) {
  if (filter_.size() > join_message::most_filter_bytes) {
    fail(errc::limit, "the filter takes " + format_size(filter_.size()) +
                          "; allowed: " + format_size(join_message::most_filter_bytes));
  }
  out.send(wish_.partner,
           wire::write(join_message::by_filter{.want = static_cast<std::uint64_t>(wish_.want),
                                               .filter = wire::carried_filter(filter_)}));
}

void join_asker::send_keys(outbox& out) {
  if (sent_.size() == keys_.size()) {
    fail(errc::corrupt, "more keys are asked for when all were sent");
  }
  join_message::by_keys sent;
  sent.want = static_cast<std::uint64_t>(wish_.want);
  std::size_t bytes = 0;
  // Whole blocks, so that keys stay where they are until the message is written.
  while (sent_.size() < keys_.size() && bytes == 0) {
    if (block_.empty()) block_ = mine_->next();
    if (block_.empty()) fail(errc::io, "the table has changed while it was read");
    std::size_t taken = 0;
    for (; taken < block_.size() && bytes < batch_bytes &&
           sent.keys.size() < join_message::most_in_batch;
         ++taken) {
      const std::string_view key = block_[taken].key;
      if (!sent_.insert(hash_(key)).second) continue;
      sent.keys.push_back(bytes_of(key));
      bytes += key.size() + 1;
    }
    block_ = block_.subspan(taken);
  }
  sent.last = std::uint64_t{sent_.size() >= keys_.size()};
  out.send(wish_.partner, wire::write(sent));
  if (sent.last != 0) {
    out.send(wish_.partner, wire::write(join_message::more{.batches = batches_ahead}));
  }
}

void join_asker::take(const join_message::batch& batch, outbox& out) {
  const std::size_t step = wish_.want == join_want::rows ? 2 : 1;
  if (wish_.want == join_want::count || batch.parts.size() % step != 0) {
    fail(errc::corrupt, "rows came that were not asked for");
  }
  for (std::size_t i = 0; i < batch.parts.size(); i += step) {
    const std::string_view key = text_of(batch.parts[i]);
    const std::string_view rest = step == 2 ? text_of(batch.parts[i + 1]) : std::string_view();
    received_bytes_ += step == 2 ? bytes_of({key, rest}) : key.size() + 1;
    ++report_.received;
    if (received_bytes_ > report_.theirs.row_bytes || report_.received > report_.theirs.rows) {
      fail(errc::corrupt, "more rows came than the other table has, by what it said");
    }
    if (std::ranges::binary_search(keys_, hash_(key), std::less<>())) {
      tell_(key, rest);
    } else {
      ++report_.false_ones;
    }
  }
  done_ = batch.last != 0;
  if (!done_) out.send(wish_.partner, wire::write(join_message::more{}));
}

join_holder::join_holder(table& mine, hasher hash, wire::filter_limits limits,
                         std::optional<table_size> size)
    : hash_(std::move(hash)), mine_(&mine), limits_(limits), size_(size) {}

void join_holder::forget(peer asker) {
  if (asker_ == asker) asker_.reset();
}

void join_holder::receive(time /*now*/, peer from, byte_view message, outbox& out) {
  const std::string_view name = wire::message_name(message, join_message::limits);
  const auto as = [&]<class Message>(Message) {
    return wire::read<Message>(message, join_message::limits);
  };
  if (name == join_message::ask::name) {
    const auto asked = as(join_message::ask{});
    if (asker_ && asker_ != from && !done_) {
      fail(errc::limit, "another join is under way; please try again later");
    }
    if (text_of(asked.form) != mine_->form()) {
      fail(errc::incompatible, "columns are written as " + in_quotes(text_of(asked.form)) +
                                   " there and as " + in_quotes(mine_->form()) + " here");
    }
    asker_ = from;
    done_ = false;
    begun_ = false;
    keys_.clear();
    distinct_keys_ = 0;
    told_.clear();
    tell_size(out);
    done_ = size_->rows == 0;
    return;
  }
  // Batches were asked for ahead, before the last had come.
  if (asker_ == from && done_ && name == join_message::more::name) return;
  if (asker_ != from || done_) fail(errc::incompatible, "a join begins with a question");
  if (begun_) {
    const auto more = as(join_message::more{});
    for (std::uint64_t i = 0; i < more.batches && !done_; ++i) send_batch(out);
  } else if (name == join_message::by_filter::name) {
    const auto question = as(join_message::by_filter{});
    filter_ = load(question.filter.bytes(), limits_.load);
    wire::require_useful(*filter_, hash_.identity(), limits_);
    (void)filter_->as<asks>();
    wire::require_at_most("false-positive rate", rate_of(*filter_), limits_.max_rate);
    method_ = join_method::filter;
    begin(question.want, out);
  } else if (name == join_message::by_keys::name) {
    const auto question = as(join_message::by_keys{});
    for (const byte_view key : question.keys) keys_.push_back(hash_(text_of(key)));
    // Who says the same key again and again takes no memory by it.
    if (question.last != 0 || keys_.size() >= 2 * distinct_keys_ + join_message::most_in_batch) {
      keys_ = core::distinct(std::move(keys_));
      distinct_keys_ = keys_.size();
    }
    if (question.last == 0) {
      out.send(from, wire::write(join_message::more{}));
      return;
    }
    method_ = join_method::keys;
    begin(question.want, out);
  } else {
    method_ = join_method::rows;
    begin(as(join_message::all_rows{}).want, out);
  }
}

void join_holder::tell_size(outbox& out) {
  if (!size_) size_ = measure(*mine_, hash_, [](digest) {});
  const std::string heading = mine_->heading();
  out.send(*asker_, wire::write(join_message::told{.rows = size_->rows,
                                                   .keys = size_->keys,
                                                   .row_bytes = size_->row_bytes,
                                                   .key_bytes = size_->key_bytes,
                                                   .squares = size_->squares,
                                                   .heading = bytes_of(heading)}));
}

void join_holder::begin(std::uint64_t want, outbox& out) {
  want_ = static_cast<join_want>(want);
  begun_ = true;
  block_ = {};
  at_ = 0;
  mine_->rewind();
  if (want_ == join_want::count) count(out);
}

// Which rows of the next block pass.
bool join_holder::next_block() {
  if (at_ < block_.size()) return true;
  block_ = mine_->next();
  at_ = 0;
  if (block_.empty()) return false;
  hash_keys(hash_, block_, hashed_);
  passed_ = std::make_unique<bool[]>(block_.size());  // NOLINT(modernize-avoid-c-arrays)
  const std::span<bool> passed(passed_.get(), block_.size());
  if (method_ == join_method::filter) {
    filter_->as<asks>().may_contain(hashed_, passed);
  } else if (method_ == join_method::keys) {
    std::ranges::transform(hashed_, passed.begin(), [&](digest key) {
      return std::ranges::binary_search(keys_, key, std::less<>());
    });
  } else {
    std::ranges::fill(passed, true);
  }
  return true;
}

void join_holder::count(outbox& out) {
  join_message::counted found;
  for (; next_block(); at_ = block_.size()) {
    for (std::size_t i = at_; i < block_.size(); ++i) {
      if (!passed_[i]) continue;
      ++found.rows;
      found.keys += std::uint64_t{told_.insert(hashed_[i]).second};
    }
  }
  done_ = true;
  out.send(*asker_, wire::write(found));
}

void join_holder::send_batch(outbox& out) {
  join_message::batch sent;
  std::size_t bytes = 0;
  bool more = next_block();
  // A message is of one block, whose rows stay until the next is read; blocks without any are passed over.
  while (more && bytes == 0) {
    for (; at_ < block_.size() && bytes < batch_bytes &&
           sent.parts.size() < join_message::most_in_batch;
         ++at_) {
      if (!passed_[at_]) continue;
      if (want_ == join_want::keys && !told_.insert(hashed_[at_]).second) continue;
      sent.parts.push_back(bytes_of(block_[at_].key));
      if (want_ == join_want::rows) sent.parts.push_back(bytes_of(block_[at_].rest));
      bytes += bytes_of(block_[at_]);
    }
    if (bytes == 0) more = next_block();
  }
  done_ = !more;
  sent.last = std::uint64_t{done_};
  out.send(*asker_, wire::write(sent));
}

join_estimate estimate_join(const join_report& counted, double confidence) {
  const auto [rows, keys] = counted.passed.value();
  if (rows == 0) return {};
  return {math::estimate_common(counted.theirs.keys, keys, counted.rate, confidence),
          math::joined_rows(counted.theirs.rows, rows, counted.theirs.squares, counted.rate,
                            confidence)};
}

}  // namespace bloomery::apps
