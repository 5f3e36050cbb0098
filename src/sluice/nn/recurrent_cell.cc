#include "sluice/nn/recurrent_cell.h"

#include "sluice/base/strings.h"
#include "sluice/nn/checks.h"

namespace sluice::nn {

using Where = std::source_location;

namespace {

CellKind KindOf(const std::string& nonlinearity, Where where) {
  SL_WANT(nonlinearity == "tanh" || nonlinearity == "relu", where,
          "RNNCell: nonlinearity is \"", nonlinearity,
          "\"; wanted tanh or relu");
  return nonlinearity == "tanh" ? CellKind::kTanh : CellKind::kRelu;
}

GateWeights Checked(Module& module, const char* type, const GateSizes& sizes,
                    Where where) {
  CheckGateSizes(type, sizes, where);
  return AddGateWeights(module, sizes, "");
}

void CheckRows(const char* what, const Tensor& x, int64_t size, Where where) {
  bool fits =
      x.defined() &&
      (x.rank() < 0 || (x.rank() == 2 && (x.dim(1) < 0 || x.dim(1) == size)));
  SL_WANT(fits, where, what, " is ",
          x.defined() ? TypeText(x.dtype(), x.shape()) : "nothing",
          "; wanted [batch, ", size, "]");
}

}  // namespace

PlainCell::PlainCell(const char* type, const GateSizes& sizes, Where where)
    : input_size(sizes.input_size),
      hidden_size(sizes.hidden_size),
      weights(Checked(*this, type, sizes, where)) {}

Tensor PlainCell::forward(Tensor x, Tensor h) {
  CheckRows("x", x, input_size, line());
  CheckRows("the state", h, hidden_size, line());
  return NextState(weights, InputGates(weights, x, line()), {h}, line())[0];
}

Tensor PlainCell::zero_state(const Tensor& x, Where where) const {
  return ZeroState(weights, x, where)[0];
}

Tensor PlainCell::prepare(const Tensor& xs, Where where) const {
  return InputGates(weights, xs, where);
}

std::pair<Tensor, Tensor> PlainCell::step(const Tensor& prepared,
                                          const Tensor& h, Where where) const {
  Tensor next = NextState(weights, prepared, {h}, where)[0];
  return {next, next};
}

std::string PlainCell::extra_repr() const {
  return StrCat(input_size, ", ", hidden_size,
                weights.kind == CellKind::kRelu ? ", nonlinearity=relu" : "",
                weights.bias_ih.defined() ? "" : ", bias=false");
}

RNNCell::RNNCell(int64_t input_size, int64_t hidden_size,
                 const RNNCellOptions& o, Where where)
    : PlainCell("RNNCell",
                {.kind = KindOf(o.nonlinearity, where),
                 .input_size = input_size,
                 .hidden_size = hidden_size,
                 .bias = o.bias,
                 .dtype = o.dtype},
                where) {}

GRUCell::GRUCell(int64_t input_size, int64_t hidden_size, const CellOptions& o,
                 Where where)
    : PlainCell("GRUCell",
                {.kind = CellKind::kGru,
                 .input_size = input_size,
                 .hidden_size = hidden_size,
                 .bias = o.bias,
                 .dtype = o.dtype},
                where) {}

LSTMCell::LSTMCell(int64_t input_size, int64_t hidden_size,
                   const LSTMCellOptions& o, Where where)
    : input_size(input_size),
      hidden_size(hidden_size),
      weights(Checked(*this, "LSTMCell",
                      {.kind = CellKind::kLstm,
                       .input_size = input_size,
                       .hidden_size = hidden_size,
                       .proj_size = o.proj_size,
                       .bias = o.bias,
                       .peepholes = o.peepholes,
                       .dtype = o.dtype},
                      where)) {}

LSTMState LSTMCell::forward(Tensor x, const LSTMState& state) {
  CheckRows("x", x, input_size, line());
  CheckRows("h of the state", state.first, weights.weight_hh.dim(1), line());
  CheckRows("c of the state", state.second, hidden_size, line());
  return step(prepare(x, line()), state, line()).second;
}

LSTMState LSTMCell::zero_state(const Tensor& x, Where where) const {
  std::vector<Tensor> zeros = ZeroState(weights, x, where);
  return {zeros[0], zeros[1]};
}

Tensor LSTMCell::prepare(const Tensor& xs, Where where) const {
  return InputGates(weights, xs, where);
}

std::pair<Tensor, LSTMState> LSTMCell::step(const Tensor& prepared,
                                            const LSTMState& state,
                                            Where where) const {
  std::vector<Tensor> next =
      NextState(weights, prepared, {state.first, state.second}, where);
  return {next[0], {next[0], next[1]}};
}

std::string LSTMCell::extra_repr() const {
  return StrCat(input_size, ", ", hidden_size,
                weights.weight_hr.defined()
                    ? StrCat(", proj_size=", weights.weight_hr.dim(0))
                    : "",
                weights.weight_ci.defined() ? ", peepholes=true" : "",
                weights.bias_ih.defined() ? "" : ", bias=false");
}

}  // namespace sluice::nn
