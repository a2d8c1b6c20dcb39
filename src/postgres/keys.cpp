#include "keys.hpp"

namespace bloomery::postgres {

std::string_view text_key(Datum value) {
  const text* const held = DatumGetTextPP(value);
  const char* const bytes = VARDATA_ANY(held);
  const auto size = static_cast<int>(VARSIZE_ANY_EXHDR(held));
  const char* const utf8 = pg_server_to_any(bytes, size, PG_UTF8);
  return utf8 == bytes ? std::string_view(bytes, static_cast<std::size_t>(size))
                       : std::string_view(utf8);
}

std::string_view bytea_key(Datum value) {
  const bytea* const held = DatumGetByteaPP(value);
  return {VARDATA_ANY(held), VARSIZE_ANY_EXHDR(held)};
}

std::string_view bigint_key(Datum value) {
  auto* const digits = static_cast<char*>(palloc(MAXINT8LEN + 1));
  return {digits, static_cast<std::size_t>(pg_lltoa(DatumGetInt64(value), digits))};
}

std::string_view uuid_key(Datum value) {
  return DatumGetCString(DirectFunctionCall1(uuid_out, value));
}

void require_deterministic(Oid collation) {
  if (!OidIsValid(collation) || get_collation_isdeterministic(collation)) return;
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("bloomery: texts of the collation \"%s\" may be equal and yet differ in "
                         "their bytes, which a filter cannot see",
                         get_collation_name(collation)),
                  errhint("Choose a deterministic collation: value COLLATE \"C\".")));
}

}  // namespace bloomery::postgres
