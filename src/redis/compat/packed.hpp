// Little-endian fields without gaps between them, as the headers of dumps have them.
#pragma once

#include <array>
#include <bit>
#include <string>

#include "bloomery/core/bytes.hpp"

namespace bloomery::redis {

class packed_writer {
 public:
  template <class T>
  void put(T value) {
    std::array<std::byte, sizeof value> place;
    core::store_le(place.data(), value);
    bytes_.append(reinterpret_cast<const char*>(place.data()), place.size());
  }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// The caller has seen that there are enough.
class packed_reader {
 public:
  explicit packed_reader(byte_view from) : at_(from.data()) {}
  template <class T>
  T get() {
    const T value = core::load_le<T>(at_);
    at_ += sizeof value;
    return value;
  }
  double get_real() { return std::bit_cast<double>(get<std::uint64_t>()); }

 private:
  const std::byte* at_;
};

}  // namespace bloomery::redis
