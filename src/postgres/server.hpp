// The headers of PostgreSQL, in C, and in the order in which they need each other.
#pragma once

extern "C" {
// clang-format off
#include <postgres.h>
#include <fmgr.h>
#include <funcapi.h>
#include <access/detoast.h>
#include <access/htup_details.h>
#include <libpq/pqformat.h>
#include <mb/pg_wchar.h>
#include <utils/builtins.h>
#include <utils/jsonb.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#include <utils/uuid.h>
// clang-format on
}
