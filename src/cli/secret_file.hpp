// Secrets on their way into the tool: every copy of them is wiped.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/filters/secure/crypto.hpp"

namespace bloomery::cli {

// The whole of a file, or of standard input for `-`. errc::limit beyond `most` bytes.
secure::secret_bytes read_secret(const std::string& path, std::uint64_t most);

// A line of standard input without its end; from a terminal, after the prompt and without being shown.
// errc::invalid if there is none.
secure::secret_bytes read_secret_line(const std::string& prompt);

}  // namespace bloomery::cli
