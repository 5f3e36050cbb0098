// vmap over every op that has samples: the op on a stack of examples, under
// vmap, gives what it gives example by example. Nothing here knows an op by
// name; adding an op adds its test.
// Labels: vmap
#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

constexpr int kLanes = 3;
using Example = std::vector<Array>;

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) {
    bool data = true;
    for (const ArgSpec& in : op->inputs) data = data && in.type != "resource";
    if (op->pure() && op->regions.empty() && !op->samples.empty() &&
        !op->inputs.empty() && data) {
      names.push_back(op->name);
    }
  }
  return names;
}

// The same elements, `by` places further: other numbers from the same range.
Array Rolled(const Array& from, int by) {
  Array to = *from.Clone();
  int64_t n = to.num_elements();
  if (n < 2 || to.dtype() == DType::kString) return to;
  auto bytes = static_cast<size_t>(DTypeSize(to.dtype()));
  const char* in = static_cast<const char*>(from.raw());
  char* out = static_cast<char*>(to.mutable_raw());
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(out + static_cast<size_t>((i + by) % n) * bytes,
                in + static_cast<size_t>(i) * bytes, bytes);
  }
  return to;
}

Array Stacked(const std::vector<Array>& lanes) {
  const OpRecord* stack = FindOp("Stack");
  return (*RunOp(*stack, {{"axis", 0}}, lanes))[0];
}

// What each lane gives; an error when one fails or sizes differ.
Result<std::vector<Example>> ByItself(const OpRecord& op, const Attrs& attrs,
                                      const std::vector<Example>& lanes) {
  std::vector<Example> results;
  for (const Example& lane : lanes) {
    SL_ASSIGN_OR_RETURN(Example result, RunOp(op, attrs, lane));
    for (size_t i = 0; i < result.size() && !results.empty(); ++i) {
      if (result[i].shape() == results[0][i].shape()) continue;
      return InvalidArgument("sizes differ from lane to lane");
    }
    results.push_back(std::move(result));
  }
  return results;
}

// Elements of their own give the same bits; sums may be in another order.
double Tolerance(const OpRecord& op, DType dtype) {
  if (op.elementwise()) return 0;
  switch (dtype) {
    case DType::kF16:
      return 4e-3;
    case DType::kBF16:
      return 3e-2;
    case DType::kF64:
      return 1e-9;
    default:
      return 2e-5;
  }
}

std::string Compare(const OpRecord& op, const Array& got, const Array& want) {
  if (got.dtype() != want.dtype() || !(got.shape() == want.shape())) {
    return StrCat("is ", got.TypeText(), ", wanted ", want.TypeText());
  }
  RefArray a = ToRef(got), b = ToRef(want);
  for (size_t i = 0; i < a.v.size(); ++i) {
    if (a.v[i] == b.v[i] || (std::isnan(a.v[i]) && std::isnan(b.v[i]))) {
      continue;
    }
    double allowed =
        Tolerance(op, want.dtype()) * std::max(1.0, std::fabs(b.v[i]));
    if (kFloats.contains(want.dtype()) &&
        std::fabs(a.v[i] - b.v[i]) <= allowed) {
      continue;
    }
    return StrCat("element ", i, " is ", a.v[i], ", wanted ", b.v[i]);
  }
  return "";
}

class VmapSweep : public testing::TestWithParam<std::string> {
 protected:
  bool ran_ = false, together_ = false;

  const OpRecord& op() { return *FindOp(GetParam()); }

  // Lanes as different as the op takes them where those of `batched` differ.
  std::vector<Example> LanesOf(const SweepCase& c,
                               const std::vector<bool>& batched,
                               std::vector<Example>& want) {
    for (int how = 0; how < 3; ++how) {
      std::vector<Example> lanes;
      for (int lane = 0; lane < kLanes; ++lane) {
        Example example;
        for (size_t i = 0; i < c.inputs.size(); ++i) {
          bool moves = batched[i] && how < 2 &&
                       (how == 0 || kFloats.contains(c.inputs[i].dtype()));
          example.push_back(moves ? Rolled(c.inputs[i], lane) : c.inputs[i]);
        }
        lanes.push_back(std::move(example));
      }
      auto results = ByItself(op(), c.attrs, lanes);
      if (!results.ok()) continue;
      want = *results;
      return lanes;
    }
    return {};
  }

