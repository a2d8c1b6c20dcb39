// Bytes by the word. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {

BLOOMERY_TARGET inline std::uint64_t count_ones(byte_view bytes) {
  std::uint64_t ones = 0;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    ones +=
        static_cast<std::uint64_t>(std::popcount(core::load_le<std::uint64_t>(bytes.data() + i)));
  }
  for (; i < bytes.size(); ++i) {
    ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(bytes[i])));
  }
  return ones;
}

}  // namespace bloomery::bits::BLOOMERY_ISA
