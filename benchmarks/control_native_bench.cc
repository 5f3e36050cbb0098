// Loops over scalars by the machine and as machine code (SLUICE_JIT), in one
// run, and beside JAX's compiled loop. On sessions of one thread.
#include <cstdlib>
#include <memory>

#include "benchmarks/bench.h"
#include "benchmarks/torch_child.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

constexpr int64_t kTrips = 100'000;

// i = 0; while i < n: i + 1, step(x). Of the last x, which begins as 3, or as a
// row of so many elements.
class ScalarLoop {
 public:
  using Step = Tensor (*)(const Tensor& x);
  ScalarLoop(Step step, const char* jit, int64_t elements = 0) {
    setenv("SLUICE_JIT", jit, 1);
    {
      GraphScope building(graph_);
      count_ = placeholder(i32, Shape(), "count");
      auto [i, x] = while_loop(
          [&](Tensor i, Tensor) { return i < count_; },
          [&](Tensor i, Tensor x) { return std::tuple(i + 1, step(x)); }, 0,
          elements ? ones({elements}) * 3.0f : constant(3.0f));
      result_ = x;
    }
    SessionOptions options;
    options.threads = 1;
    session_ = std::make_unique<Session>(graph_, options);
    call_ = session_->prepare({result_}, {count_});
    Run(1);  // plans it
    unsetenv("SLUICE_JIT");
  }

  void Run(int64_t count) {
    call_({Array::Scalar(static_cast<int32_t>(count))});
  }
  std::string Explain() {
    return session_->explain(result_, {{count_, int32_t{1}}});
  }

 private:
  Graph graph_;
  Tensor count_, result_;
  std::unique_ptr<Session> session_;
  Callable call_;
};

Tensor Recurrence(const Tensor& x) { return x * 0.999f + 0.001f; }
Tensor Newton(const Tensor& x) { return x - (x * x - 2.0f) / (2.0f * x); }
Tensor Squashed(const Tensor& x) { return tanh(x * 1.5f); }
Tensor Bounced(const Tensor& x) {
  return cond(x > 0.0f, [&] { return x - 1.5f; }, [&] { return x + 1.0f; });
}

// As long as a body gets by hand: 100 ops.
Tensor Long(const Tensor& x) {
  Tensor y = x;
  for (int i = 0; i < 50; ++i) y = y * 0.5f + 1.0f;
  return y;
}
// Two numbers, by their names.
Tensor Pendulum(const Tensor& x) {
  Tensor q = x[0], v = x[1];
  return stack({q + v * 0.01f, v - q * 0.01f});
}

struct Case {
  const char* name;
  ScalarLoop::Step step;
  int ops;  // of an iteration, the counter's two among them
  Bar bar;
  int64_t elements = 0;
};
// benchmarks/jax_loop.py has the same.
constexpr Case kCases[] = {
    {"recurrence", Recurrence, 4, {Bar::kAtMost, 2.5}},
    {"newton", Newton, 7, {Bar::kAtMost, 2.5}},
    {"tanh", Squashed, 4, {}},
    {"branch", Bounced, 4, {Bar::kAtMost, 2.5}},
    {"row_of_4", Recurrence, 4, {Bar::kAtMost, 2.5}, 4},
    {"pendulum", Pendulum, 9, {Bar::kAtMost, 2.5}, 2},
};

SL_BENCH(control, scalars,
         "an op of a loop over scalars, vm and machine code") {
  for (const Case& c : kCases) {
    if (!report.Wants(c.name)) continue;
    ScalarLoop machine(c.step, "0", c.elements);
    ScalarLoop native(c.step, "always", c.elements);
    std::vector<double> best =
        Best(report.rounds,
             {[&] { machine.Run(kTrips); }, [&] { native.Run(kTrips); }});
    auto nanos = [&](double seconds) {
      return seconds * 1e9 / static_cast<double>(kTrips * c.ops);
    };
    report.Line("scalar_op", nanos(best[0]), "ns",
                {{"loop", c.name}, {"by", "vm"}});
    report.Line("scalar_op", nanos(best[1]), "ns",
                {{"loop", c.name}, {"by", "machine code"}}, c.bar);
  }
}

SL_BENCH(control, compile_time, "of the body of a loop, in the background") {
  // In a session of its own each time: the same body is compiled once.
  double most = 0;
  for (ScalarLoop::Step step : {Recurrence, Newton, Squashed, Bounced, Long}) {
    ScalarLoop loop(step, "always");
    std::string text = loop.Explain();
    size_t at = text.find(" in ", text.find("compiled by"));
    if (at == std::string::npos) {
      return report.Missing("native_compile", "there is no engine", {},
                            AtMost(50));
    }
    most = std::max(most, std::strtod(text.c_str() + at + 4, nullptr));
  }
  report.Line("native_compile", most, "ms", {{"of", "the slowest of 5"}},
              AtMost(50));
}

SL_BENCH(control, jax, "10,000 iterations over scalars beside JAX's loops") {
  constexpr int64_t kFew = 10'000;
  auto peer = TorchChild::Start(1);
  for (const Case& c : kCases) {
    if (!report.Wants(c.name)) continue;
    Status there = peer.status();
    if (there.ok()) {
      there =
          (*peer)->SetCase(std::string("jax_") + c.name, {Array::Scalar(kFew)});
    }
    if (!there.ok()) {
      report.Missing("while_vs_jax", there.message(), {{"loop", c.name}},
                     AtLeast(1));
      continue;
    }
    ScalarLoop loop(c.step, "always", c.elements);
    double ours = 1e9, theirs = 1e9;
    for (int i = 0; i < report.rounds; ++i) {
      ours = std::min(ours, Best(10, {[&] { loop.Run(kFew); }})[0]);
      theirs = std::min(theirs, (*peer)->Time(1, 10));
    }
    char micros[64];
    std::snprintf(micros, sizeof micros, "%.1f against %.1f", ours * 1e6,
                  theirs * 1e6);
    report.Line("while_vs_jax", theirs / ours, "x",
                {{"loop", c.name}, {"us", micros}}, AtLeast(1));
  }
}

}  // namespace
}  // namespace sluice::bench
