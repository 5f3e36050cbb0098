// Random graphs must mean the same on every executor.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "sluice/base/strings.h"
#include "sluice/step/executor_test_util.h"

namespace sluice {
namespace {

class GraphMaker {
 public:
  explicit GraphMaker(uint32_t seed) : random_(seed), graph_("random") {}

  // A graph of about `size` nodes and the arguments to run it on.
  void Make(int size) {
    int num_args = 1 + Pick(4);
    for (int i = 0; i < num_args; ++i) {
      Shape shape = RandomShape();
      Array a = *Array::Make(DType::kF32, shape);
      for (int64_t k = 0; k < shape.num_elements(); ++k) {
        a.mutable_data<float>()[k] =
            static_cast<float>(Pick(2000) - 1000) / 256;
      }
      values_.push_back(
          *graph_.AddArg(graph_.root(), StrCat("a", i), {DType::kF32, shape}));
      args_.push_back(a);
    }
    for (int i = 0; i < size; ++i) AddNode();
    std::vector<Value> results;
    for (int i = 0; i < 3; ++i) results.push_back(Any());
    results.push_back(values_.back());
    graph_.SetResults(graph_.root(), results);
  }

  Graph& graph() { return graph_; }
  const std::vector<Array>& args() const { return args_; }
  const std::map<std::string, int>& used() const { return used_; }

 private:
  int Pick(int n) {
    return static_cast<int>(random_() % static_cast<uint32_t>(n));
  }
  Value Any() {
    return values_[static_cast<size_t>(Pick(static_cast<int>(values_.size())))];
  }
  // Recent values are more likely, so that chains and fan-outs both appear.
  Value Recent() {
    int n = static_cast<int>(values_.size());
    return values_[static_cast<size_t>(std::max(0, n - 1 - Pick(4)))];
  }
  Shape RandomShape() {
    static const Shape kShapes[] = {{},        {1},    {5},    {4, 5},
                                    {3, 4, 5}, {4, 1}, {0, 5}, {40, 50}};
    return kShapes[Pick(8)];
  }

  void Try(std::string_view op, std::vector<Value> inputs, Attrs attrs = {}) {
    NodeOptions options;
    // Occasionally a control edge between unrelated nodes.
    if (!nodes_.empty() && Pick(5) == 0) {
      options.controls = {
          nodes_[static_cast<size_t>(Pick(static_cast<int>(nodes_.size())))]};
    }
    Result<Node*> node = graph_.Add(graph_.root(), op, inputs, attrs, options);
    if (!node.ok()) return;  // shapes did not match; another draw will
    nodes_.push_back(*node);
    ++used_[std::string(op)];
    for (int i = 0; i < (*node)->num_outputs(); ++i) {
      if ((*node)->output_type(i).dtype == DType::kF32) {
        values_.push_back((*node)->output(i));
      }
    }
  }

  void AddNode() {
    Value x = Recent(), y = Pick(2) ? Any() : Recent();
    int rank = x.shape().rank();
    switch (Pick(14)) {
      case 0:
      case 1:
        Try("Add", {x, y});
        break;
      case 2:
        Try("Mul", {x, y});
        break;
      case 3:
        Try("Sub", {x, y});
        break;
      case 4:
        Try("Maximum", {x, y});
        break;
      case 5:
        Try("Tanh", {x});
        break;
      case 6:
        Try("Neg", {x});
        break;
      case 7:
        Try("Sum", {x},
            {{"axes", std::vector<int64_t>{rank > 0 ? rank - 1 : 0}},
             {"keep_dims", Pick(2) == 0}});
        break;
      case 8:
        Try("MatMul", {x, y},
            {{"transpose_a", Pick(2) == 0}, {"transpose_b", Pick(2) == 0}});
        break;
      case 9:
        Try("Transpose", {x});
        break;
      case 10:
        if (rank > 0 && x.shape()[0] > 1) {
          std::vector<int64_t> begin(static_cast<size_t>(rank), 0),
              size(static_cast<size_t>(rank), -1);
          begin[0] = 1;
          Try("Slice", {x}, {{"begin", begin}, {"size", size}});
        }
        break;
      case 11:
        Try("ExpandDims", {x}, {{"axis", int64_t{0}}});
        break;
      case 12:
        Try("Concat", {x, x, y}, {{"axis", int64_t{0}}});
        break;
      case 13:
        Try("Softmax", {x});
        break;
    }
  }

  std::mt19937 random_;
  Graph graph_;
  std::vector<Value> values_;
  std::vector<Node*> nodes_;
  std::vector<Array> args_;
  std::map<std::string, int> used_;
};

TEST(RandomGraph, EveryExecutorAgreesWithTheInterpreter) {
  std::map<std::string, int> used;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    GraphMaker maker(seed);
    maker.Make(5 + static_cast<int>(seed % 60));
    SCOPED_TRACE(StrCat("seed ", seed));
    ExpectAllAgree(maker.graph(), maker.args());
    if (HasFailure()) break;
    for (const auto& [op, count] : maker.used()) used[op] += count;
  }
  // Draws that do not match are dropped: make sure there were enough of every
  // kind.
  EXPECT_EQ(used.size(), 13u);
  for (const auto& [op, count] : used) EXPECT_GE(count, 50) << op;
}

}  // namespace
}  // namespace sluice
