// Gradients of graphs, as more graph.
//
//   Gradients(graph, {loss}, {w, b})   dloss/dw, dloss/db
//   Jvp(graph, {y}, {x}, {v})          dy/dx * v: forward mode
//
// Nodes are appended to the region the values live in; existing nodes are
// unchanged. The caller holds the graph's lock.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct GradientOptions {
  // The result for an x that no y depends on: an error with the reason, zeros,
  // or no value.
  bool zeros_when_unconnected = false;
  bool none_when_unconnected = false;
  // Gradients of captures of a loop, such as weights, are computed after the
  // backward loop, from all iterations at once, where that is faster; otherwise
  // every iteration adds its part.
  bool hoist = true;
  // Each x is treated as an independent variable: its gradient does not flow on
  // to another x that it depends on.
  bool stop_at_xs = false;
};

// The sum over all ys of the gradient of y with respect to each x. An x that is
// a resource, such as a variable's handle, represents all values read from it.
// `grad_ys` are the incoming gradients of the ys; empty, or an empty value,
// means ones.
Result<std::vector<Value>> Gradients(Graph& graph, std::span<const Value> ys,
                                     std::span<const Value> xs,
                                     std::span<const Value> grad_ys = {},
                                     const GradientOptions& options = {});

// A gradient in its original form: dense, or rows: slices along axis 0
// (`values`) to be added to zeros of `shape` at `indices`, a vector that may
// contain an index more than once.
struct GradientValue {
  Value dense;
  Value indices, values, shape{};  // shape is a vector of i64
  bool rows() const { return static_cast<bool>(values); }
  explicit operator bool() const { return dense || values; }
};

// The same, but gradients stay sparse if rules return rows and all parts of an
// x's gradient are rows.
Result<std::vector<GradientValue>> GradientsOrRows(
    Graph& graph, std::span<const Value> ys, std::span<const Value> xs,
    std::span<const Value> grad_ys = {}, const GradientOptions& options = {});

// The derivative of each y when the xs change by `tangents`; an empty value
// represents a tangent of zero.
Result<std::vector<Value>> Jvp(Graph& graph, std::span<const Value> ys,
                               std::span<const Value> xs,
                               std::span<const Value> tangents);

// One sentence: why y has no gradient with respect to x, naming the op that
// cut the path and its line; empty when there is a gradient.
std::string WhyNoGrad(const Value& y, const Value& x);

}  // namespace sluice
