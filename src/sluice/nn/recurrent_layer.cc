#include "sluice/nn/recurrent_layer.h"

#include <optional>

#include "sluice/base/strings.h"
#include "sluice/eager/index.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/step_loop.h"
#include "sluice/ops.h"

namespace sluice::nn {

using Where = std::source_location;
using Tensors = std::vector<Tensor>;

namespace {

void CheckOptions(const char* type, CellKind kind, const RecurrentOptions& o,
                  Where where) {
  SL_WANT(o.num_layers > 0, where, type, ": num_layers is ", o.num_layers,
          "; wanted at least 1");
  SL_WANT(o.dropout >= 0 && o.dropout <= 1, where, type, ": dropout is ",
          o.dropout, "; wanted 0 <= dropout <= 1");
  bool plain = kind == CellKind::kTanh || kind == CellKind::kRelu;
  SL_WANT(o.nonlinearity == "tanh" || (plain && o.nonlinearity == "relu"),
          where, type, ": nonlinearity is \"", o.nonlinearity, "\"; wanted ",
          plain ? "tanh or relu" : "none, which only an RNN has");
}

CellKind PlainKind(const RecurrentOptions& o) {
  return o.nonlinearity == "relu" ? CellKind::kRelu : CellKind::kTanh;
}

// One layer in one direction.
StepLoopResult RunLayer(const GateWeights& w, const RowSchedule* schedule,
                        const Tensor& x, Tensors state, bool reverse,
                        const LoopOptions& options, Where where) {
  size_t n = state.size();
  auto step = [&](const Tensors& in) -> front_internal::CodeResult {
    Tensors out = NextState(w, in[n], Tensors(in.begin(), in.end() - 1), where);
    out.push_back(out[0]);
    return {std::move(out), "state, h"};
  };
  return RunSteps(schedule, {"recurrent layer",
                             step,
                             std::move(state),
                             {InputGates(w, x, where)},
                             reverse,
                             options,
                             where});
}

size_t Directions(const RecurrentOptions& o) { return o.bidirectional ? 2 : 1; }

// Where a call came with one example and no batch, or with batch first.
struct Form {
  bool alone = false, turned = false;
};

Tensor Arranged(const RecurrentCall& call, Tensor x, Form* form) {
  int rank = x.rank();
  int64_t input_size = call.weights[0].weight_ih.dim(1);
  bool fits =
      (rank == 2 || rank == 3) && (x.dim(-1) < 0 || x.dim(-1) == input_size);
  SL_WANT(fits, call.where, call.type, ": x is ",
          TypeText(x.dtype(), x.shape()),
          call.options.batch_first ? "; wanted [batch, steps, "
                                   : "; wanted [steps, batch, ",
          input_size, "] or [steps, ", input_size, "]");
  if (rank == 2) {
    form->alone = true;
    return expand_dims(x, 1, {}, call.where);
  }
  if (!call.options.batch_first) return x;
  form->turned = true;
  return transpose(x, {.perm = {1, 0, 2}}, {}, call.where);
}

Tensors FirstState(const RecurrentCall& call, const Tensor& x, Tensors state,
                   bool alone) {
  Tensors parts;  // by layer, direction, then h and c
  std::vector<int64_t> sizes = StateSizes(call.weights[0]);
  Tensors zeros = ZeroState(call.weights[0], x, call.where);
  int64_t count = static_cast<int64_t>(call.weights.size());
  parts.resize(call.weights.size() * sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    Tensors each(call.weights.size(), zeros[i]);
    if (state[i].defined()) {
      int rank = state[i].rank();
      bool fits =
          rank < 0 || (rank == (alone ? 2 : 3) &&
                       (state[i].dim(0) < 0 || state[i].dim(0) == count) &&
                       (state[i].dim(-1) < 0 || state[i].dim(-1) == sizes[i]));
      SL_WANT(fits, call.where, call.type, ": ", i ? "c" : "h",
              " of the state is ", TypeText(state[i].dtype(), state[i].shape()),
              "; wanted [", count, alone ? ", " : ", batch, ", sizes[i], "]");
      if (alone) state[i] = expand_dims(state[i], 1, {}, call.where);
      each = unstack(state[i], count, {}, {}, call.where);
    }
    for (size_t k = 0; k < each.size(); ++k) {
      parts[k * sizes.size() + i] = each[k];
    }
  }
  return parts;
}

}  // namespace

RecurrentOutcome RunRecurrent(const RecurrentCall& call, Tensor x,
                              Tensors state, const Tensor& lengths) {
  Form form;
  x = Arranged(call, std::move(x), &form);
  size_t per_cell = state.size();
  Tensors first = FirstState(call, x, std::move(state), form.alone);
  std::optional<RowSchedule> schedule;
  if (lengths.defined()) {
    schedule = MakeSchedule(x, lengths, call.where);
    x = PackRows(*schedule, x, call.where);
  }
  std::vector<Tensors> last(per_cell);
  for (size_t k = 0; k < call.weights.size(); k += Directions(call.options)) {
    if (k > 0) x = dropout(x, call.options.dropout, call.training, call.where);
    Tensors both;
    for (size_t d = 0; d < Directions(call.options); ++d) {
      auto begin =
          first.begin() + static_cast<std::ptrdiff_t>((k + d) * per_cell);
      StepLoopResult made = RunLayer(
          call.weights[k + d], schedule ? &*schedule : nullptr, x,
          Tensors(begin, begin + static_cast<std::ptrdiff_t>(per_cell)), d == 1,
          call.options.loop, call.where);
      both.push_back(made.kept[0]);
      for (size_t i = 0; i < per_cell; ++i) last[i].push_back(made.state[i]);
    }
    x = both.size() == 1 ? both[0] : concat(both, {.axis = -1}, {}, call.where);
  }
  RecurrentOutcome outcome{schedule ? PadRows(*schedule, x, call.where) : x,
                           {}};
  for (const Tensors& each : last) {
    Tensor all = stack(each, {}, {}, call.where);
    if (form.alone) all = squeeze(all, {.axes = {1}}, {}, call.where);
    outcome.state.push_back(all);
  }
  if (form.alone) outcome.y = squeeze(outcome.y, {.axes = {1}}, {}, call.where);
  if (form.turned) {
    outcome.y = transpose(outcome.y, {.perm = {1, 0, 2}}, {}, call.where);
  }
  return outcome;
}

RecurrentLayer::RecurrentLayer(const char* type, CellKind kind,
                               int64_t input_size, int64_t hidden_size,
                               const RecurrentOptions& o, Where where)
    : input_size(input_size),
      hidden_size(hidden_size),
      type_(type),
      options_(o) {
  CheckOptions(type, kind, o, where);
  GateSizes sizes{.kind = kind,
                  .input_size = input_size,
                  .hidden_size = hidden_size,
                  .proj_size = o.proj_size,
                  .bias = o.bias,
                  .peepholes = o.peepholes,
                  .dtype = o.dtype};
  CheckGateSizes(type, sizes, where);
  int64_t out = o.proj_size > 0 ? o.proj_size : hidden_size;
  for (int64_t k = 0; k < o.num_layers; ++k) {
    for (size_t d = 0; d < Directions(o); ++d) {
      weights_.push_back(
          AddGateWeights(*this, sizes, StrCat("_l", k, d ? "_reverse" : "")));
    }
    sizes.input_size = out * static_cast<int64_t>(Directions(o));
  }
}

RecurrentOutcome RecurrentLayer::Run(Tensor x, Tensors state,
                                     const Tensor& lengths) {
  bool drops = options_.dropout > 0 && training();
  return RunRecurrent({type_, options_, weights_, drops, line()}, std::move(x),
                      std::move(state), lengths);
}

Tensor RecurrentLayer::forward(Tensor x) {
  return Run(std::move(x), Tensors(StateSizes(weights_[0]).size()), {}).y;
}

std::string RecurrentLayer::extra_repr() const {
  const RecurrentOptions& o = options_;
  std::string text = StrCat(input_size, ", ", hidden_size);
  if (o.num_layers != 1) text += StrCat(", num_layers=", o.num_layers);
  if (o.nonlinearity != "tanh") text += ", nonlinearity=" + o.nonlinearity;
  if (!o.bias) text += ", bias=false";
  if (o.batch_first) text += ", batch_first=true";
  if (o.dropout != 0) text += StrCat(", dropout=", o.dropout);
  if (o.bidirectional) text += ", bidirectional=true";
  if (o.proj_size > 0) text += StrCat(", proj_size=", o.proj_size);
  if (o.peepholes) text += ", peepholes=true";
  return text;
}

RNN::RNN(int64_t input_size, int64_t hidden_size,
         const RecurrentOptions& options, Where where)
    : RecurrentLayer("RNN", PlainKind(options), input_size, hidden_size,
                     options, where) {}

std::pair<Tensor, Tensor> RNN::forward(Tensor x, const RecurrentInputs& more) {
  RecurrentOutcome made = Run(std::move(x), {more.state}, more.lengths);
  return {made.y, made.state[0]};
}

GRU::GRU(int64_t input_size, int64_t hidden_size,
         const RecurrentOptions& options, Where where)
    : RecurrentLayer("GRU", CellKind::kGru, input_size, hidden_size, options,
                     where) {}

std::pair<Tensor, Tensor> GRU::forward(Tensor x, const RecurrentInputs& more) {
  RecurrentOutcome made = Run(std::move(x), {more.state}, more.lengths);
  return {made.y, made.state[0]};
}

LSTM::LSTM(int64_t input_size, int64_t hidden_size,
           const RecurrentOptions& options, Where where)
    : RecurrentLayer("LSTM", CellKind::kLstm, input_size, hidden_size, options,
                     where) {}

LSTM::Result LSTM::forward(Tensor x, const LSTMInputs& more) {
  RecurrentOutcome made =
      Run(std::move(x), {more.state.first, more.state.second}, more.lengths);
  return {made.y, {made.state[0], made.state[1]}};
}

}  // namespace sluice::nn
