#include "benchmarks/layer_pipeline.h"

#include "benchmarks/random_array.h"

namespace sluice::bench {

Tensor LayerPipeline::Outputs(int64_t steps) const {
  using State = std::pair<Tensor, Tensor>;  // h and c
  std::vector<Tensor> w;
  std::vector<State> start;
  for (int64_t k = 0; k < kLayers; ++k) {
    DeviceScope scope(device(k));
    w.push_back(weights(k));
    Tensor zeros = constant(Array::Zeros(DType::kF32, {kBatch, kHidden}));
    start.emplace_back(zeros, zeros);
  }
  Tensor x = constant(RandomFloats({steps, kBatch, kHidden}, 1, 99));
  SequenceOptions options;
  options.loop.parallel_iterations = 32;
  return scan(
             [&](std::vector<State> states, Tensor in) {
               for (int64_t k = 0; k < kLayers; ++k) {
                 DeviceScope scope(device(k));
                 State& s = states[static_cast<size_t>(k)];
                 std::vector<Operand> both = {in, s.first};
                 Tensor gates = matmul(concat(both, {.axis = 1}),
                                       w[static_cast<size_t>(k)]);
                 std::vector<Tensor> part = split(gates, 4, {.axis = 1});
                 s.second = sigmoid(part[1]) * s.second +
                            sigmoid(part[0]) * tanh(part[2]);
                 s.first = sigmoid(part[3]) * tanh(s.second);
                 in = s.first;
               }
               return std::pair(in, states);
             },
             start, x, options)
      .first;
}

}  // namespace sluice::bench
