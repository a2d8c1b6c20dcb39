// LevelDB with a filter of any kind, which counts the filters that it asks and the blocks that it reads.
#include "bloomery/plugins/leveldb.hpp"

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/write_batch.h>

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>

#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "store_module.hpp"

namespace {

using bloomery::apps::joined;
using bloomery::apps::table_cell;
using bloomery::lab::store_counts;
using bloomery::lab::store_plan;

void require(const leveldb::Status& done) {
  if (!done.ok()) bloomery::fail(bloomery::errc::io, "LevelDB: " + done.ToString());
}

// Passes everything on, and counts. Filters are made by LevelDB's own thread, too.
class counting_policy : public leveldb::FilterPolicy {
 public:
  counting_policy(std::unique_ptr<const leveldb::FilterPolicy> inner,
                  const bloomery::compact_filters* ours)
      : inner_(std::move(inner)), ours_(ours) {}

  const char* Name() const override { return inner_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* out) const override {
    const std::size_t before = out->size();
    inner_->CreateFilter(keys, n, out);
    bytes_ += out->size() - before;
    keys_ += static_cast<std::uint64_t>(n);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    const bool passed = inner_->KeyMayMatch(key, filter);
    ++counts_.asked;
    counts_.passed += std::uint64_t{passed};
    if (ours_ != nullptr) counts_.expected_passed += rate_of({filter.data(), filter.size()});
    return passed;
  }
  // Filters stay where they are as long as the database is open.
  void forget_places() { rates_.clear(); }
  [[nodiscard]] store_counts take() const { return std::exchange(counts_, {}); }
  [[nodiscard]] double bits_a_key() const {
    return 8 * static_cast<double>(bytes_) / static_cast<double>(keys_);
  }

 private:
  [[nodiscard]] double rate_of(std::string_view filter) const {
    const auto [known, fresh] = rates_.try_emplace(filter.data(), 0.0);
    if (fresh) known->second = ours_->rate_of(filter);
    return known->second;
  }

  std::unique_ptr<const leveldb::FilterPolicy> inner_;
  const bloomery::compact_filters* ours_;
  mutable std::map<const char*, double> rates_;
  mutable store_counts counts_;  // asked by the one thread that reads
  mutable std::atomic<std::uint64_t> bytes_ = 0;
  mutable std::atomic<std::uint64_t> keys_ = 0;
};

class counting_file : public leveldb::RandomAccessFile {
 public:
  counting_file(leveldb::RandomAccessFile* inner, std::atomic<std::uint64_t>& reads)
      : inner_(inner), reads_(reads) {}
  leveldb::Status Read(std::uint64_t offset, std::size_t n, leveldb::Slice* result,
                       char* scratch) const override {
    ++reads_;
    return inner_->Read(offset, n, result, scratch);
  }

 private:
  std::unique_ptr<leveldb::RandomAccessFile> inner_;
  std::atomic<std::uint64_t>& reads_;
};

// Counts reads of tables, and can make LevelDB's own work wait, which would read tables as well.
class counting_env : public leveldb::EnvWrapper {
 public:
  counting_env() : EnvWrapper(leveldb::Env::Default()) {}

  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** out) override {
    leveldb::RandomAccessFile* inner = nullptr;
    leveldb::Status done = EnvWrapper::NewRandomAccessFile(name, &inner);
    if (done.ok()) *out = new counting_file(inner, reads);
    return done;
  }
  void Schedule(void (*work)(void*), void* argument) override {
    const std::lock_guard lock(mutex_);
    if (waits_) {
      waiting_.emplace_back(work, argument);
    } else {
      start(work, argument);
    }
  }
  void let_work() {
    const std::lock_guard lock(mutex_);
    waits_ = false;
    for (const auto& [work, argument] : std::exchange(waiting_, {})) start(work, argument);
  }
  // What is under way is finished first.
  void hold_work() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return running_ == 0; });
    waits_ = true;
  }

  std::atomic<std::uint64_t> reads = 0;

 private:
  struct job {
    counting_env* env;
    void (*work)(void*);
    void* argument;
  };
  void start(void (*work)(void*), void* argument) {
    ++running_;
    EnvWrapper::Schedule(
        [](void* given) {
          const std::unique_ptr<job> mine(static_cast<job*>(given));
          mine->work(mine->argument);
          const std::lock_guard lock(mine->env->mutex_);
          if (--mine->env->running_ == 0) mine->env->idle_.notify_all();
        },
        new job{this, work, argument});
  }

  std::mutex mutex_;
  std::condition_variable idle_;
  bool waits_ = false;
  std::uint64_t running_ = 0;
  std::vector<std::pair<void (*)(void*), void*>> waiting_;
};

