// Gradients that the user's program defines. The op CustomGradient refers to
// one by number, so that its graph can be printed and parsed.
//
// A function lives as long as its number: an array in an attribute of the node,
// which copies of the node share. The function is destroyed with the last of
// them, on whatever thread that happens. Text and files contain the plain
// number, which keeps nothing alive: a graph read from them finds the function
// as long as the original graph, or a copy of it, exists.
//
// Thread safe.
#pragma once

#include <functional>
#include <memory>

#include "sluice/op/grad_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

using CustomGradientFn = std::function<void(GradContext&)>;

// Returns its number, for the attribute "function": an i64 that is never
// reused. `sees_flow`: it distinguishes missing incoming gradients from zeros.
Array RegisterCustomGradient(CustomGradientFn fn, bool sees_flow = false);
// Null if this process has no function with that number.
std::shared_ptr<const CustomGradientFn> FindCustomGradient(int64_t number);
// The flag given at registration; false if there is no such function.
bool SeesFlow(int64_t number);
// The number of registered functions.
int64_t NumCustomGradients();

}  // namespace sluice
