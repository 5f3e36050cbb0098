// Gradient rules of ops that move elements, where the sweep against differences
// does not look: in graphs that know no sizes, where rules take other ways and
// the same numbers must come out; at ties; at factors of 0.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sluice/autodiff/gradients.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/reference/reference_interpreter.h"
#include "tests/grad_case.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

// Inputs of a fixed type, such as shapes, decide how many axes there are: they
// stay known. Those whose type is the caller's are hidden.
bool IsHidden(const OpRecord& op, size_t i, DType dtype) {
  const ArgSpec& spec = op.inputs[std::min(i, op.inputs.size() - 1)];
  return op.FindType(spec.type) && dtype != DType::kBool;
}

// The gradients of a weighted sum of an op's floating-point outputs by its
// floating-point inputs.
Result<std::vector<Array>> GradientsOf(const OpRecord& op, const SweepCase& c,
                                       bool hide) {
  Graph graph;
  std::vector<Value> in, xs, ys, weights;
  std::vector<Array> args;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const Array& a = c.inputs[i];
    bool moves = kFloats.contains(a.dtype());
    if (moves || (hide && IsHidden(op, i, a.dtype()))) {
      PartialShape shape =
          hide ? PartialShape::OfRank(a.rank()) : PartialShape(a.shape());
      SL_ASSIGN_OR_RETURN(Value arg,
                          graph.AddArg(graph.root(), "x" + std::to_string(i),
                                       {a.dtype(), shape}));
      args.push_back(a);
      in.push_back(arg);
      if (moves) xs.push_back(arg);
      continue;
    }
    SL_ASSIGN_OR_RETURN(Node * node,
                        graph.Add(graph.root(), "Const", {}, {{"value", a}}));
    in.push_back(node->output());
  }
  SL_ASSIGN_OR_RETURN(Node * node,
                      graph.Add(graph.root(), op.name, in, c.attrs));
  StepContext step;
  SL_ASSIGN_OR_RETURN(std::vector<Array> ran,
                      RunOp(op, node->attrs(), c.inputs, &step));
  for (int i = 0; i < node->num_outputs(); ++i) {
    const Array& y = ran[static_cast<size_t>(i)];
    if (!kFloats.contains(y.dtype())) continue;
    Array w = Direction(y.dtype(), y.shape(), 900 + static_cast<uint64_t>(i));
    SL_ASSIGN_OR_RETURN(Node * weight,
                        graph.Add(graph.root(), "Const", {}, {{"value", w}}));
    ys.push_back(node->output(i));
    weights.push_back(weight->output());
  }
  if (xs.empty() || ys.empty()) return std::vector<Array>();
  SL_ASSIGN_OR_RETURN(
      std::vector<Value> dx,
      Gradients(graph, ys, xs, weights, {.zeros_when_unconnected = true}));
  graph.SetResults(graph.root(), dx);
  return Interpret(graph, args, step);
}

class HiddenSizes : public testing::TestWithParam<const char*> {};

