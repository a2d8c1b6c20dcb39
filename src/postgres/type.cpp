// The type itself: what comes in is checked, in whatever form it comes, and kept plain.
#include "boundary.hpp"
#include "value.hpp"

namespace {

using namespace bloomery;
using namespace bloomery::postgres;

Datum checked(byte_view stored) {
  varlena* value = nullptr;
  guard([&] { value = value_of(opened(stored)); });
  return PointerGetDatum(value);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(bloomery_in);
Datum bloomery_in(PG_FUNCTION_ARGS) {
  const char* const digits = PG_GETARG_CSTRING(0);
  const std::size_t size = strlen(digits);
  if (size < 2 || digits[0] != '\\' || digits[1] != 'x') {
    ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                    errmsg("bloomery: a filter is written as \\x and hexadecimal digits")));
  }
  auto* const bytes = static_cast<char*>(palloc(size / 2));
  const uint64 count = hex_decode(digits + 2, size - 2, bytes);
  const Datum value = checked({reinterpret_cast<const std::byte*>(bytes), count});
  pfree(bytes);
  PG_RETURN_DATUM(value);
}

PG_FUNCTION_INFO_V1(bloomery_out);
Datum bloomery_out(PG_FUNCTION_ARGS) {
  const varlena* const value = PG_GETARG_VARLENA_PP(0);
  const std::size_t size = VARSIZE_ANY_EXHDR(value);
  auto* const digits = static_cast<char*>(palloc(2 + 2 * size + 1));
  digits[0] = '\\';
  digits[1] = 'x';
  digits[2 + hex_encode(VARDATA_ANY(value), size, digits + 2)] = '\0';
  PG_RETURN_CSTRING(digits);
}

PG_FUNCTION_INFO_V1(bloomery_recv);
Datum bloomery_recv(PG_FUNCTION_ARGS) {
  auto* const buffer = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  const int size = buffer->len - buffer->cursor;
  const char* const bytes = pq_getmsgbytes(buffer, size);
  PG_RETURN_DATUM(
      checked({reinterpret_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)}));
}

// The bytes of a value are what is sent, and what a bytea of them has.
PG_FUNCTION_INFO_V1(bloomery_send);
Datum bloomery_send(PG_FUNCTION_ARGS) {
  PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P_COPY(0));
}

PG_FUNCTION_INFO_V1(bloomery_to_bytea);
Datum bloomery_to_bytea(PG_FUNCTION_ARGS) {
  PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P(0));
}

PG_FUNCTION_INFO_V1(bloomery_from_bytea);
Datum bloomery_from_bytea(PG_FUNCTION_ARGS) {
  PG_RETURN_DATUM(checked(bytes_in(PG_GETARG_VARLENA_PP(0))));
}

}  // extern "C"
