// Functions of filters: membership, what a filter tells of itself, and merging two.
#include "keys.hpp"
#include "value.hpp"

namespace {

using namespace bloomery;
using namespace bloomery::postgres;

// The filter of the row before, most often that of all rows. One that lies out of line is known by where it
// lies, and is not even fetched again.
struct last_filter {
  remembered filter;
  bool out_of_line;
  varatt_external place;
};

bool lies_at(const varlena* value, const last_filter& last) {
  if (!last.out_of_line || !VARATT_IS_EXTERNAL_ONDISK(value)) return false;
  varatt_external place;
  VARATT_EXTERNAL_GET_POINTER(place, value);
  return place.va_valueid == last.place.va_valueid &&
         place.va_toastrelid == last.place.va_toastrelid;
}

void remember(kept<last_filter>& cache, varlena* value) {
  if (cache.object != nullptr && lies_at(value, *cache.object)) return;
  varlena* const whole = pg_detoast_datum_packed(value);
  const byte_view stored = bytes_in(whole);
  if (cache.object == nullptr || !cache.object->filter.is(stored)) {
    guard([&] { cache.reset(new last_filter{remembered(stored), false, {}}); });
  }
  cache.object->out_of_line = VARATT_IS_EXTERNAL_ONDISK(value);
  if (cache.object->out_of_line) VARATT_EXTERNAL_GET_POINTER(cache.object->place, value);
  if (whole != value) pfree(whole);
}

Datum has(FunctionCallInfo fcinfo, std::string_view (*key_of)(Datum)) {
  auto* cache = static_cast<kept<last_filter>*>(fcinfo->flinfo->fn_extra);
  if (cache == nullptr) {
    require_deterministic(PG_GET_COLLATION());
    cache = kept<last_filter>::in(fcinfo->flinfo->fn_mcxt);
    fcinfo->flinfo->fn_extra = cache;
  }
  remember(*cache, reinterpret_cast<varlena*>(PG_GETARG_POINTER(0)));
  const std::string_view key = key_of(PG_GETARG_DATUM(1));
  bool answer = false;
  guard([&] { answer = cache->object->filter.has(key); });
  PG_RETURN_BOOL(answer);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(bloomery_has_text);
Datum bloomery_has_text(PG_FUNCTION_ARGS) {
  return has(fcinfo, text_key);
}
PG_FUNCTION_INFO_V1(bloomery_has_bytea);
Datum bloomery_has_bytea(PG_FUNCTION_ARGS) {
  return has(fcinfo, bytea_key);
}
PG_FUNCTION_INFO_V1(bloomery_has_bigint);
Datum bloomery_has_bigint(PG_FUNCTION_ARGS) {
  return has(fcinfo, bigint_key);
}
PG_FUNCTION_INFO_V1(bloomery_has_uuid);
Datum bloomery_has_uuid(PG_FUNCTION_ARGS) {
  return has(fcinfo, uuid_key);
}

PG_FUNCTION_INFO_V1(bloomery_rate);
Datum bloomery_rate(PG_FUNCTION_ARGS) {
  const byte_view stored = bytes_in(PG_GETARG_VARLENA_PP(0));
  double rate = 0;
  guard([&] { rate = rate_of(opened(stored)); });
  PG_RETURN_FLOAT8(rate);
}

PG_FUNCTION_INFO_V1(bloomery_estimate);
Datum bloomery_estimate(PG_FUNCTION_ARGS) {
  TupleDesc row = nullptr;
  if (get_call_result_type(fcinfo, nullptr, &row) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "bloomery_estimate returns a row");
  }
  const byte_view stored = bytes_in(PG_GETARG_VARLENA_PP(0));
  math::estimate keys;
  guard([&] { keys = opened(stored).as<measures>().estimated_keys(); });
  Datum columns[] = {Float8GetDatum(keys.value), Float8GetDatum(keys.low),
                     Float8GetDatum(keys.high)};
  bool nulls[] = {false, false, false};
  PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), columns, nulls)));
}

PG_FUNCTION_INFO_V1(bloomery_info);
Datum bloomery_info(PG_FUNCTION_ARGS) {
  const byte_view stored = bytes_in(PG_GETARG_VARLENA_PP(0));
  char* written = nullptr;
  guard([&] {
    const std::string info = described(opened(stored));
    written = VARDATA(new_value(info.size() + 1));
    info.copy(written, info.size());
    written[info.size()] = '\0';
  });
  PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(written)));
}

PG_FUNCTION_INFO_V1(bloomery_merge);
Datum bloomery_merge(PG_FUNCTION_ARGS) {
  const byte_view first = bytes_in(PG_GETARG_VARLENA_PP(0));
  const byte_view second = bytes_in(PG_GETARG_VARLENA_PP(1));
  varlena* value = nullptr;
  guard([&] {
    any_filter merged = opened(first);
    merged.as<merges>().merge(opened(second));
    require_useful(merged);
    value = value_of(merged);
  });
  PG_RETURN_POINTER(value);
}

}  // extern "C"
