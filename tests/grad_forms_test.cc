// Gradient rules in every form they are asked in, from op records: for all
// types an op takes, with sizes hidden, and for one input at a time. What they
// compute is held against differences elsewhere (grad_sweep_test); here they
// must build, run, and give the same numbers in each form.
#include <gtest/gtest.h>

#include <cmath>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/op/registry.h"
#include "sluice/reference/reference_interpreter.h"
#include "tests/grad_case.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

enum class Ask { kAll, kAllWithSizesHidden, kOneByOne };

bool IsFloat(DType dtype) { return kFloats.contains(dtype); }

class Form {
 public:
  // The gradients of all floating-point inputs, and those of their sum.
  static Result<std::vector<Array>> Run(const OpRecord& op, const SweepCase& c,
                                        Ask ask) {
    Form form;
    SL_RETURN_IF_ERROR(form.Build(op, c, ask));
    StepContext step;
    return Interpret(form.graph_, form.args_, step);
  }

 private:
  Result<Value> Add(std::string_view op, std::vector<Value> in,
                    const Attrs& attrs = {}) {
    SL_ASSIGN_OR_RETURN(Node * node, graph_.Add(graph_.root(), op, in, attrs));
    return node->output();
  }
  // The sum over all values of their squares.
  Result<Value> Total(const std::vector<Value>& values) {
    std::vector<Value> parts;
    for (Value v : values) {
      SL_ASSIGN_OR_RETURN(Value wide,
                          Add("Cast", {v}, {{"dtype", DType::kF64}}));
      SL_ASSIGN_OR_RETURN(Value part, Add("Square", {wide}));
      SL_ASSIGN_OR_RETURN(Value sum, Add("Sum", {part}));
      parts.push_back(sum);
    }
    return Add("AddN", parts);
  }
  Result<std::vector<Value>> Gradient(const Value& loss,
                                      const std::vector<Value>& xs, Ask ask) {
    GradientOptions zeros{.zeros_when_unconnected = true};
    if (ask != Ask::kOneByOne) {
      return Gradients(graph_, {&loss, 1}, xs, {}, zeros);
    }
    std::vector<Value> all;
    for (const Value& x : xs) {
      SL_ASSIGN_OR_RETURN(std::vector<Value> one,
                          Gradients(graph_, {&loss, 1}, {&x, 1}, {}, zeros));
      all.push_back(one[0]);
    }
    return all;
  }

  Status Build(const OpRecord& op, const SweepCase& c, Ask ask) {
    std::vector<Value> in, xs, ys;
    for (const Array& array : c.inputs) {
      if (!IsFloat(array.dtype())) {
        SL_ASSIGN_OR_RETURN(Value v, Add("Const", {}, {{"value", array}}));
        in.push_back(v);
        continue;
      }
      PartialShape shape(array.shape());
      if (ask == Ask::kAllWithSizesHidden) {
        shape = PartialShape::OfRank(shape.rank());
      }
      SL_ASSIGN_OR_RETURN(Value v,
                          graph_.AddArg(graph_.root(), StrCat("x", in.size()),
                                        {array.dtype(), shape}));
      in.push_back(v);
      xs.push_back(v);
      args_.push_back(array);
    }
    SL_ASSIGN_OR_RETURN(Node * node,
                        graph_.Add(graph_.root(), op.name, in, c.attrs));
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (IsFloat(node->output(i).dtype())) ys.push_back(node->output(i));
    }
    if (xs.empty() || ys.empty()) return OkStatus();
    SL_ASSIGN_OR_RETURN(Value loss, Total(ys));
    SL_ASSIGN_OR_RETURN(std::vector<Value> first, Gradient(loss, xs, ask));
    SL_ASSIGN_OR_RETURN(Value bend, Total(first));
    SL_ASSIGN_OR_RETURN(std::vector<Value> second, Gradient(bend, xs, ask));
    for (size_t i = 0; i < xs.size(); ++i) {
      EXPECT_EQ(first[i].dtype(), xs[i].dtype()) << "gradient of input " << i;
    }
    first.insert(first.end(), second.begin(), second.end());
    graph_.SetResults(graph_.root(), first);
    return OkStatus();
  }

  Graph graph_{"form"};
  std::vector<Array> args_;
};

class GradForms : public testing::TestWithParam<std::string> {};

std::vector<std::string> OpsWithRules() {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) {
    if (op->name == "CustomGradient") continue;  // the user gives it
    if (op->grad && !op->samples.empty()) names.push_back(op->name);
  }
  return names;
}

bool Missing(const Status& status) {
  const std::string& m = status.message();
  return m.find("found no LAPACK") != std::string::npos;
}
bool NeedsSizes(const Status& status) {
  return status.message().find("needs to know") != std::string::npos;
}

// Sums in another order may differ by rounding, and second derivatives cancel.
double Tolerance(const SweepCase& c) {
  double tolerance = 1e-8;
  for (const Array& in : c.inputs) {
    if (in.dtype() == DType::kF32) tolerance = 2e-2;
    if (in.dtype() == DType::kF16 || in.dtype() == DType::kBF16) return 0;
  }
  return tolerance;
}

void ExpectSame(const std::vector<Array>& got, const std::vector<Array>& want,
                double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].shape(), want[i].shape()) << "result " << i;
    RefArray a = ToRef(got[i]), b = ToRef(want[i]);
    double size = 1;
    for (double v : b.v) {
      if (std::isfinite(v)) size = std::max(size, std::abs(v));
    }
    for (size_t k = 0; k < a.v.size(); ++k) {
      if (a.v[k] == b.v[k] || (std::isnan(a.v[k]) && std::isnan(b.v[k]))) {
        continue;
      }
      ASSERT_LE(std::abs(a.v[k] - b.v[k]), tolerance * size)
          << "result " << i << " at " << k << " is " << a.v[k] << ", wanted "
          << b.v[k];
    }
  }
}

TEST_P(GradForms, AgreeWithEachOther) {
  const OpRecord& op = *FindOp(GetParam());
  for (const SweepCase& c : CasesOf(op)) {
    // Sanitizers look for stray accesses, which one type shows as well.
    if (SL_ASAN && !c.first) continue;
    SCOPED_TRACE(c.name);
    int64_t elements = 0;
    for (const Array& in : c.inputs) elements += in.num_elements();
    if (elements > 500) continue;
    Result<std::vector<Array>> all = Form::Run(op, c, Ask::kAll);
    if (!all.ok() && Missing(all.status())) GTEST_SKIP();
    ASSERT_TRUE(all.ok()) << all.status().ToString();
    double tolerance = Tolerance(c);
    if (tolerance == 0) continue;
    Result<std::vector<Array>> one = Form::Run(op, c, Ask::kOneByOne);
    ASSERT_TRUE(one.ok()) << one.status().ToString();
    ExpectSame(*one, *all, tolerance);
    Result<std::vector<Array>> hidden =
        Form::Run(op, c, Ask::kAllWithSizesHidden);
    if (!hidden.ok() && NeedsSizes(hidden.status())) continue;
    ASSERT_TRUE(hidden.ok()) << hidden.status().ToString();
    ExpectSame(*hidden, *all, tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, GradForms, testing::ValuesIn(OpsWithRules()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sluice
