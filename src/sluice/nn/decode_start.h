// The start of greedy decoding and beam search, and checks of their arguments.
#pragma once

#include <source_location>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice::nn::decoding_internal {

// The number of examples, by the first tensor of the state.
Tensor BatchOf(const char* what, const std::vector<Tensor>& state,
               std::source_location where);
void CheckRange(const char* what, int64_t max_length, int64_t start,
                int64_t end, std::source_location where);
// A tensor of sizes (scalars of i64) full of a scalar.
Tensor Filled(const std::vector<Tensor>& sizes, const Tensor& value,
              std::source_location where);
// Logits [n, vocabulary] as f32.
Tensor CheckedLogits(const char* what, const Tensor& logits,
                     std::source_location where);

}  // namespace sluice::nn::decoding_internal
