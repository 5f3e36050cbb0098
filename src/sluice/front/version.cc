#include "sluice/front/version.h"

namespace sluice {

// SLUICE_VERSION is the version of the CMake project.
const char* version() { return SLUICE_VERSION; }

}  // namespace sluice
