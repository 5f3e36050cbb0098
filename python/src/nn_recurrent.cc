// Recurrent layers and cells as functions of their weights.
#include "bindings.h"
#include "errors.h"
#include "nn_args.h"
#include "sluice/base/strings.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/recurrent_layer.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

using nn::CellKind;
using nn::GateWeights;
using Where = std::source_location;

CellKind KindOf(const std::string& mode) {
  if (mode == "LSTM") return CellKind::kLstm;
  if (mode == "GRU") return CellKind::kGru;
  if (mode == "RNN_TANH") return CellKind::kTanh;
  if (mode == "RNN_RELU") return CellKind::kRelu;
  ThrowValueError(
      StrCat("mode is \"", mode, "\"; wanted LSTM, GRU, RNN_TANH or RNN_RELU"));
}

// In order: weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, weight_ci,
// weight_cf, weight_co; None for those that are not there.
GateWeights WeightsOf(const std::string& mode, nb::handle list) {
  GateWeights w;
  w.kind = KindOf(mode);
  Tensor* places[] = {&w.weight_ih, &w.weight_hh, &w.bias_ih,   &w.bias_hh,
                      &w.weight_hr, &w.weight_ci, &w.weight_cf, &w.weight_co};
  size_t next = 0;
  for (nb::handle tensor : nb::iter(list)) {
    if (next == std::size(places)) ThrowValueError("too many weights");
    *places[next++] = OptionalArg(tensor, "weight");
  }
  bool fits = w.weight_ih.defined() && w.weight_hh.defined() &&
              w.weight_ih.rank() == 2 && w.weight_hh.rank() == 2 &&
              !w.bias_ih.defined() == !w.bias_hh.defined();
  if (!fits) {
    ThrowValueError(
        "recurrent weights: wanted weight_ih and weight_hh as matrices, and "
        "both biases or none");
  }
  return w;
}

nb::object Recurrent(const std::string& mode, nb::handle input,
                     nb::handle state, nb::handle lengths, nb::list weights,
                     bool batch_first, double dropout, bool bidirectional,
                     bool training) {
  std::vector<GateWeights> all;
  for (nb::handle each : weights) all.push_back(WeightsOf(mode, each));
  size_t directions = bidirectional ? 2 : 1;
  if (all.empty() || all.size() % directions != 0) {
    ThrowValueError("recurrent weights: wanted some for each layer");
  }
  nn::RecurrentOptions options{
      .num_layers = static_cast<int64_t>(all.size() / directions),
      .batch_first = batch_first,
      .dropout = dropout,
      .bidirectional = bidirectional};
  const char* type = mode == "LSTM" ? "LSTM" : mode == "GRU" ? "GRU" : "RNN";
  Tensor x = TensorArg(input, StrCat(type, ": input"));
  Tensor ends = OptionalArg(lengths, StrCat(type, ": lengths"));
  std::vector<Tensor> first(mode == "LSTM" ? 2 : 1);
  if (!state.is_none()) {
    if (mode != "LSTM") {
      first[0] = TensorArg(state, StrCat(type, ": hx"));
    } else {
      bool pair = (nb::isinstance<nb::tuple>(state) ||
                   nb::isinstance<nb::list>(state)) &&
                  nb::len(state) == 2;
      if (!pair) ThrowTypeError("LSTM: hx: wanted a pair of tensors, (h, c)");
      first = {TensorArg(state[0], "LSTM: h"), TensorArg(state[1], "LSTM: c")};
    }
  }
  nn::RecurrentOutcome made;
  {
    LongCall call{x, all[0].weight_hh};
    made = nn::RunRecurrent({type, options, all, training}, x, first, ends);
  }
  if (mode != "LSTM") return nb::make_tuple(made.y, made.state[0]);
  return nb::make_tuple(made.y, nb::make_tuple(made.state[0], made.state[1]));
}

// One step: the next state. Takes [batch, input], or [input] alone.
std::vector<Tensor> Cell(const std::string& mode, nb::handle input,
                         std::vector<nb::object> state, nb::handle weights) {
  GateWeights w = WeightsOf(mode, weights);
  Tensor x = TensorArg(input, StrCat(mode, "Cell: input"));
  bool alone = x.rank() == 1;
  SL_WANT(alone || x.rank() == 2, Where::current(), mode, "Cell: input is ",
          TypeText(x.dtype(), x.shape()), "; wanted [batch, ",
          w.weight_ih.dim(1), "]");
  if (alone) x = expand_dims(x, 0);
  std::vector<Tensor> now;
  std::vector<int64_t> sizes = nn::StateSizes(w);
  for (size_t i = 0; i < state.size() && i < sizes.size(); ++i) {
    Tensor part = TensorArg(state[i], StrCat(mode, "Cell: state"));
    bool fits = part.rank() == (alone ? 1 : 2) &&
                (part.dim(-1) < 0 || part.dim(-1) == sizes[i]);
    SL_WANT(fits, Where::current(), mode, "Cell: the state is ",
            TypeText(part.dtype(), part.shape()), "; wanted [batch, ", sizes[i],
            "]");
    now.push_back(alone ? expand_dims(part, 0) : part);
  }
  LongCall call{x, w.weight_ih};
  if (now.empty()) now = nn::ZeroState(w, x, Where::current());
  if (now.size() != sizes.size()) {
    ThrowTypeError(StrCat(mode, "Cell: wanted a state of ", sizes.size()));
  }
  Tensor gates = nn::InputGates(w, x, Where::current());
  std::vector<Tensor> next = nn::NextState(w, gates, now, Where::current());
  if (alone) {
    for (Tensor& t : next) t = squeeze(t, {.axes = {0}});
  }
  return next;
}

}  // namespace

void BindNnRecurrent(nb::module_& m) {
  m.def("nn_recurrent", &Recurrent, "mode"_a, "input"_a, "state"_a.none(),
        "lengths"_a.none(), "weights"_a, "batch_first"_a, "dropout"_a,
        "bidirectional"_a, "training"_a);
  m.def("nn_cell", &Cell, "mode"_a, "input"_a, "state"_a, "weights"_a);
}

}  // namespace sluice::py
