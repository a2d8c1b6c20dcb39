// All of Bloomery for a program: filters of every kind that needs no cryptography, with their keys;
// files; the planner and the doctor; retouching and routing. docs/cpp.md is the tutorial;
// bloomery/secure.hpp has the kinds that keep keys secret.
//
//     bloomery::bloom<bloomery::blocked_filter> seen(1'000'000, 0.01);
//     seen.insert("zebra");
//     bloomery::save(seen, "seen.bloom");
//     assert(bloomery::open("seen.bloom").may_contain("zebra"));
#pragma once

#include "bloomery/any/any_bloom.hpp"
#include "bloomery/any/health.hpp"
#include "bloomery/any/kinds.hpp"
#include "bloomery/any/planner.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/any/stored.hpp"
#include "bloomery/apps/routing/forwarding.hpp"
#include "bloomery/filters/bloom.hpp"
#include "bloomery/filters/frequency/range_counts.hpp"
#include "bloomery/filters/set/retouching.hpp"
#include "bloomery/wire/bloom_io.hpp"