TEST_P(HiddenSizes, GiveTheSameGradients) {
  const OpRecord* op = FindOp(GetParam());
  ASSERT_TRUE(op && op->grad);
  int compared = 0;
  for (const SweepCase& c : CasesOf(*op)) {
    if (!c.first) continue;
    SCOPED_TRACE(c.name);
    auto want = GradientsOf(*op, c, false), got = GradientsOf(*op, c, true);
    ASSERT_TRUE(want.ok()) << want.status().ToString();
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    ASSERT_EQ(got->size(), want->size());
    for (size_t i = 0; i < want->size(); ++i) {
      RefArray a = ToRef((*got)[i]), b = ToRef((*want)[i]);
      ASSERT_TRUE(a.shape == b.shape);
      for (size_t k = 0; k < a.v.size(); ++k, ++compared) {
        if (std::isnan(b.v[k])) continue;
        ASSERT_NEAR(a.v[k], b.v[k], 1e-4 * (1 + std::abs(b.v[k]))) << k;
      }
    }
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Ops, HiddenSizes,
    testing::Values(
        "BinCount", "Concat", "ConcatGrad", "DepthToSpace", "Diag", "DiagPart",
        "DiagPartGrad", "DynamicPartition", "DynamicStitch", "Fill", "Gather",
        "GatherGrad", "GatherNd", "IndexAdd", "IndexCopy", "IndexMax",
        "IndexMin", "Linspace", "MaskedFill", "MaskedSelect", "Meshgrid", "Pad",
        "PutAlong", "Repeat", "Reverse", "ReverseSequence", "Roll", "ScatterNd",
        "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum",
        "Slice", "Sort", "SpaceToDepth", "SparseToDense", "Split", "SplitV",
        "Squeeze", "Stack", "StridedSlice", "StridedSliceGrad", "TakeAlong",
        "TensorScatterAdd", "TensorScatterMax", "TensorScatterMin",
        "TensorScatterMul", "TensorScatterSub", "TensorScatterUpdate", "Tile",
        "TopK", "Transpose", "Tril", "Triu", "UnsortedSegmentMax",
        "UnsortedSegmentMean", "UnsortedSegmentMin", "UnsortedSegmentProd",
        "UnsortedSegmentSum", "Unstack"),
    [](const auto& info) { return info.param; });

// At ties differences say nothing: everyone who has won gets an equal share.
std::vector<double> OneGradient(const char* op, const std::vector<Array>& in,
                                size_t which) {
  SweepCase c;
  c.inputs = in;
  auto got = GradientsOf(*FindOp(op), c, false);
  EXPECT_TRUE(got.ok()) << got.status().ToString();
  return got.ok() ? ToRef((*got)[which]).v : std::vector<double>();
}

TEST(TiedGradients, AreShared) {
  Array ids = Array::Vector<int64_t>({0, 0, 1, 0});
  Array data = Array::Vector<double>({3, 3, 7, 1});
  Array two = Array::Scalar<int64_t>(2);
  RefArray w = ToRef(Direction(DType::kF64, Shape({2}), 900));
  EXPECT_EQ(OneGradient("UnsortedSegmentMax", {data, ids, two}, 0),
            (std::vector<double>{w.v[0] / 2, w.v[0] / 2, w.v[1], 0}));
  Array x = Array::Vector<double>({3, 9});
  EXPECT_EQ(OneGradient("IndexMax", {x, ids, data}, 0),
            (std::vector<double>{w.v[0] / 3, w.v[1]}));
  EXPECT_EQ(OneGradient("IndexMax", {x, ids, data}, 1),
            (std::vector<double>{w.v[0] / 3, w.v[0] / 3, 0, 0}));
}

// Products do not bend at 0: gradients to second order are there what they are
// next to it.
TEST(ProductGradients, GoThroughZero) {
  Array data = Array::Vector<double>({2, 0, 3, 5, 0.5});
  Array ids = Array::Vector<int64_t>({0, 0, 0, 1, 1});
  Array tuples = Array::Of<int64_t>({5, 1}, {0, 0, 0, 1, 1});
  Array x = Array::Vector<double>({4, 0}), two = Array::Scalar<int64_t>(2);
  struct Product {
    const char* op;
    Attrs attrs;
    std::vector<Array> in;
  };
  for (const Product& p :
       {Product{"SegmentProd", {}, {data, ids}},
        Product{"UnsortedSegmentProd", {}, {data, ids, two}},
        Product{"TensorScatterMul", {}, {x, tuples, data}},
        Product{"PutAlong", {{"mode", "mul"}}, {x, ids, data}}}) {
    SCOPED_TRACE(p.op);
    auto made = GradCase::Make(*FindOp(p.op), p.attrs, p.in);
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    auto here = (*made)->At(0, 0), beside = (*made)->At(1e-7, 0);
    ASSERT_TRUE(here.ok() && beside.ok());
    EXPECT_NEAR(here->slope, beside->slope, 1e-5);
    EXPECT_NEAR(here->forward, beside->slope, 1e-5);
    EXPECT_NEAR(here->bend, beside->bend, 1e-5);
  }
}

// Ids below 0 name no segment, even where there are none at all.
TEST(SegmentGradients, WithoutSegmentsAreZero) {
  Array ids = Array::Vector<int64_t>({-1, INT64_MIN});
  Array data = Array::Vector<double>({3, 3});
  for (const char* op : {"UnsortedSegmentSum", "UnsortedSegmentMean",
                         "UnsortedSegmentMax", "UnsortedSegmentProd"}) {
    EXPECT_EQ(OneGradient(op, {data, ids, Array::Scalar<int64_t>(0)}, 0),
              (std::vector<double>{0, 0}));
  }
}

}  // namespace
}  // namespace sluice
