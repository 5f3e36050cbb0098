#include "sluice/nn/gates.h"

#include <cmath>

#include "sluice/eager/constants.h"
#include "sluice/eager/index.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/beside.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/init.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice::nn {

using Where = std::source_location;
using Tensors = std::vector<Tensor>;

namespace {

int64_t GatesOf(CellKind kind) {
  return kind == CellKind::kLstm ? 4 : kind == CellKind::kGru ? 3 : 1;
}

Tensor FromState(const GateWeights& w, const Tensor& h, Where where) {
  return matmul(h, w.weight_hh, {.transpose_b = true}, {}, where);
}

Tensors WithPeepholes(const GateWeights& w, const Tensor& gates,
                      const Tensor& c, Where where) {
  Tensors parts = split(gates, 4, {.axis = 1}, {}, where);
  auto seen = [&](const Tensor& gate, const Tensor& weight, const Tensor& by) {
    return sigmoid(add(gate, mul(weight, by, {}, where), {}, where), {}, where);
  };
  Tensor i = seen(parts[0], w.weight_ci, c);
  Tensor f = seen(parts[1], w.weight_cf, c);
  Tensor c_new = add(mul(f, c, {}, where),
                     mul(i, tanh(parts[2], {}, where), {}, where), {}, where);
  Tensor o = seen(parts[3], w.weight_co, c_new);
  return {mul(o, tanh(c_new, {}, where), {}, where), c_new};
}

}  // namespace

void CheckGateSizes(std::string_view type, const GateSizes& s, Where where) {
  SL_WANT(s.input_size > 0 && s.hidden_size > 0, where, type,
          ": input_size is ", s.input_size, ", hidden_size is ", s.hidden_size,
          "; wanted both positive");
  SL_WANT(s.proj_size >= 0 && s.proj_size < s.hidden_size, where, type,
          ": proj_size is ", s.proj_size, "; wanted less than hidden_size ",
          s.hidden_size, ", or 0 for none");
  SL_WANT(s.kind == CellKind::kLstm || (s.proj_size == 0 && !s.peepholes),
          where, type, ": proj_size and peepholes are options of an LSTM");
}

GateWeights AddGateWeights(Module& module, const GateSizes& sizes,
                           const std::string& suffix) {
  GateWeights w;
  w.kind = sizes.kind;
  int64_t hidden = sizes.hidden_size, rows = GatesOf(sizes.kind) * hidden;
  int64_t out = sizes.proj_size > 0 ? sizes.proj_size : hidden;
  double bound = 1 / std::sqrt(static_cast<double>(hidden));
  auto make = [&](const char* name, const Sizes& shape) {
    return module.add_parameter(name + suffix,
                                init::NewUniform(shape, bound, sizes.dtype));
  };
  w.weight_ih = make("weight_ih", {rows, sizes.input_size});
  w.weight_hh = make("weight_hh", {rows, out});
  if (sizes.bias) {
    w.bias_ih = make("bias_ih", {rows});
    w.bias_hh = make("bias_hh", {rows});
  }
  if (sizes.proj_size > 0) w.weight_hr = make("weight_hr", {out, hidden});
  if (sizes.peepholes) {
    w.weight_ci = make("weight_ci", {hidden});
    w.weight_cf = make("weight_cf", {hidden});
    w.weight_co = make("weight_co", {hidden});
  }
  return w;
}

Tensor InputGates(const GateWeights& w, const Tensor& x, Where where) {
  // A GRU's reset gate stands between the state's product and its bias and the
  // sum; in others both biases are added to the same.
  Tensor bias = w.bias_ih;
  if (bias.defined() && w.kind != CellKind::kGru)
    bias = add(bias, w.bias_hh, {}, where);
  return linear(x, w.weight_ih, bias, where);
}

Tensors NextState(const GateWeights& w, const Tensor& x_gates,
                  const Tensors& state, Where where) {
  const Tensor& h = state[0];
  Tensor h_gates = FromState(w, h, where);
  if (w.kind == CellKind::kGru) {
    if (w.bias_hh.defined()) h_gates = add(h_gates, w.bias_hh, {}, where);
    return {gru_cell(x_gates, h_gates, h, {}, where).h_new};
  }
  Tensor gates = add(h_gates, x_gates, {}, where);
  if (w.kind == CellKind::kTanh) return {tanh(gates, {}, where)};
  if (w.kind == CellKind::kRelu) return {relu(gates, {}, where)};
  Tensors next;
  if (w.weight_ci.defined()) {
    next = WithPeepholes(w, gates, state[1], where);
  } else {
    auto made = lstm_cell(gates, state[1], {}, where);
    next = {made.h, made.c_new};
  }
  if (w.weight_hr.defined()) {
    next[0] = matmul(next[0], w.weight_hr, {.transpose_b = true}, {}, where);
  }
  return next;
}

std::vector<int64_t> StateSizes(const GateWeights& w) {
  std::vector<int64_t> sizes{w.weight_hh.dim(1)};
  if (w.kind == CellKind::kLstm) sizes.push_back(w.weight_hh.dim(0) / 4);
  return sizes;
}

Tensors ZeroState(const GateWeights& w, const Tensor& x, Where where) {
  Tensors state;
  for (int64_t size : StateSizes(w)) {
    int64_t batch = x.dim(-2);
    DType dtype = w.weight_hh.dtype();
    if (batch >= 0) {
      state.push_back(Beside(x, zeros({batch, size}, dtype, {}, where), where));
      continue;
    }
    Tensor rows = shape(x, {}, where).at({slice(-2, -1)}, where);
    Tensor dims = concat({rows, Ints({size})}, {}, {}, where);
    state.push_back(fill(dims, constant(0.0f, dtype), {}, where));
  }
  return state;
}

}  // namespace sluice::nn
