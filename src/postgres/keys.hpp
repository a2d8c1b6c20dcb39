// How a value of an SQL type becomes the bytes of a key: as the line that the tool would read. Text is
// its UTF-8 whatever the database's encoding, an integer its decimal digits, a UUID its usual text.
#pragma once

#include <string_view>

#include "boundary.hpp"

namespace bloomery::postgres {

// These may jump. What they show lives as long as the current memory context.
std::string_view text_key(Datum value);
std::string_view bytea_key(Datum value);
std::string_view bigint_key(Datum value);
std::string_view uuid_key(Datum value);

// An ERROR if texts that are equal under the collation may differ in their bytes.
void require_deterministic(Oid collation);

}  // namespace bloomery::postgres