  void Check(const SweepCase& c, const std::vector<bool>& batched,
             bool in_graph) {
    std::vector<Example> want;
    std::vector<Example> lanes = LanesOf(c, batched, want);
    if (lanes.empty()) return;  // the sample needs a library that is not here
    for (const Array& result : want[0]) {
      if (result.rank() >= kMaxRank) return;
    }
    std::vector<Tensor> args;
    VmapOptions options;
    for (size_t i = 0; i < batched.size(); ++i) {
      std::vector<Array> column;
      for (const Example& lane : lanes) column.push_back(lane[i]);
      if (batched[i] && column[0].rank() >= kMaxRank) return;
      args.push_back(constant(batched[i] ? Stacked(column) : column[0]));
      options.in_axes.push_back(batched[i] ? 0 : unbatched);
    }
    auto f = vmap(
        [&](const std::vector<Tensor>& xs) {
          std::vector<Operand> operands(xs.begin(), xs.end());
          return front_internal::CallMany(GetParam(), operands, c.attrs, "",
                                          std::source_location::current());
        },
        options);
    std::vector<Array> got;
    try {
      if (in_graph) {
        Graph graph;
        std::vector<Tensor> made;
        {
          GraphScope building(graph);
          std::vector<Tensor> inside;
          for (const Tensor& a : args) inside.push_back(constant(a.array()));
          made = f(inside);
        }
        Session session(graph);
        for (const Tensor& t : made) got.push_back(session.run(t));
      } else {
        for (const Tensor& t : f(args)) got.push_back(t.array());
      }
    } catch (const Error& e) {
      ADD_FAILURE() << c.name << ": " << e.what();
      return;
    }
    ran_ = true;
    together_ = together_ || f.report().lane_by_lane == 0;
    ASSERT_EQ(got.size(), want[0].size());
    for (size_t i = 0; i < got.size(); ++i) {
      std::vector<Array> column;
      for (const Example& lane : want) column.push_back(lane[i]);
      std::string differs = Compare(op(), got[i], Stacked(column));
      EXPECT_EQ(differs, "")
          << c.name << ", output " << i << ", " << f.report().ToString();
    }
  }
};

TEST_P(VmapSweep, LanesGiveWhatTheyGiveAlone) {
  for (const SweepCase& c : CasesOf(op())) {
    if (!c.first || c.inputs.empty()) continue;
    std::string text = StrCat(c.name);
    SCOPED_TRACE(text);
    size_t count = c.inputs.size();
    std::vector<bool> all(count, true);
    int64_t elements = 0;
    for (const Array& a : c.inputs) elements += a.num_elements();
    if (elements > 20000) continue;  // the same rules, only slower
    // Sizes known while building, and not: more than one way for each sample
    // would test the same rules again.
    bool known = c.sample % 2 == 0;
    Check(c, all, known);
    if (c.sample < 2) Check(c, all, !known);
    for (size_t i = 0; count > 1 && i < count; ++i) {
      std::vector<bool> one(count, false);
      one[i] = true;
      known = !known;
      Check(c, one, known);
    }
  }
  // A rule that never helps is none.
  if (ran_ && BatchRuleOf(op())) {
    EXPECT_TRUE(together_);
  }
}

// What has a rule, and that none repeats what follows from the record anyway.
TEST(VmapRules, SayWhatTraitsDoNot) {
  int own = 0, derived = 0, lists = 0, lane_by_lane = 0;
  for (const OpRecord* op : AllOps()) {
    if (op->structural || op->handle || op->effect != Effect::kNone) continue;
    EXPECT_FALSE(op->elementwise() && op->batch == batch_rules::elementwise)
        << op->name << ": follows from being elementwise";
    EXPECT_FALSE(op->shape == shapes::reduce &&
                 op->batch == batch_rules::reduction)
        << op->name << ": follows from its shape function";
    if (op->batch_lists) {
      EXPECT_TRUE(op->batch) << op->name << ": a rule for lists apart alone";
      ++lists;
    }
    ++(op->batch ? own : BatchRuleOf(*op) ? derived : lane_by_lane);
  }
  EXPECT_GT(own, 0);
  EXPECT_GT(derived, 0);
  std::printf(
      "batching: %d ops have a rule (%d of them one for each lane's own "
      "lists), "
      "%d have one by their traits, %d run lane by lane\n",
      own, lists, derived, lane_by_lane);
}

INSTANTIATE_TEST_SUITE_P(Ops, VmapSweep, testing::ValuesIn(OpNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sluice
