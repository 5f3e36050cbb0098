// The recurrent network of the loop benchmarks: layers of long short-term
// memory over a sequence, their cells written by hand in plain ops, weights
// named and laid out as PyTorch's, and the mean square of the error. As one
// loop in the graph, or written out step by step.
#pragma once

#include <vector>

#include "sluice/sluice.h"

namespace sluice::bench {

struct LstmSizes {
  int64_t steps = 100, batch = 32, inputs = 256, hidden = 256, layers = 1;
};

enum class LoopForm { kDynamic, kUnrolled };

// x [steps, batch, inputs], target [steps, batch, hidden], then the parameters
// weight_ih, weight_hh, bias_ih, bias_hh of each layer.
std::vector<Array> LstmArrays(const LstmSizes& sizes);
inline constexpr size_t kLstmBatch = 2;  // arrays before the parameters

// Tensors of the arrays from `first` on, which gradients may be asked of.
std::vector<Tensor> LeavesOf(const std::vector<Array>& arrays, size_t first);

// The loss with these parameters. The first layer's input is multiplied for all
// steps at once; `steps` is the number written out.
Tensor LstmLoss(const std::vector<Tensor>& parameters, const Tensor& x,
                const Tensor& target, LoopForm form, int64_t steps);

}  // namespace sluice::bench
