// Device names as the package writes them.
#pragma once

#include <string>

namespace sluice::py {

// Converts names such as "/device:gpu:0" to "cpu", "cpu:1", "cuda:0".
std::string ShortName(const std::string& name);

}  // namespace sluice::py