class leveldb_store : public bloomery::lab::store {
 public:
  leveldb_store(std::string folder, const store_plan& plan) : folder_(std::move(folder)) {
    const bloomery::compact_filters* ours = nullptr;
    std::unique_ptr<const leveldb::FilterPolicy> inner;
    if (plan.built_in()) {
      constexpr std::uint64_t many = 1'000'000;
      const auto textbook = bloomery::math::plan_standard(many, plan.rate).bits;
      inner.reset(leveldb::NewBloomFilterPolicy(
          static_cast<int>(std::lround(static_cast<double>(textbook) / many))));
    } else {
      auto made = bloomery::leveldb_policy(plan.kind, plan.rate);
      ours = &made->filters();
      inner = std::move(made);
    }
    policy_ = std::make_unique<counting_policy>(std::move(inner), ours);
    cache_.reset(leveldb::NewLRUCache(0));  // so that each block that is needed is read
    options_.create_if_missing = true;
    options_.env = &env_;
    options_.filter_policy = policy_.get();
    options_.block_cache = cache_.get();
    options_.block_size = plan.block_bytes;
    options_.compression = leveldb::kNoCompression;
    options_.write_buffer_size = std::size_t{256} << 20;  // a table is written when we say so
    options_.max_file_size = std::size_t{256} << 20;
    reopen();
  }
  leveldb_store(const leveldb_store&) = delete;
  leveldb_store& operator=(const leveldb_store&) = delete;
  ~leveldb_store() override { close(); }

  // Opening a database makes a table of what was written since. The first one goes a level down, so that
  // LevelDB leaves four tables as they are; more it may merge.
  void write(const std::vector<table_cell>& cells) override {
    env_.let_work();
    leveldb::WriteBatch batch;
    for (const table_cell& each : cells) batch.Put(joined(each.row, each.column), each.value);
    require(database_->Write({}, &batch));
    reopen();
    if (!std::exchange(written_, true)) database_->CompactRange(nullptr, nullptr);
    env_.hold_work();
  }
  std::optional<std::string> read(const std::string& row, const std::string& column) override {
    std::string value;
    const leveldb::Status done = database_->Get({}, joined(row, column), &value);
    if (done.IsNotFound()) return std::nullopt;
    require(done);
    return value;
  }
  // LevelDB's iterators ask no filters.
  [[nodiscard]] bool scans() const override { return false; }
  std::map<std::string, std::string> scan(const std::string& /*row*/) override { return {}; }

  store_counts take_counts() override {
    store_counts counts = policy_->take();
    counts.read = env_.reads.exchange(0);
    return counts;
  }
  double bits_a_key() override { return policy_->bits_a_key(); }

 private:
  void close() {
    env_.let_work();
    database_.reset();
    policy_->forget_places();
  }
  void reopen() {
    close();
    leveldb::DB* opened = nullptr;
    require(leveldb::DB::Open(options_, folder_, &opened));
    database_.reset(opened);
  }

  std::string folder_;
  bool written_ = false;
  counting_env env_;
  std::unique_ptr<counting_policy> policy_;
  std::unique_ptr<leveldb::Cache> cache_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> database_;
};

}  // namespace

bloomery::lab::store* bloomery_open_store(const std::string& folder, const store_plan& plan) {
  return new leveldb_store(folder, plan);
}
