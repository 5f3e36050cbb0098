// Helpers shared by the tests of training over tasks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/tensor/array.h"

namespace sluice {

inline const std::vector<std::string> kTasks = {"/job:ps/task:0",
                                                "/job:ps/task:1"};

inline std::vector<float> Floats(const Array& a) {
  const float* p = a.data<float>();
  return {p, p + a.num_elements()};
}

inline std::string Message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace sluice
