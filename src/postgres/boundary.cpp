#include "boundary.hpp"

#include <cstring>
#include <exception>

#include "bloomery/any/stored.hpp"
#include "bloomery/core/error.hpp"
#include "value.hpp"

extern "C" {
PG_MODULE_MAGIC;
}

namespace bloomery::postgres {
namespace {

int state_of(errc code) {
  switch (code) {
    case errc::invalid:
    case errc::incompatible:
      return ERRCODE_INVALID_PARAMETER_VALUE;
    case errc::unsupported:
      return ERRCODE_FEATURE_NOT_SUPPORTED;
    case errc::corrupt:
      return ERRCODE_INVALID_BINARY_REPRESENTATION;
    case errc::limit:
      return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    case errc::out_of_memory:
      return ERRCODE_OUT_OF_MEMORY;
    case errc::read_only:
    case errc::io:
      break;
  }
  return ERRCODE_INTERNAL_ERROR;
}

void note(complaint& problem, int state, const char* text) {
  problem.state = state;
  strlcpy(problem.text, text, sizeof problem.text);
}

}  // namespace

void take_note(complaint& problem) noexcept {
  try {
    throw;
  } catch (const error& thrown) {
    note(problem, state_of(thrown.code()), thrown.what());
  } catch (const std::bad_alloc&) {
    note(problem, ERRCODE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& thrown) {
    note(problem, ERRCODE_INTERNAL_ERROR, thrown.what());
  } catch (...) {
    note(problem, ERRCODE_INTERNAL_ERROR, "an unknown error");
  }
}

void raise(const complaint& problem) {
  const int size = static_cast<int>(strlen(problem.text));
  const int whole = pg_mbcliplen(problem.text, size, size);  // where a character ends
  ereport(ERROR, (errcode(problem.state), errmsg("bloomery: %.*s", whole, problem.text)));
  pg_unreachable();
}

varlena* new_value(std::size_t bytes) {
  void* const place = bytes > most_bytes + VARHDRSZ
                          ? nullptr
                          : palloc_extended(VARHDRSZ + bytes, MCXT_ALLOC_NO_OOM);
  if (place == nullptr) throw std::bad_alloc();
  auto* const value = static_cast<varlena*>(place);
  SET_VARSIZE(value, VARHDRSZ + bytes);
  return value;
}

varlena* value_of(const any_filter& filter) {
  const std::vector<std::byte> stored = save(filter);
  require_size(filter.kind(), stored.size());
  varlena* const value = new_value(stored.size());
  std::memcpy(VARDATA(value), stored.data(), stored.size());
  return value;
}

}  // namespace bloomery::postgres
