// Every op that says what it is made of: its decomposition gives what its own
// kernel gives, on all samples and types, up to rounding. Nothing here knows an
// op by name; adding a rule adds its test.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/graph/verifier.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/passes/decompose.h"
#include "sluice/reference/reference_interpreter.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) {
    if (op->decompose) names.push_back(op->name);
  }
  return names;
}

// Ops in between round to the type, so that a few units in its last place add
// up.
double Tolerance(DType dtype) {
  switch (dtype) {
    case DType::kBF16:
      return 6e-2;
    case DType::kF16:
      return 8e-3;
    case DType::kF64:
      return 1e-12;
    default:
      return 1e-5;
  }
}

void ExpectNear(const Array& got, const Array& want) {
  ASSERT_EQ(got.TypeText(), want.TypeText());
  RefArray a = ToRef(got), b = ToRef(want);
  double most = 1;  // sums of large numbers cancel
  for (double v : b.v) {
    if (std::isfinite(v)) most = std::max(most, std::fabs(v));
  }
  for (size_t i = 0; i < a.v.size(); ++i) {
    if (a.v[i] == b.v[i] || (std::isnan(a.v[i]) && std::isnan(b.v[i]))) {
      continue;
    }
    ASSERT_TRUE(kFloats.contains(want.dtype())) << "element " << i;
    ASSERT_LE(std::fabs(a.v[i] - b.v[i]), Tolerance(want.dtype()) * most)
        << "element " << i << " is " << a.v[i] << ", wanted " << b.v[i];
  }
}

class DecomposeSweep : public testing::TestWithParam<std::string> {
 protected:
  // The op on arguments as a graph, then decomposed.
  Result<std::unique_ptr<Graph>> Decomposed(const OpRecord& op,
                                            const SweepCase& c, bool known) {
    auto graph = std::make_unique<Graph>("g");
    std::vector<Value> args;
    for (const Array& in : c.inputs) {
      PartialShape shape(in.shape());
      if (!known) shape = PartialShape::OfRank(in.rank());
      SL_ASSIGN_OR_RETURN(Value arg,
                          graph->AddArg(graph->root(), StrCat("x", args.size()),
                                        {in.dtype(), shape}));
      args.push_back(arg);
    }
    SL_ASSIGN_OR_RETURN(Node * node,
                        graph->Add(graph->root(), op.name, args, c.attrs));
    std::vector<Value> results;
    for (int i = 0; i < node->num_outputs(); ++i) {
      results.push_back(node->output(i));
    }
    graph->SetResults(graph->root(), std::move(results));
    SL_ASSIGN_OR_RETURN(bool changed, Decompose(*graph, [&](const Node& n) {
                          return &n.op() == &op;
                        }));
    EXPECT_TRUE(changed);
    for (const Node* left : graph->root().nodes()) {
      EXPECT_NE(&left->op(), &op);
    }
    SL_RETURN_IF_ERROR(Verify(*graph));
    return graph;
  }
};

TEST_P(DecomposeSweep, GivesWhatTheKernelGives) {
  const OpRecord& op = *FindOp(GetParam());
  int ran = 0;
  for (const SweepCase& c : CasesOf(op)) {
    Result<std::vector<Array>> want = RunOp(op, c.attrs, c.inputs);
    if (!want.ok()) continue;  // needs a library that is not here
    for (bool known : {true, false}) {
      SCOPED_TRACE(StrCat(c.name, known ? "" : ", sizes not known"));
      auto graph = Decomposed(op, c, known);
      ASSERT_TRUE(graph.ok()) << graph.status().message();
      Result<std::vector<Array>> got =
          Interpret(**graph, c.inputs, StepContext());
      ASSERT_TRUE(got.ok()) << got.status().message();
      ASSERT_EQ(got->size(), want->size());
      for (size_t i = 0; i < got->size(); ++i)
        ExpectNear((*got)[i], (*want)[i]);
      ++ran;
    }
  }
  EXPECT_GT(ran, 0);
  std::printf("%s: %d cases\n", GetParam().c_str(), ran);
}

INSTANTIATE_TEST_SUITE_P(Ops, DecomposeSweep, testing::ValuesIn(OpNames()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace sluice
