// Gradients of random programs: the same bits on every executor, and where a
// program is smooth, what differences give.
#include <gtest/gtest.h>

#include <cmath>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/random_flow_test_util.h"

namespace sluice {
namespace {

constexpr uint32_t kPrograms = SL_TSAN || SL_ASAN ? 60 : 300;

using Arrays = std::vector<Array>;

Array InDoubles(const Array& a) {
  if (a.dtype() != DType::kF32) return a;
  Array wide = *Array::Make(DType::kF64, a.shape());
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    wide.mutable_data<double>()[i] = a.data<float>()[i];
  }
  return wide;
}

void Replace(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The same program with f64 for f32: differences need the digits.
RandomFlow InDoubles(const RandomFlow& flow) {
  std::string text = PrintGraph(*flow.graph);
  Replace(text, "f32", "f64");
  Replace(text, "RandomUniform [", "RandomUniform [dtype = f64, ");
  RandomFlow wide;
  wide.graph = MustParse(text);
  for (const Array& a : flow.args) wide.args.push_back(InDoubles(a));
  return wide;
}

// A program that gives one number of all its floating-point results, the
// gradients of it with respect to its floating-point arguments, and those of
// their sum.
class Differentiated {
 public:
  explicit Differentiated(RandomFlow flow) : flow_(std::move(flow)) {}

  Status Differentiate() {
    Region& root = flow_.graph->root();
    MutexLock lock(flow_.graph->mu());
    for (int i = 0; i < root.num_args(); ++i) {
      if (root.arg(i).dtype() != DType::kF64) continue;
      xs_.push_back(root.arg(i));
      which_.push_back(static_cast<size_t>(i));
    }
    SL_ASSIGN_OR_RETURN(Value y, Total(root.results()));
    GradientOptions zeros{.zeros_when_unconnected = true};
    SL_ASSIGN_OR_RETURN(std::vector<Value> first,
                        Gradients(*flow_.graph, {&y, 1}, xs_, {}, zeros));
    SL_ASSIGN_OR_RETURN(Value slope, Total(first));
    SL_ASSIGN_OR_RETURN(std::vector<Value> second,
                        Gradients(*flow_.graph, {&slope, 1}, xs_, {}, zeros));
    std::vector<Value> results = {y, slope};
    results.insert(results.end(), first.begin(), first.end());
    results.insert(results.end(), second.begin(), second.end());
    flow_.graph->SetResults(root, std::move(results));
    return Verify(*flow_.graph);
  }

  const RandomFlow& flow() const { return flow_; }
  size_t num_xs() const { return xs_.size(); }

  // Arguments moved by `step` along a fixed direction.
  Arrays Moved(double step) const {
    Arrays args = flow_.args;
    for (size_t i : which_) {
      args[i] = *args[i].Clone();
      for (int64_t k = 0; k < args[i].num_elements(); ++k) {
        args[i].mutable_data<double>()[k] += step * Direction(i, k);
      }
    }
    return args;
  }
  // <gradient, direction>, of gradients that begin at that result.
  double Along(const Arrays& results, size_t begin) const {
    double sum = 0;
    for (size_t n = 0; n < which_.size(); ++n) {
      Array g = *results[begin + n].AsContiguous();
      for (int64_t k = 0; k < g.num_elements(); ++k) {
        sum += g.data<double>()[k] * Direction(which_[n], k);
      }
    }
    return sum;
  }

 private:
  static double Direction(size_t i, int64_t k) {
    return std::sin(1.0 + 3.0 * static_cast<double>(i) +
                    static_cast<double>(k));
  }

  Result<Value> Total(std::span<const Value> values) {
    Graph& graph = *flow_.graph;
    Value total;
    double weight = 1;
    for (const Value& v : values) {
      if (v.dtype() != DType::kF64) continue;
      Value part = v;
      if (v.shape().rank() != 0) {
        std::vector<int64_t> axes = {0};
        SL_ASSIGN_OR_RETURN(Node * sum, graph.Add(graph.root(), "Sum", {&v, 1},
                                                  {{"axes", axes}}));
        part = sum->output();
      }
      SL_ASSIGN_OR_RETURN(Node * factor,
                          graph.Add(graph.root(), "Const", {},
                                    {{"value", Array::Scalar(weight)}}));
      Value in[] = {part, factor->output()};
      SL_ASSIGN_OR_RETURN(Node * scaled,
                          graph.Add(graph.root(), "Mul", in, {}));
      part = scaled->output();
      if (total) {
        Value both[] = {total, part};
        SL_ASSIGN_OR_RETURN(Node * sum,
                            graph.Add(graph.root(), "Add", both, {}));
        part = sum->output();
      }
      total = part;
      weight *= 0.7;
    }
    return total;
  }

  RandomFlow flow_;
  std::vector<Value> xs_;
  std::vector<size_t> which_;  // arguments they are
};

Result<Arrays> Reference(const Graph& graph, const Arrays& args) {
  ResourceManager resources;
  StepContext step;
  step.step_id = 1;
  step.resources = &resources;
  return Interpret(graph, args, step);
}

struct Way {
  const char* name;
  ExecutorChoice executor;
  int64_t parallel;
  bool two_threads;
};
constexpr Way kWays[] = {
    {"tape", ExecutorChoice::kTape, 10, false},
    {"tokens, 1 at once", ExecutorChoice::kTokens, 1, false},
    {"tokens, 4 at once, two threads", ExecutorChoice::kTokens, 4, true},
    {"tokens, 32 at once, two threads", ExecutorChoice::kTokens, 32, true},
    {"auto, two threads", ExecutorChoice::kAuto, 10, true},
};

void ExpectSame(const Differentiated& program, const Arrays& want,
                const Way& way) {
  static auto* two_threads = new WorkerPool(2);
  const RandomFlow& flow = program.flow();
  SetParallel(*flow.graph, way.parallel);
  ResourceManager resources;
  Result<Arrays> got =
      RunOnPlan(*flow.graph, flow.args, way.executor,
                way.two_threads ? two_threads : nullptr, &resources);
  ASSERT_TRUE(got.ok()) << way.name << ": " << got.status().ToString() << "\n"
                        << PrintGraph(*flow.graph);
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_TRUE((*got)[i].BitEquals(want[i]))
        << way.name << ", result " << i << ": got " << (*got)[i].ToString()
        << "\nwanted " << want[i].ToString() << "\n"
        << PrintGraph(*flow.graph);
  }
}

// Whether results `value` and the gradients from `gradient` on fit together;
// nothing is said where differences by two steps disagree: a jump is near.
enum class Fit : uint8_t { kYes, kNo, kJump };
Fit Compare(const Differentiated& program, const Arrays& results, size_t value,
            size_t gradient, std::string& text) {
  auto at = [&](double step) {
    Result<Arrays> moved =
        Reference(*program.flow().graph, program.Moved(step));
    return moved.ok() ? *(*moved)[value].data<double>() : std::nan("");
  };
  auto slope = [&](double h) { return (at(h) - at(-h)) / (2 * h); };
  double fine = slope(1e-6), coarse = slope(3e-6);
  double got = program.Along(results, gradient);
  double size = 1 + std::abs(fine) + std::abs(*results[value].data<double>());
  if (!std::isfinite(fine) || !std::isfinite(coarse) ||
      std::abs(fine - coarse) > 1e-6 * size) {
    return Fit::kJump;
  }
  text = StrCat("got ", got, ", by differences ", fine, " and ", coarse);
  return std::abs(got - fine) <= 1e-5 * size ? Fit::kYes : Fit::kNo;
}

TEST(RandomGradient,
     OfStructuredGraphsAgreesOnEveryExecutorAndWithDifferences) {
  uint32_t compared = 0, flat = 0;
  for (uint32_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Differentiated program(InDoubles(MakeFlowOf({.state = false}, seed)));
    std::string before = PrintGraph(*program.flow().graph);
    Status made = program.Differentiate();
    ASSERT_TRUE(made.ok()) << made.ToString() << "\n" << before;
    const RandomFlow& flow = program.flow();
    Result<Arrays> want = Reference(*flow.graph, flow.args);
    ASSERT_TRUE(want.ok()) << want.status().ToString() << "\n" << before;
    ExpectSame(program, *want, kWays[seed % std::size(kWays)]);
    if (testing::Test::HasFailure()) break;
    for (size_t order : {0, 1}) {
      std::string text;
      Fit fit =
          Compare(program, *want, order, 2 + order * program.num_xs(), text);
      ASSERT_NE(fit, Fit::kNo) << "order " << order + 1 << ": " << text << "\n"
                               << before;
      compared += fit == Fit::kYes;
    }
    flat += program.Along(*want, 2) == 0;
  }
  // Most programs are smooth where they are tested, and depend on arguments.
  EXPECT_GE(compared, kPrograms * 2 * 8 / 10);
  EXPECT_LE(flat, kPrograms * 6 / 10);
}

// Gradients do not pass through variables, so differences say nothing here.
TEST(RandomGradient, OfGraphsWithStateAgreesOnEveryExecutor) {
  for (uint32_t seed = 1; seed <= kPrograms / 2; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Differentiated program(InDoubles(MakeStructuredFlow(seed)));
    std::string before = PrintGraph(*program.flow().graph);
    Status made = program.Differentiate();
    ASSERT_TRUE(made.ok()) << made.ToString() << "\n" << before;
    const RandomFlow& flow = program.flow();
    Result<Arrays> want = Reference(*flow.graph, flow.args);
    ASSERT_TRUE(want.ok()) << want.status().ToString() << "\n" << before;
    ExpectSame(program, *want, kWays[seed % std::size(kWays)]);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace sluice
