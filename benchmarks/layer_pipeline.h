// The 8-layer LSTM of the device benchmarks: layer k on a device of its own,
// the iterations in parallel, so that the layers work as a pipeline.
#pragma once

#include <functional>
#include <string>

#include "sluice/sluice.h"

namespace sluice::bench {

struct LayerPipeline {
  static constexpr int64_t kBatch = 8, kHidden = 64, kLayers = 8;
  // The device of layer k.
  std::function<std::string(int64_t k)> device;
  // The weights of layer k, [2 * kHidden, 4 * kHidden], made on its device.
  std::function<Tensor(int64_t k)> weights;

  // The last layer's outputs in all steps.
  Tensor Outputs(int64_t steps) const;
};

}  // namespace sluice::bench
