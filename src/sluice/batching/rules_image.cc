// Ops that take a batch of their own along axis 0: images, rows of gates, rows
// of logits. Lanes and rows become one axis, and two again in the results.
#include "sluice/batching/rules.h"

namespace sluice {

namespace {

// Inputs that have rows, as bits; the others belong to all rows.
struct RowInputs {
  unsigned rows;
  int shape = -1;  // which input is the shape of a result with rows
};

// Known by name, as the rule is.
const std::unordered_map<std::string, RowInputs>& RowOps() {
  static const auto* ops = new std::unordered_map<std::string, RowInputs>{
      {"AdaptiveAvgPool1D", {1}},
      {"AdaptiveAvgPool1DGrad", {1, 1}},
      {"AdaptiveAvgPool2D", {1}},
      {"AdaptiveAvgPool2DGrad", {1, 1}},
      {"AdaptiveMaxPool2D", {1}},
      {"AdaptiveMaxPool2DGrad", {3}},
      {"AdaptiveMaxPool2DPick", {3}},
      {"AvgPool1D", {1}},
      {"AvgPool1DGrad", {1, 1}},
      {"AvgPool2D", {1}},
      {"AvgPool2DGrad", {1, 1}},
      {"AvgPool3D", {1}},
      {"AvgPool3DGrad", {1, 1}},
      {"BatchNormInference", {1}},
      {"Conv1D", {1}},
      {"Conv1DInputGrad", {1, 2}},
      {"Conv2D", {1}},
      {"Conv2DInputGrad", {1, 2}},
      {"Conv3D", {1}},
      {"Conv3DInputGrad", {1, 2}},
      {"ConvTranspose1D", {1}},
      {"ConvTranspose2D", {1}},
      {"ConvTranspose3D", {1}},
      {"DepthToSpace", {1}},
      {"GroupNorm", {1}},
      {"GruCell", {7}},
      {"GruCellGrad", {15}},
      {"InstanceNorm", {1}},
      {"LstmCell", {3}},
      {"LstmCellGrad", {31}},
      {"MaxPool1D", {1}},
      {"MaxPool1DGrad", {3}},
      {"MaxPool1DPick", {3}},
      {"MaxPool2D", {1}},
      {"MaxPool2DGrad", {3}},
      {"MaxPool2DPick", {3}},
      {"MaxPool3D", {1}},
      {"MaxPool3DGrad", {3}},
      {"MaxPool3DPick", {3}},
      {"Resize", {1}},
      {"ResizeGrad", {1, 1}},
      {"SoftmaxCrossEntropy", {3}},
      {"SoftmaxCrossEntropyWithLogits", {3}},
      {"SpaceToDepth", {1}},
      {"SparseSoftmaxCrossEntropy", {3}},
  };
  return *ops;
}

bool MergeRows(BatchContext& c) {
  RowInputs kind = RowOps().at(c.node().op().name);
  Emitter::Values inputs;
  Value rows;
  for (int i = 0; i < c.num_inputs(); ++i) {
    bool has_rows = kind.rows >> i & 1;
    if (!has_rows) {
      if (c.batched(i)) return false;
      inputs.push_back(c.in(i));
      continue;
    }
    if (c.rank(i) < 1) return false;
    Value x = c.full(i);
    rows = c.Sizes(x, 1, 1);
    Value merged = c.Times(c.lanes(), rows);
    inputs.push_back(c.Reshape(x, c.Join({merged, c.Sizes(x, 2)})));
  }
  if (kind.shape >= 0) {
    auto at = static_cast<size_t>(kind.shape);
    Value shape = inputs[at];
    Value rest = c.Call("StridedSlice", {shape},
                        {{"begin", std::vector<int64_t>{1}},
                         {"end", std::vector<int64_t>{kMaxRank}},
                         {"strides", std::vector<int64_t>{1}}});
    inputs[at] = c.Join({c.Times(c.lanes(), rows), rest});
  }
  Emitter::Values made = c.Again(inputs, c.attrs());
  for (size_t i = 0; i < made.size(); ++i) {
    Value shape = c.Join({c.lanes(), rows, c.Sizes(made[i], 1)});
    c.set(static_cast<int>(i), c.Reshape(made[i], shape));
  }
  return true;
}

}  // namespace

void AddImageRules(BatchRules& rules) {
  for (const auto& [name, kind] : RowOps()) rules[name] = MergeRows;
}

}  // namespace sluice
