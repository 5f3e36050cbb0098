// Gradients of graphs, as more graph.
//
//   Gradients(graph, {loss}, {w, b})   dloss/dw, dloss/db
//   Jvp(graph, {y}, {x}, {v})          dy/dx * v: forward mode
//
// Nodes are appended to the region the values live in; what is there already
// does not change. The caller holds the graph's lock.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct GradientOptions {
  // What to do with an x that no y depends on: an error that says why, zeros,
  // or no value.
  bool zeros_when_unconnected = false;
  bool none_when_unconnected = false;
  // Gradients of what loops read around them, such as weights, are computed
  // from all iterations at once after the backward loop, where that is faster;
  // else every iteration adds its own.
  bool hoist = true;
  // The xs are what they are, whatever they were made of: what flows into one
  // does not flow on to another that it was made of.
  bool stop_at_xs = false;
};

// The sum over all ys of the gradient of y with respect to each x; an x that is
// a resource, such as a variable's handle, stands for all that was read of it.
// `grad_ys`
// are the gradients that flow into the ys: empty for ones, and no value stands
// for ones as well.
Result<std::vector<Value>> Gradients(Graph& graph, std::span<const Value> ys,
                                     std::span<const Value> xs,
                                     std::span<const Value> grad_ys = {},
                                     const GradientOptions& options = {});

// A gradient that nobody has made dense: a value, or rows, slices along axis 0
// (`values`) to be added to zeros of `shape` at `indices`, a vector in which an
// index may be twice.
struct GradientValue {
  Value dense;
  Value indices, values, shape{};  // shape is a vector of i64
  bool rows() const { return static_cast<bool>(values); }
  explicit operator bool() const { return dense || values; }
};

// The same with rows left as they are, where rules gave rows and nothing but
// rows flows into an x.
Result<std::vector<GradientValue>> GradientsOrRows(
    Graph& graph, std::span<const Value> ys, std::span<const Value> xs,
    std::span<const Value> grad_ys = {}, const GradientOptions& options = {});

// The change of each y when the xs change by `tangents`; no value stands for a
// tangent of zero.
Result<std::vector<Value>> Jvp(Graph& graph, std::span<const Value> ys,
                               std::span<const Value> xs,
                               std::span<const Value> tangents);

// One sentence: why y has no gradient with respect to x, naming the op that
// cut the path and its line; empty when there is a gradient.
std::string WhyNoGrad(const Value& y, const Value& x);

}  // namespace sluice
