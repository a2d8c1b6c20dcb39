// Batches as steps of keys_a_step keys. Included by kernels once per back end, within its namespace.

// The last keys of a batch, too few for a step, and others to fill it. Templates, since the kernels of one back end
// share a namespace and their steps differ.
template <std::size_t step = keys_a_step>
std::array<digest, step> filled_step(const digest_span& few) {
  std::array<digest, step> keys{};
  std::copy(few.begin(), few.end(), keys.begin());
  return keys;
}
template <std::size_t step = keys_a_step>
std::array<std::uint64_t, step> filled_step(const integer_span& few) {
  std::array<std::uint64_t, step> keys{};
  std::copy(few.unhashed().begin(), few.unhashed().end(), keys.begin());
  return keys;
}
inline digest_span like(const digest_span& /*keys*/,
                        const std::array<digest, keys_a_step>& filled) {
  return filled;
}
inline integer_span like(const integer_span& keys,
                         const std::array<std::uint64_t, keys_a_step>& filled) {
  return {keys.hash(), filled};
}
