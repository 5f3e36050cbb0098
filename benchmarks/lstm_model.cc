#include "benchmarks/lstm_model.h"

#include "benchmarks/random_array.h"

namespace sluice::bench {

std::vector<Array> LstmArrays(const LstmSizes& s) {
  const int64_t gates = 4 * s.hidden;
  return {RandomFloats({s.steps, s.batch, s.inputs}, 1, 1),
          RandomFloats({s.steps, s.batch, s.hidden}, 0.5f, 2),
          RandomFloats({gates, s.inputs}, 0.06f, 3),
          RandomFloats({gates, s.hidden}, 0.06f, 4),
          RandomFloats({gates}, 0.06f, 5),
          RandomFloats({gates}, 0.06f, 6)};
}

std::vector<Tensor> LeavesOf(const std::vector<Array>& arrays, size_t first) {
  std::vector<Tensor> leaves;
  for (size_t i = first; i < arrays.size(); ++i) {
    leaves.push_back(constant(arrays[i]).clone().requires_grad_());
  }
  return leaves;
}

Tensor LstmLoss(const std::vector<Tensor>& parameters, const Tensor& x,
                const Tensor& target, LoopForm form, int64_t steps) {
  const Tensor& w_hh = parameters[1];
  Tensor driven = linear(x, parameters[0], parameters[2] + parameters[3]);
  Tensor start = zeros_like(target[0]);
  using State = std::pair<Tensor, Tensor>;  // h and c
  auto step = [&](const State& s, const Tensor& in) {
    Tensor gates = in + matmul(s.first, w_hh, {.transpose_b = true});
    auto cell = lstm_cell(gates, s.second);
    return State(cell.h, cell.c_new);
  };
  Tensor outputs;
  if (form == LoopForm::kDynamic) {
    outputs = scan(
                  [&](State s, Tensor in) {
                    State next = step(s, in);
                    return std::pair(next.first, next);
                  },
                  State(start, start), driven)
                  .first;
  } else {
    State s(start, start);
    std::vector<Operand> all;
    for (int64_t t = 0; t < steps; ++t) {
      s = step(s, driven[t]);
      all.push_back(s.first);
    }
    outputs = stack(all);
  }
  return mean(square(outputs - target));
}

}  // namespace sluice::bench
