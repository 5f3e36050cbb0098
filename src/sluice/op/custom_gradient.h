// Gradients that the user's program defines. The op CustomGradient names one by
// number, so that a graph that holds it prints and parses.
//
// A function lives as long as the number it was given: an array that the node
// has for an attribute, which copies of the node share. With the last of them
// the function goes, on whatever thread that happens. Text and files have the
// plain number, which keeps nothing alive: a graph read from them finds the
// function while the graph it was written from, or a copy of it, is there.
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
