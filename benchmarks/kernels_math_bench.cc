// Math functions over a million floats against loops over libm, both on all
// cores, in turns.
#include "benchmarks/bench.h"
#include "benchmarks/graph_call.h"
#include "benchmarks/libm_loops.h"
#include "benchmarks/timing.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"

namespace sluice::bench {
namespace {

constexpr int64_t kElements = 1 << 20;

std::string PerSecond(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g",
                static_cast<double>(kElements) / seconds * 1e-9);
  return text;
}

SL_BENCH(kernels, math_f32, "math functions against loops over libm") {
  struct Case {
    const char* op;
    LibmLoop libm;
    double lo, hi;
  };
  for (const Case& c :
       {Case{"Exp", LibmExp, -10, 10}, Case{"Log", LibmLog, 1e-3, 1e3},
        Case{"Tanh", LibmTanh, -4, 4}, Case{"Sigmoid", LibmSigmoid, -8, 8},
        Case{"Gelu", LibmGelu, -4, 4}}) {
    if (!report.Wants(c.op)) continue;
    Settings settings = {{"op", c.op}, {"elements", StrCat(kElements)}};
    Array x = RandomFloats({kElements}, c.lo, c.hi);
    Array y = Array::Zeros(DType::kF32, {kElements});
    auto call = GraphCall::Op(c.op, {x});
    if (!call.ok()) {
      report.Missing("math_f32", call.status().message(), settings, AtLeast(4));
      continue;
    }
    auto best = SecondsPerCall(
        {.rounds = 2 * report.rounds},
        {[&] { call->Run(); },
         [&] {
           ParallelFor(&WorkerPool::Default(), kElements, kElements / 32,
                       [&](int64_t begin, int64_t end) {
                         c.libm(x.data<float>() + begin,
                                y.mutable_data<float>() + begin, end - begin);
                       });
         }});
    settings.emplace_back("Gelement/s", PerSecond(best[0]));
    settings.emplace_back("libm", PerSecond(best[1]));
    report.Line("math_f32", best[1] / best[0], "ratio", settings, AtLeast(4));
  }
}

}  // namespace
}  // namespace sluice::bench
