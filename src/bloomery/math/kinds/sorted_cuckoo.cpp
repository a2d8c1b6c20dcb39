#include "bloomery/math/kinds/sorted_cuckoo.hpp"

namespace bloomery::math {

double sorted_cuckoo_rate(const sorted_cuckoo_size& size, std::uint64_t keys) {
  return cuckoo_rate(size.plain(), keys);
}

std::uint64_t sorted_cuckoo_capacity(const sorted_cuckoo_size& size) {
  return cuckoo_capacity(size.plain());
}

sorted_cuckoo_size plan_sorted_cuckoo(std::uint64_t keys, double rate) {
  const cuckoo_size size =
      plan_cuckoo(keys, rate,
                  cuckoo_form{.most_bits = sorted_entries * max_fingerprint_bits,
                              .least_entries = sorted_entries,
                              .most_entries = sorted_entries,
                              .least_fingerprint = min_sorted_fingerprint,
                              .spared_bits = spared_by_sorting});
  return {size.buckets, size.fingerprint_bits};
}

}  // namespace bloomery::math
