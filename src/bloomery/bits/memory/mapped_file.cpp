#include "bloomery/bits/memory/mapped_file.hpp"

#include <sys/mman.h>

#include <utility>

namespace bloomery::bits {

mapped_file map_file(const std::string& path, std::uint64_t most, length_claim stated_bytes) {
  const detail::readable_file file(path);
  if (!file.regular()) {
    const auto read = std::make_shared<file_contents>(detail::read_all(file, most, stated_bytes));
    return {read->bytes(), read};
  }
  const std::uint64_t size = file.size();
  file.require_at_most(size, most);
  if (size == 0) return {};
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) file.fail();
  const std::shared_ptr<const void> owner(memory, [size](void* p) { ::munmap(p, size); });
  return {{static_cast<const std::byte*>(memory), size}, owner};
}

}  // namespace bloomery::bits
