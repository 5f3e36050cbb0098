// Gradient rules against differences, from op records: every sample of every op
// with a rule, to second order, by reverse and forward mode. Ops are run in f64
// where they take it.
#include <gtest/gtest.h>

#include <cmath>

#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/op/registry.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/dispatch.h"
#include "tests/grad_case.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

std::vector<std::string> OpsWithRules() {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) {
    // Its gradient is whatever the user's program says.
    if (op->name == "CustomGradient") continue;
    if (op->grad && !op->samples.empty()) names.push_back(op->name);
  }
  return names;
}

// Floating-point inputs as f64, where the op takes that; else as they are.
std::vector<Array> Widened(const OpRecord& op, const Attrs& attrs,
                           const std::vector<Array>& inputs) {
  std::vector<Array> wide;
  std::vector<DType> dtypes;
  for (const Array& in : inputs) {
    Array y = in;
    if (kFloats.contains(in.dtype())) {
      y = *Array::Make(DType::kF64, in.shape());
      Array flat = *in.AsContiguous();
      DispatchReals(in.dtype(), [&]<class T>() {
        for (int64_t i = 0; i < in.num_elements(); ++i) {
          y.mutable_data<double>()[i] = static_cast<double>(flat.data<T>()[i]);
        }
      });
    }
    wide.push_back(y);
    dtypes.push_back(y.dtype());
  }
  return ResolveCall(op, attrs, dtypes).ok() ? wide : inputs;
}

// A derivative by differences with two steps: where they disagree there is a
// kink, and nothing to be compared with.
struct Difference {
  double value = 0, doubt = 0;
};

class GradSweep : public testing::TestWithParam<std::string> {};

std::string Mismatch(const char* what, double got, const Difference& want,
                     double tolerance, double scale) {
  double limit = tolerance * (std::abs(want.value) + scale) + 4 * want.doubt;
  if (std::abs(got - want.value) <= limit) return {};
  return StrCat(what, " is ", got, ", by differences ", want.value, " (doubt ",
                want.doubt, ")");
}

// "" when they agree; `smooth` is false when differences say nothing here.
std::string Compare(const GradCase& c, bool wide, bool* smooth) {
  double h = wide ? 1e-4 : 2e-2, tolerance = wide ? 1e-5 : 2e-2;
  auto at = [&](double a, double b) {
    Result<GradValues> got = c.At(a, b);
    if (!got.ok()) ADD_FAILURE() << got.status().ToString();
    return got.ok() ? *got : GradValues{NAN, NAN, NAN, NAN};
  };
  GradValues here = at(0, 0);
  GradValues a1 = at(h, 0), a2 = at(-h, 0), a3 = at(h / 2, 0),
             a4 = at(-h / 2, 0);
  GradValues b1 = at(0, h), b2 = at(0, -h), b3 = at(0, h / 2),
             b4 = at(0, -h / 2);
  auto difference = [&](double x1, double x2, double x3, double x4,
                        double middle) {
    double coarse = (x1 - x2) / (2 * h), fine = (x3 - x4) / h;
    // One-sided slopes differ by a kink of any size at this very point.
    double kink = std::abs((x3 - 2 * middle + x4) / (h / 2));
    double bent = std::abs((x1 - 2 * middle + x2) / h);
    double doubt = std::abs(coarse - fine) / 3;
    if (kink > 0.75 * bent && kink > 0.05 * (1 + std::abs(fine))) {
      doubt = INFINITY;
    }
    return Difference{fine + (fine - coarse) / 3, doubt};
  };
  Difference slope = difference(a1.loss, a2.loss, a3.loss, a4.loss, here.loss);
  Difference bend =
      difference(b1.slope, b2.slope, b3.slope, b4.slope, here.slope);
  double most = wide ? 1e-4 : 0.05;
  *smooth = slope.doubt < most * (1 + std::abs(slope.value)) &&
            bend.doubt < most * (1 + std::abs(bend.value));
  if (!*smooth) return {};
  std::string text = Mismatch("the gradient", here.slope, slope, tolerance, 1);
  if (text.empty()) {
    text =
        Mismatch("forward mode", here.forward, {here.slope, 0}, tolerance, 1);
  }
  if (text.empty()) {
    text = Mismatch("the second gradient", here.bend, bend, 10 * tolerance, 1);
  }
  return text;
}

TEST_P(GradSweep, AgreesWithDifferences) {
  const OpRecord& op = *FindOp(GetParam());
  if (op.name == "WithHistory") {
    GTEST_SKIP() << "the slope it has is that of another value, by design";
  }
  int compared = 0;
  bool asked = false;
  for (const SweepCase& c : CasesOf(op)) {
    if (!c.first) continue;
    SCOPED_TRACE(c.name);
    std::vector<Array> inputs = Widened(op, c.attrs, c.inputs);
    Result<std::unique_ptr<GradCase>> made =
        GradCase::Make(op, c.attrs, inputs);
    if (!made.ok() && made.status().code() == Code::kUnimplemented &&
        made.status().message().find("found no LAPACK") != std::string::npos) {
      GTEST_SKIP() << made.status().message();
    }
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    if (!(*made)->differentiable()) continue;
    asked = true;
    bool wide = false;
    int64_t elements = 0;
    for (const Array& in : inputs) {
      wide = wide || in.dtype() == DType::kF64;
      elements += in.num_elements();
    }
    if ((SL_ASAN || SL_TSAN) && elements > 200) continue;
    for (int attempt = 0; attempt < 4; ++attempt) {
      bool smooth = false;
      std::string text = Compare(**made, wide, &smooth);
      if (smooth) {
        ++compared;
        EXPECT_EQ(text, "");
        break;
      }
      (*made)->Nudge(attempt);
    }
  }
  if (asked && !SL_ASAN && !SL_TSAN) {
    EXPECT_GT(compared, 0) << "no sample is smooth enough to compare";
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, GradSweep, testing::ValuesIn(OpsWithRules()),
                         [](const auto& info) { return info.param; });

// Whoever adds an op of floats decides whether it has a gradient.
TEST(GradRules, EveryOpOfFloatsHasARuleOrAReason) {
  std::string missing;
  for (const OpRecord* op : AllOps()) {
    if (op->grad || !op->no_grad.empty() || op->structural ||
        op->name.starts_with("Test")) {
      continue;
    }
    auto floating = [&](const std::vector<ArgSpec>& args) {
      for (const ArgSpec& arg : args) {
        const TypeVar* type = op->FindType(arg.type);
        DType fixed = DTypeFromName(arg.type);
        if (type ? !(type->allowed & kFloats).empty()
                 : fixed != DType::kInvalid && kFloats.contains(fixed)) {
          return true;
        }
      }
      return false;
    };
    if (floating(op->inputs) && floating(op->outputs)) {
      StrAppend(missing, op->name, " ");
    }
  }
  EXPECT_EQ(missing, "");
}

}  // namespace
}  // namespace sluice
