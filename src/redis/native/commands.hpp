// The commands BLOOM.*, by what they do. Each follows from abilities: none knows a kind.
#pragma once

#include "redis/call.hpp"

namespace bloomery::redis::native {

// change.cpp
void create(call& asked);
void add(call& asked);
void add_at(call& asked);
void add_packed(call& asked);
void remove(call& asked);
void remove_packed(call& asked);
void set(call& asked);
void fence(call& asked);

// ask.cpp
void has(call& asked);
void has_at(call& asked);
void has_packed(call& asked);
void count(call& asked);
void count_at(call& asked);
void get(call& asked);
void top(call& asked);

// combine.cpp
void merge(call& asked);
void fold(call& asked);

// report.cpp
void info(call& asked);
void estimate(call& asked);
void doctor(call& asked);
void kinds(call& asked);

// transfer.cpp
void dump(call& asked);
void load(call& asked);

}  // namespace bloomery::redis::native
