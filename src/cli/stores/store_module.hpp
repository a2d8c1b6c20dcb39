// What a module with a real store has: one function by this name, which opens an empty store in a folder.
// Modules are loaded when an experiment asks for them, so that the tool itself needs no store to run.
#pragma once

#include <string>

#include "bloomery/apps/lab/store.hpp"

extern "C" bloomery::lab::store* bloomery_open_store(const std::string& folder,
                                                     const bloomery::lab::store_plan& plan);
