#include "benchmarks/lstm_model.h"

#include "benchmarks/random_array.h"

namespace sluice::bench {

std::vector<Array> LstmArrays(const LstmSizes& s) {
  std::vector<Array> all = {
      RandomFloats({s.steps, s.batch, s.inputs}, 1, 1),
      RandomFloats({s.steps, s.batch, s.hidden}, 0.5f, 2)};
  for (int64_t i = 0; i < s.layers; ++i) {
    int64_t inputs = i == 0 ? s.inputs : s.hidden;
    for (const Shape& shape :
         {Shape{4 * s.hidden, inputs}, Shape{4 * s.hidden, s.hidden},
          Shape{4 * s.hidden}, Shape{4 * s.hidden}}) {
      all.push_back(RandomFloats(shape, 0.06f, 1 + all.size()));
    }
  }
  return all;
}

std::vector<Tensor> LeavesOf(const std::vector<Array>& arrays, size_t first) {
  std::vector<Tensor> leaves;
  for (size_t i = first; i < arrays.size(); ++i) {
    leaves.push_back(constant(arrays[i]).clone().requires_grad_());
  }
  return leaves;
}

namespace {

using State = std::pair<Tensor, Tensor>;  // h and c

State Cell(const Tensor& driven, const State& state, const Tensor& w_hh) {
  Tensor gates = driven + matmul(state.first, w_hh, {.transpose_b = true});
  std::vector<Tensor> part = split(gates, 4, {.axis = 1});
  Tensor c = sigmoid(part[1]) * state.second + sigmoid(part[0]) * tanh(part[2]);
  return {sigmoid(part[3]) * tanh(c), c};
}

}  // namespace

Tensor LstmLoss(const std::vector<Tensor>& parameters, const Tensor& x,
                const Tensor& target, LoopForm form, int64_t steps) {
  const std::vector<Tensor>& p = parameters;
  std::vector<Tensor> bias;
  for (size_t k = 0; k < p.size(); k += 4) bias.push_back(p[k + 2] + p[k + 3]);
  Tensor driven = linear(x, p[0], bias[0]);
  auto step = [&](std::vector<State> states, Tensor in) {
    for (size_t k = 0; k < states.size(); ++k) {
      if (k > 0) in = linear(states[k - 1].first, p[4 * k], bias[k]);
      states[k] = Cell(in, states[k], p[4 * k + 1]);
    }
    return states;
  };
  Tensor zeros = zeros_like(target[0]), outputs;
  std::vector<State> start(bias.size(), State(zeros, zeros));
  if (form == LoopForm::kDynamic) {
    outputs = scan(
                  [&](std::vector<State> states, Tensor in) {
                    std::vector<State> next = step(states, in);
                    return std::pair(next.back().first, next);
                  },
                  start, driven)
                  .first;
  } else {
    std::vector<Operand> all;
    for (int64_t t = 0; t < steps; ++t) {
      start = step(start, driven[t]);
      all.push_back(start.back().first);
    }
    outputs = stack(all);
  }
  return mean(square(outputs - target));
}

}  // namespace sluice::bench
