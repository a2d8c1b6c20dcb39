// The aggregates: a state in the aggregate's memory context, which workers hand on as stored bytes.
#include "building.hpp"
#include "keys.hpp"
#include "value.hpp"

namespace {

using namespace bloomery;
using namespace bloomery::postgres;

using state = kept<building>;

state* state_at(FunctionCallInfo fcinfo, int argument) {
  return PG_ARGISNULL(argument) ? nullptr : reinterpret_cast<state*>(PG_GETARG_POINTER(argument));
}

MemoryContext context_of(FunctionCallInfo fcinfo) {
  MemoryContext context = nullptr;
  if (AggCheckCallContext(fcinfo, &context) == 0) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("bloomery: this function is a part of an aggregate")));
  }
  return context;
}

// Of the group before.
kept<plan>& plan_of(FunctionCallInfo fcinfo) {
  FmgrInfo* const site = fcinfo->flinfo;
  if (site->fn_extra == nullptr) site->fn_extra = kept<plan>::in(site->fn_mcxt);
  return *static_cast<kept<plan>*>(site->fn_extra);
}

void begin(state& built, kept<plan>& last, const order& asked) {
  guard([&] {
    if (last.object == nullptr || !last.object->is_for(asked)) last.reset(new plan(asked));
    built.object = new building(last.object->begun());
  });
}

// The state, value, keys, rate, and the kind if it is told.
Datum add(FunctionCallInfo fcinfo, std::string_view (*key_of)(Datum)) {
  auto* const context = context_of(fcinfo);
  order asked{};
  for (int i = 2; i < PG_NARGS(); ++i) {
    if (PG_ARGISNULL(i)) {
      ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                      errmsg("bloomery: keys, rate and kind of a filter must not be null")));
    }
  }
  asked.keys = PG_GETARG_INT64(2);
  asked.rate = PG_GETARG_FLOAT8(3);
  if (PG_NARGS() > 4) asked.kind = text_key(PG_GETARG_DATUM(4));
  state* built = state_at(fcinfo, 0);
  if (built == nullptr) {
    require_deterministic(PG_GET_COLLATION());
    built = state::in(context);
    begin(*built, plan_of(fcinfo), asked);
  }
  const bool counts = !PG_ARGISNULL(1);
  const std::string_view key = counts ? key_of(PG_GETARG_DATUM(1)) : std::string_view();
  guard([&] {
    built->object->require_same(asked);
    if (counts) built->object->add(key);
  });
  PG_RETURN_POINTER(built);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(bloomery_add_text);
Datum bloomery_add_text(PG_FUNCTION_ARGS) {
  return add(fcinfo, text_key);
}
PG_FUNCTION_INFO_V1(bloomery_add_bytea);
Datum bloomery_add_bytea(PG_FUNCTION_ARGS) {
  return add(fcinfo, bytea_key);
}
PG_FUNCTION_INFO_V1(bloomery_add_bigint);
Datum bloomery_add_bigint(PG_FUNCTION_ARGS) {
  return add(fcinfo, bigint_key);
}
PG_FUNCTION_INFO_V1(bloomery_add_uuid);
Datum bloomery_add_uuid(PG_FUNCTION_ARGS) {
  return add(fcinfo, uuid_key);
}

PG_FUNCTION_INFO_V1(bloomery_union_add);
Datum bloomery_union_add(PG_FUNCTION_ARGS) {
  auto* const context = context_of(fcinfo);
  state* built = state_at(fcinfo, 0);
  if (PG_ARGISNULL(1)) {
    if (built == nullptr) PG_RETURN_NULL();
    PG_RETURN_POINTER(built);
  }
  const byte_view stored = bytes_in(PG_GETARG_VARLENA_PP(1));
  if (built == nullptr) built = state::in(context);
  guard([&] {
    any_filter filter = opened(stored);
    if (built->object == nullptr) {
      built->object = new building(std::move(filter));
    } else {
      built->object->merge(filter);
    }
  });
  PG_RETURN_POINTER(built);
}

PG_FUNCTION_INFO_V1(bloomery_combine);
Datum bloomery_combine(PG_FUNCTION_ARGS) {
  auto* const context = context_of(fcinfo);
  state* built = state_at(fcinfo, 0);
  state* const other = state_at(fcinfo, 1);
  if (other == nullptr) {
    if (built == nullptr) PG_RETURN_NULL();
    PG_RETURN_POINTER(built);
  }
  if (built == nullptr) {
    built = state::in(context);
    built->object = std::exchange(other->object, nullptr);
  } else {
    guard([&] { built->object->merge(other->object->now()); });
  }
  PG_RETURN_POINTER(built);
}

PG_FUNCTION_INFO_V1(bloomery_serialize);
Datum bloomery_serialize(PG_FUNCTION_ARGS) {
  (void)context_of(fcinfo);
  varlena* value = nullptr;
  guard([&] { value = value_of(state_at(fcinfo, 0)->object->now()); });
  PG_RETURN_POINTER(value);
}

PG_FUNCTION_INFO_V1(bloomery_deserialize);
Datum bloomery_deserialize(PG_FUNCTION_ARGS) {
  (void)context_of(fcinfo);
  const byte_view stored = bytes_in(PG_GETARG_VARLENA_PP(0));
  state* const built = state::in(CurrentMemoryContext);
  guard([&] { built->object = new building(loaded(stored)); });
  PG_RETURN_POINTER(built);
}

PG_FUNCTION_INFO_V1(bloomery_final);
Datum bloomery_final(PG_FUNCTION_ARGS) {
  (void)context_of(fcinfo);
  state* const built = state_at(fcinfo, 0);
  if (built == nullptr) PG_RETURN_NULL();
  varlena* value = nullptr;
  guard([&] {
    const any_filter& filter = built->object->now();
    require_useful(filter);
    value = value_of(filter);
  });
  PG_RETURN_POINTER(value);
}

}  // extern "C"
