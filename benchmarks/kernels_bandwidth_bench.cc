// Kernels that read and write much and compute little, as a fraction of what
// plain loops get from the same memory in the same run: a copy for one input,
// a triad for two. Arrays of 8 MB stay in a large last-level cache, those of
// 64 MB do not.
#include "benchmarks/bench.h"
#include "benchmarks/graph_call.h"
#include "benchmarks/memory_loops.h"
#include "benchmarks/timing.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/eager/call.h"

namespace sluice::bench {
namespace {

constexpr double kWanted = 0.8;

std::string Text(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", v);
  return text;
}

std::vector<Tensor> FusedTenOps(const std::vector<Tensor>& in) {
  const Tensor& c = in[1];
  auto two = [&](const char* op, const Tensor& v) {
    return call(op, {v, c})[0];
  };
  auto one = [&](const char* op, const Tensor& v) { return call(op, {v})[0]; };
  Tensor v = two("Mul", two("Add", in[0]));
  v = two("Sub", one("Relu", v));
  v = two("Maximum", one("Abs", v));
  v = one("Neg", one("Square", v));
  return {two("Mul", two("Add", v))};
}

// What is measured beside a call: loops that move the same bytes, and one that
// does the same arithmetic where that may be what takes the time.
struct Bound {
  std::function<void()> memory;
  std::function<void()> arithmetic = {};
  const char* arithmetic_name = "";
};

void Measure(Report& report, const char* what, const Shape& shape,
             Result<GraphCall>& call, double bytes, const Bound& bound) {
  if (!report.Wants(what)) return;
  Settings settings = {{"op", what}, {"shape", shape.ToString()}};
  if (!call.ok()) {
    return report.Missing("bandwidth", call.status().message(), settings,
                          AtLeast(kWanted));
  }
  std::vector<std::function<void()>> turns = {[&] { call->Run(); },
                                              bound.memory};
  if (bound.arithmetic) turns.push_back(bound.arithmetic);
  auto best = SecondsPerCall({.rounds = 2 * report.rounds}, turns);
  settings.emplace_back("GB/s", Text(bytes / best[0] * 1e-9));
  settings.emplace_back("measured GB/s", Text(bytes / best[1] * 1e-9));
  Bar bar = AtLeast(kWanted);
  if (bound.arithmetic) {
    // Arithmetic alone leaves no way to reach the bar.
    bool compute = best[2] * kWanted > best[1];
    settings.emplace_back("limit", compute ? "arithmetic" : "bandwidth");
    settings.emplace_back(bound.arithmetic_name, Text(best[2] / best[0]));
    if (compute) bar = {};
  } else {
    settings.emplace_back("limit", "bandwidth");
  }
  settings.emplace_back(
      "Gelement/s",
      Text(static_cast<double>(shape.num_elements()) / best[0] * 1e-9));
  report.Line("bandwidth", best[1] / best[0], "fraction", settings, bar);
}

void MeasureAll(Report& report, const Shape& shape) {
  Array x = RandomFloats(shape), b = RandomFloats(shape, -1, 1, 2);
  Array y = Array::Zeros(DType::kF32, shape);
  auto bytes = static_cast<double>(x.bytes());
  auto copy = [&] { ParallelCopy(x, y); };

  Shape half{shape[0] / 2, shape[1]};
  auto joined = GraphCall::Op(
      "Concat", {RandomFloats(half), RandomFloats(half)}, {{"axis", 0}});
  Measure(report, "copy (Concat of two halves)", shape, joined, 2 * bytes,
          {copy});
  auto add = GraphCall::Op("Add", {x, b});
  Measure(report, "Add", shape, add, 3 * bytes,
          {[&] { ParallelTriad(x, b, y); }});
  auto chain = GraphCall::Make({x, Array::Scalar(0.5f)}, FusedTenOps);
  Measure(
      report, "ten-op chain", shape, chain, 2 * bytes,
      {copy, [&] { ParallelTenOps(x, 0.5f, y); }, "against one compiled loop"});
  // Softmax computes an exponential of every element: no faster than Exp.
  auto exp = GraphCall::Op("Exp", {x});
  auto softmax = GraphCall::Op("Softmax", {x});
  Measure(report, "Softmax", shape, softmax, 2 * bytes,
          {copy,
           [&] {
             if (exp.ok()) exp->Run();
           },
           "against Exp alone"});
  Array gamma = RandomFloats({shape[1]}), beta = RandomFloats({shape[1]});
  auto norm = GraphCall::Op("LayerNorm", {x, gamma, beta});
  // What the same loop takes when nothing comes from memory.
  Array cached = RandomFloats(
      {WorkerPool::Default().parallelism() * kNormRowsInCache, shape[1]});
  Measure(report, "LayerNorm", shape, norm, 2 * bytes,
          {copy, [&] { ParallelNormInCache(cached, gamma, beta, shape[0]); },
           "against its loop in the first cache"});
}

SL_BENCH(kernels, bandwidth, "byte-moving kernels against measured bandwidth") {
  MeasureAll(report, {2048, 1000});
  MeasureAll(report, {16384, 1000});
}

}  // namespace
}  // namespace sluice::bench
