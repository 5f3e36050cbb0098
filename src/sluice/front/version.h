// Which Sluice this is.
#pragma once

namespace sluice {

const char* version();  // "0.1.0"

}  // namespace sluice
