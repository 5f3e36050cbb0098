// Ranks that are threads of one process: for tests, and for programs that try
// out what they will run on many machines.
//
// The links of one call belong together and share what they need; each is used
// by its own rank's threads.
#pragma once

#include "sluice/collective/links.h"

namespace sluice::collective {

std::vector<std::unique_ptr<Links>> MakeThreadLinks(int size);

}  // namespace sluice::collective
