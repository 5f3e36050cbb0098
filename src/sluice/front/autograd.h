// Gradients by functions, imperatively and in graphs alike.
//
//   auto [dw, db] = sl::grad(loss, {w, b});        // no backward(), no .grad
//   auto h  = sl::hvp([](Tensor x) { ... }, x, v);   // Hessian times v
//
// In a graph they add nodes and return values of it. Errors name the op that
// cut the way: see why_no_grad.
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include "sluice/eager/operand.h"
#include "sluice/eager/tensor.h"
#include "sluice/eager/tensor_fn.h"

namespace sluice {

struct GradOptions {
  // What flows into each y; missing ones are ones (imperatively: of scalars).
  std::vector<Tensor> grad_ys{};
  // An x the ys do not depend on: an error that explains itself, or zeros.
  bool zeros_when_unconnected = false;
  // Or a Tensor that holds nothing.
  bool none_when_unconnected = false;
  // Imperatively: keep what another call needs; let the gradients be
  // differentiated themselves.
  bool retain_graph = false, create_graph = false;
  // Sparse gradients are made dense.
  bool dense = false;
  // In a graph: gradients of what a loop reads around it, such as weights, are
  // computed from all iterations at once after the backward loop, where that
  // is faster; else every iteration adds its own. Only rounding differs.
  bool hoist = true;
};

// The gradients of the sum of all ys. That of an x of which nothing but slices
// along axis 0 were gathered is sparse (Tensor::is_sparse).
std::vector<Tensor> gradients(
    const std::vector<Tensor>& ys, const std::vector<Tensor>& xs,
    const GradOptions& options = {},
    std::source_location where = std::source_location::current());
Tensor grad(const Tensor& y, const Tensor& x, const GradOptions& options = {},
            std::source_location where = std::source_location::current());
std::vector<Tensor> grad(
    const Tensor& y, const std::vector<Tensor>& xs,
    const GradOptions& options = {},
    std::source_location where = std::source_location::current());

// With respect to variables, wherever they were read.
std::vector<Tensor> gradients(
    const std::vector<Tensor>& ys, const std::vector<Variable>& xs,
    const GradOptions& options = {},
    std::source_location where = std::source_location::current());
Tensor grad(const Tensor& y, const Variable& x, const GradOptions& options = {},
            std::source_location where = std::source_location::current());

// One sentence on why y has no gradient with respect to x, naming the op that
// cut the way and its line; empty when there is one.
std::string why_no_grad(const Tensor& y, const Tensor& x);

// f(x), and its change along the tangents: forward mode.
struct JvpResult {
  std::vector<Tensor> values, tangents;
};
JvpResult jvp(const TensorFn& f, const std::vector<Tensor>& xs,
              const std::vector<Tensor>& tangents,
              std::source_location where = std::source_location::current());
// f(x), and what its gradients give for these of its results: reverse mode.
struct VjpResult {
  std::vector<Tensor> values, gradients;
};
VjpResult vjp(const TensorFn& f, const std::vector<Tensor>& xs,
              const std::vector<Tensor>& grad_ys,
              std::source_location where = std::source_location::current());
// The Hessian of a scalar function times v.
std::vector<Tensor> hvp(
    const TensorFn& f, const std::vector<Tensor>& xs,
    const std::vector<Tensor>& v,
    std::source_location where = std::source_location::current());

// A function with a gradient of its own: `backward` gets inputs, results and
// what flows into the results, and returns one gradient per input; a Tensor
// that holds nothing stands for none. Works in graphs too, where `backward` is
// called when gradients are built. What flows into a result nothing was made of
// is zeros or, if those are not wanted, a Tensor that holds nothing.
std::vector<Tensor> custom_gradient(
    const TensorFn& forward, const BackwardFn& backward,
    const std::vector<Tensor>& inputs,
    std::source_location where = std::source_location::current(),
    bool zeros = true);

// f with a gradient that runs f again instead of keeping what it computed in
// between: memory for time. f must do the same every time; the random numbers
// it draws are the same.
TensorFn checkpoint(TensorFn f);

// The gradients of f at these f64 points against differences. Throws when they
// disagree; the text says which element of which input, and by how much.
struct GradcheckOptions {
  double step = 1e-6, tolerance = 1e-5;
  bool second_order = false;
};
void gradcheck(const TensorFn& f, const std::vector<Tensor>& xs,
               const GradcheckOptions& options = {});

}  // namespace sluice
