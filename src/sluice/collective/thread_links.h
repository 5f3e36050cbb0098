// Ranks that are threads of one process: for tests, and for trying programs
// that will run on many machines.
//
// The links made by one call share state; each is used by the threads of its
// own rank.
#pragma once

#include "sluice/collective/links.h"

namespace sluice::collective {

std::vector<std::unique_ptr<Links>> MakeThreadLinks(int size);

}  // namespace sluice::collective
