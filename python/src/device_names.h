// Names of devices as the package writes them.
#pragma once

#include <string>

namespace sluice::py {

// "cpu", "cpu:1", "cuda:0", of a name such as "/device:gpu:0".
std::string ShortName(const std::string& name);

}  // namespace sluice::py
