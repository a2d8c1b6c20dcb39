// Types of values: what the server asks of one (reading and writing RDB, rewriting the file of commands,
// memory, copies, defragmentation), answered by an ordinary class.
//
// A class V with `stored` as a base is a type if it has
//   static constexpr const char* type_name, int encoding;
//   static V load(reading&, int encoding);          // throws on anything that is not a sound V
//   void save(writing&) const;
//   void rewrite(rewriting&) const;                 // commands that make it again
//   std::size_t memory() const;                     // beside its own size
//   V copy() const;
//   template <class Move> void relocate(const Move&);  // of each allocation, as `block` has it
#pragma once

#include <atomic>
#include <new>
#include <string>

#include "bloomery/core/error.hpp"
#include "redis/compression.hpp"
#include "redis/memory.hpp"
#include "redis/server.hpp"

namespace bloomery::redis {

// Reads fields in order; each throws errc::corrupt once the bytes have ended or are of another kind.
class reading {
 public:
  explicit reading(RedisModuleIO* from) : from_(from) {}
  std::uint64_t number();
  // At most `most`, or it throws.
  std::uint64_t number(std::uint64_t most, const char* what);
  double real();
  block bytes();

 private:
  void require_sound() const;

  RedisModuleIO* from_;
};

class writing {
 public:
  explicit writing(RedisModuleIO* to) : to_(to) {}
  void number(std::uint64_t value) { RedisModule_SaveUnsigned(to_, value); }
  void real(double value) { RedisModule_SaveDouble(to_, value); }
  void bytes(byte_view value) {
    const without_compression as_they_are(hardly_compress(value));
    RedisModule_SaveStringBuffer(to_, reinterpret_cast<const char*>(value.data()), value.size());
  }

 private:
  RedisModuleIO* to_;
};

class rewriting {
 public:
  rewriting(RedisModuleIO* to, RedisModuleString* key) : to_(to), key_(key) {}
  // `<command> <key> <position> <bytes>`
  void chunk(const char* command, std::uint64_t position, byte_view bytes) {
    RedisModule_EmitAOF(to_, command, "slb", key_, static_cast<long long>(position),
                        reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  // `<command> <key> <first> <second>`
  void numbers(const char* command, std::uint64_t first, std::uint64_t second) {
    RedisModule_EmitAOF(to_, command, "scc", key_, std::to_string(first).c_str(),
                        std::to_string(second).c_str());
  }
  // RESTORE of what `save` writes.
  void whole(RedisModuleType* type, const char* name, int encoding, void* value);

 private:
  RedisModuleIO* to_;
  RedisModuleString* key_;
};

// How often things have happened, and what there is: for INFO. Values are freed beside the main thread too.
struct type_counts {
  std::atomic<long long> objects = 0;
  std::atomic<long long> moved = 0;
};

template <class V>
struct stored {
  inline static RedisModuleType* type = nullptr;
  inline static type_counts counts{};

  // On the heap of the server.
  static V* on_heap(V&& made) {
    void* const memory = try_allocate(sizeof(V));
    if (memory == nullptr) throw std::bad_alloc();
    ++counts.objects;
    return new (memory) V(std::move(made));
  }
  static void destroy(void* value) noexcept {
    static_cast<V*>(value)->~V();
    release(value);
    --counts.objects;
  }
};

void log_refused(RedisModuleIO* io, const char* type, const char* why) noexcept;
// Tells what is being handled, as the reason why a value could not be loaded.
void log_handled(RedisModuleIO* io, const char* type) noexcept;

template <class V>
struct type_callbacks {
  static void* load(RedisModuleIO* io, int encoding) noexcept {
    try {
      if (encoding > V::encoding) {
        fail(errc::unsupported,
             "encoding " + std::to_string(encoding) + " is newer than this module");
      }
      reading from(io);
      return V::on_heap(V::load(from, encoding));
    } catch (...) {
      log_handled(io, V::type_name);
      return nullptr;
    }
  }
  static void save(RedisModuleIO* io, void* value) noexcept {
    writing to(io);
    static_cast<const V*>(value)->save(to);
  }
  static void rewrite(RedisModuleIO* io, RedisModuleString* key, void* value) noexcept {
    try {
      rewriting to(io, key);
      static_cast<V*>(value)->rewrite(to);
    } catch (...) {
      log_handled(io, V::type_name);
    }
  }
  static std::size_t memory(const void* value) noexcept {
    return usable_size(value, sizeof(V)) + static_cast<const V*>(value)->memory();
  }
  // In units of which the server frees 64 at once and more in the background: of 16 KiB.
  static std::size_t effort(RedisModuleString*, const void* value) noexcept {
    return 1 + (memory(value) >> 14);
  }
  static void* copy(RedisModuleString*, RedisModuleString*, const void* value) noexcept {
    try {
      return V::on_heap(static_cast<const V*>(value)->copy());
    } catch (...) {
      return nullptr;  // and COPY fails
    }
  }
  static int defrag(RedisModuleDefragCtx* context, RedisModuleString*, void** value) noexcept {
    const auto move = [context](void* memory) {
      void* const moved = RedisModule_DefragAlloc(context, memory);
      if (moved != nullptr) ++V::counts.moved;
      return moved;
    };
    static_cast<V*>(*value)->relocate(move);
    if (void* const moved = move(*value)) *value = moved;
    return 0;
  }
  static void digest(RedisModuleDigest* to, void* value) noexcept {
    // What is stored is what two values of one state have in common.
    RedisModuleString* const text = RedisModule_SaveDataTypeToString(nullptr, value, V::type);
    if (text == nullptr) return;
    std::size_t size = 0;
    const char* const bytes = RedisModule_StringPtrLen(text, &size);
    RedisModule_DigestAddStringBuffer(to, bytes, size);
    RedisModule_DigestEndSequence(to);
    RedisModule_FreeString(nullptr, text);
  }
};

template <class V>
bool register_type(RedisModuleCtx* context) {
  using callbacks = type_callbacks<V>;
  RedisModuleTypeMethods methods{};
  methods.version = REDISMODULE_TYPE_METHOD_VERSION;
  methods.rdb_load = callbacks::load;
  methods.rdb_save = callbacks::save;
  methods.aof_rewrite = callbacks::rewrite;
  methods.mem_usage = callbacks::memory;
  methods.free = V::destroy;
  methods.free_effort = callbacks::effort;
  methods.copy = callbacks::copy;
  methods.defrag = callbacks::defrag;
  methods.digest = callbacks::digest;
  V::type = RedisModule_CreateDataType(context, V::type_name, V::encoding, &methods);
  return V::type != nullptr;
}

}  // namespace bloomery::redis
