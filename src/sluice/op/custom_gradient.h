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

// Its number, for the attribute "function": an i64 that no other one has had.
// `sees_flow`: it tells what nothing flows into from what zeros do.
Array RegisterCustomGradient(CustomGradientFn fn, bool sees_flow = false);
// Null when this process has none of that number.
std::shared_ptr<const CustomGradientFn> FindCustomGradient(int64_t number);
// What was said of it then; false when this process has none of that number.
bool SeesFlow(int64_t number);
// How many there are.
int64_t NumCustomGradients();

}  // namespace sluice
