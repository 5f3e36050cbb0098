// Gradients the user's program brings along. The op CustomGradient names one by
// number, so that a graph that holds it prints and parses; the functions
// themselves live as long as the process.
#pragma once

#include <functional>

#include "sluice/op/grad_context.h"

namespace sluice {

using CustomGradientFn = std::function<void(GradContext&)>;

int64_t RegisterCustomGradient(CustomGradientFn fn);
// Null when this process has none of that number. Thread safe.
const CustomGradientFn* FindCustomGradient(int64_t number);

}  // namespace sluice
