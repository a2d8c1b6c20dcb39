#include "bloomery/bits/memory/mapped_file.hpp"

#include <sys/mman.h>

#include <utility>

namespace bloomery::bits {

mapped_file map_start(const readable_file& file, std::uint64_t bytes) {
  if (bytes == 0) return {};
  void* memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) file.fail();
  const std::shared_ptr<const void> owner(memory, [bytes](void* p) { ::munmap(p, bytes); });
  return {{static_cast<const std::byte*>(memory), bytes}, owner};
}

mapped_file map_file(const std::string& path, std::uint64_t most, length_claim stated_bytes) {
  const readable_file file(path);
  if (!file.regular()) {
    const auto read = std::make_shared<file_contents>(read_all(file, most, stated_bytes));
    return {read->bytes(), read};
  }
  file.require_at_most(file.size(), most);
  return map_start(file, file.size());
}

}  // namespace bloomery::bits
