// summary: a table of what a model does with inputs of some shapes: for every
// module its result's shape, its parameters and its work, and the totals.
//
//   std::cout << sl::nn::summary(net, {{1, 3, 224, 224}});
//
// Nothing is computed: the model is recorded as a graph, and its modes and
// buffers stay as they are. Work is counted where it matters: products of
// matrices, convolutions and attention, two operations for each multiply-add.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/eager/sizes.h"
#include "sluice/nn/module.h"

namespace sluice::nn {

struct ModuleSummary {
  std::string path;         // "layers.0.fc1"; "" for the model
  std::string type;         // "Linear"
  std::string description;  // "Linear(784, 100)"
  std::string shape;        // of its last result; "" when it was not called
  int64_t parameters = 0;   // its own, without those of modules below
  int64_t trainable = 0;
  double flops = 0;  // its own, over all calls
  int calls = 0;
};

struct Summary {
  std::vector<ModuleSummary> rows;  // the model first, then those below
  int64_t parameters = 0, trainable = 0, buffers = 0;
  double flops = 0;
  std::string ToString() const;
};
std::ostream& operator<<(std::ostream& out, const Summary& summary);

struct SummaryOptions {
  DType dtype = DType::kF32;  // of the inputs
};
Summary summary(Module& module, const std::vector<Sizes>& inputs,
                const SummaryOptions& options = {});
// For models with other arguments: `run` calls the model with these.
Summary summary(Module& module, const std::vector<Sizes>& inputs,
                const std::function<void(const std::vector<Tensor>&)>& run,
                const SummaryOptions& options = {});

}  // namespace sluice::nn
