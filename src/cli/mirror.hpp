// Where a mirror keeps the page of a URL: as `wget -m` does, in DIR/HOST/PATH.
//
// Purpose:   the URL may be anybody's, and what it names stays in the folder: no step is `..`, empty or has a
//            slash, and no link is followed, which could lead elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/net/descriptor.hpp"

namespace bloomery::cli {

// HOST, the folders and the file, without escapes but of what no name may have: `%2F`, control characters, `%2E%2E`. None
// if wget keeps no such URL.
std::vector<std::string> mirrored_steps(std::string_view url);

// To be read; none if it is not there.
net::descriptor open_mirrored(const std::string& root, std::string_view url);

}  // namespace bloomery::cli
