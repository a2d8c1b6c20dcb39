// Where C++ and PostgreSQL meet. PostgreSQL reports errors by longjmp, which runs no destructors; C++ by
// exceptions, which PostgreSQL cannot catch. So all C++ runs inside `guard`, which calls nothing that may
// jump, and what it throws becomes an ERROR only after its last destructor has run.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "bloomery/core/bytes.hpp"
#include "bloomery/filters/any_filter.hpp"
#include "server.hpp"

namespace bloomery::postgres {

// What was thrown, in memory that needs no destructor.
struct complaint {
  int state;
  char text[2000];
};
// Of the exception being handled.
void take_note(complaint& problem) noexcept;
[[noreturn]] void raise(const complaint& problem);

template <class Work>
bool succeeds(complaint& problem, const Work& work) noexcept {
  try {
    work();
    return true;
  } catch (...) {
    take_note(problem);
    return false;
  }
}

// Runs C++. What is around it must have no destructors, since it may jump.
template <class Work>
void guard(const Work& work) {
  static_assert(std::is_trivially_destructible_v<Work>);
  complaint problem;
  if (!succeeds(problem, work)) raise(problem);
}

// Inside `guard`: a new varlena of the current context, or std::bad_alloc; and one of a filter.
varlena* new_value(std::size_t bytes);
varlena* value_of(const any_filter& filter);

inline byte_view bytes_in(const varlena* value) {
  return {reinterpret_cast<const std::byte*>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}

// A C++ object that goes with a memory context. Outside `guard`, since making one may jump.
template <class T>
struct kept {
  T* object;
  MemoryContextCallback ending;

  static kept* in(MemoryContext context) {
    auto* const made = static_cast<kept*>(MemoryContextAllocZero(context, sizeof(kept)));
    made->ending.func = [](void* ended) { static_cast<kept*>(ended)->reset(nullptr); };
    made->ending.arg = made;
    MemoryContextRegisterResetCallback(context, &made->ending);
    return made;
  }
  void reset(T* next) {
    delete object;
    object = next;
  }
};

}  // namespace bloomery::postgres
