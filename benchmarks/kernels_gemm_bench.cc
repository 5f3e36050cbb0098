// Matrix products against OpenBLAS: the same shapes, the same cores, in turns.
// Ours goes through a prepared Callable with both operands fed, so packing is
// paid at every call, as OpenBLAS pays it.
#include <algorithm>
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/graph_call.h"
#include "benchmarks/open_blas.h"
#include "benchmarks/timing.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/registry.h"

namespace sluice::bench {
namespace {

struct GemmCase {
  const char* name;
  int64_t m, n, k;
  bool ta = false, tb = false;
  double bar = 0;  // 0: for the record
};

double Gigaflop(int64_t m, int64_t n, int64_t k) {
  return 2e-9 * static_cast<double>(m) * static_cast<double>(n) *
         static_cast<double>(k);
}

std::string Rate(double gigaflop, double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", gigaflop / seconds);
  return text;
}

// The two results agree: a fast wrong product is worth nothing.
bool Agree(const Array& ours, const Array& theirs) {
  const float *a = ours.data<float>(), *b = theirs.data<float>();
  for (int64_t i = 0; i < theirs.num_elements(); ++i) {
    if (!(std::fabs(a[i] - b[i]) <= 1e-3f * (1 + std::fabs(b[i])))) {
      return false;
    }
  }
  return true;
}

int Cores() { return WorkerPool::Default().parallelism(); }

void RunCase(Report& report, const OpenBlas* blas, const GemmCase& c) {
  if (!report.Wants(c.name)) return;
  Settings settings = {{"shape", c.name},
                       {"m", StrCat(c.m)},
                       {"n", StrCat(c.n)},
                       {"k", StrCat(c.k)}};
  Bar bar = c.bar > 0 ? AtLeast(c.bar) : Bar{};
  Array a = RandomFloats(c.ta ? Shape{c.k, c.m} : Shape{c.m, c.k}, -1, 1, 1);
  Array b = RandomFloats(c.tb ? Shape{c.n, c.k} : Shape{c.k, c.n}, -1, 1, 2);
  auto call = GraphCall::Op("MatMul", {a, b},
                            {{"transpose_a", c.ta}, {"transpose_b", c.tb}});
  if (!call.ok()) {
    return report.Missing("gemm_f32", call.status().message(), settings, bar);
  }
  TimingOptions timing{.rounds = 2 * report.rounds};
  double work = Gigaflop(c.m, c.n, c.k);
  if (!blas) {
    double ours = SecondsPerCall(timing, {[&] { call->Run(); }})[0];
    settings.emplace_back("GFLOP/s", Rate(work, ours));
    return report.Missing("gemm_f32", kNoOpenBlas, settings, bar);
  }
  Array want = Array::Zeros(DType::kF32, {c.m, c.n});
  std::vector<std::function<void()>> turns = {
      [&] { call->Run(); },
      [&] {
        blas->Gemm(c.m, c.n, c.k, a.data<float>(), c.ta, b.data<float>(), c.tb,
                   want.mutable_data<float>());
      }};
  if (c.m == 1 && !c.tb) {
    // One row is a job for their other routine as well: the better one counts.
    turns.push_back([&] {
      blas->VectorTimesMatrix(c.n, c.k, a.data<float>(), b.data<float>(),
                              want.mutable_data<float>());
    });
  }
  blas->SetThreads(Cores());
  auto best = SecondsPerCall(timing, turns);
  if (!Agree(call->results()[0], want)) {
    return report.Missing("gemm_f32", "results differ", settings, bar);
  }
  double theirs = *std::min_element(best.begin() + 1, best.end());
  settings.emplace_back("GFLOP/s", Rate(work, best[0]));
  settings.emplace_back("OpenBLAS", Rate(work, theirs));
  report.Line("gemm_f32", theirs / best[0], "ratio", settings, bar);
}

void RunBatched(Report& report, const OpenBlas* blas, int64_t count, int64_t m,
                int64_t n, int64_t k, double limit) {
  if (!report.Wants("batched")) return;
  Settings settings = {{"shape", "batched"},
                       {"batch", StrCat(count)},
                       {"m", StrCat(m)},
                       {"n", StrCat(n)},
                       {"k", StrCat(k)}};
  Bar bar = AtLeast(limit);
  Array a = RandomFloats({count, m, k}, -1, 1, 1);
  Array b = RandomFloats({count, k, n}, -1, 1, 2);
  auto call =
      GraphCall::Op(FindOp("BatchMatMul") ? "BatchMatMul" : "MatMul", {a, b});
  if (!call.ok()) {
    return report.Missing("gemm_f32", call.status().message(), settings, bar);
  }
  if (!blas) return report.Missing("gemm_f32", kNoOpenBlas, settings, bar);
  Array want = Array::Zeros(DType::kF32, {count, m, n});
  auto products = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      blas->Gemm(m, n, k, a.data<float>() + i * m * k, false,
                 b.data<float>() + i * k * n, false,
                 want.mutable_data<float>() + i * m * n);
    }
  };
  // Two ways to use it: products over our threads, and one after another with
  // its own. The better one counts.
  TimingOptions timing{.rounds = 2 * report.rounds};
  blas->SetThreads(1);
  auto pooled =
      SecondsPerCall(timing, {[&] { call->Run(); },
                              [&] {
                                ParallelFor(&WorkerPool::Default(), count,
                                            count / 8 + 1, products);
                              }});
  blas->SetThreads(Cores());
  auto own = SecondsPerCall(
      timing, {[&] { call->Run(); }, [&] { products(0, count); }});
  if (!Agree(call->results()[0], want)) {
    return report.Missing("gemm_f32", "results differ", settings, bar);
  }
  double ours = std::min(pooled[0], own[0]);
  double theirs = std::min(pooled[1], own[1]);
  double work = Gigaflop(m, n, k) * static_cast<double>(count);
  settings.emplace_back("GFLOP/s", Rate(work, ours));
  settings.emplace_back("OpenBLAS", Rate(work, theirs));
  report.Line("gemm_f32", theirs / ours, "ratio", settings, bar);
}

SL_BENCH(kernels, gemm_f32, "matrix products against OpenBLAS") {
  const OpenBlas* blas = OpenBlas::Get();
  // The shapes. Small ones are to be better than the opponent.
  for (const GemmCase& c :
       {GemmCase{
            .name = "1024^3", .m = 1024, .n = 1024, .k = 1024, .bar = 0.95},
        GemmCase{.name = "64x784x100", .m = 64, .n = 100, .k = 784, .bar = 1},
        GemmCase{.name = "LSTM step", .m = 32, .n = 1024, .k = 256, .bar = 1},
        GemmCase{.name = "128x1024x1024",
                 .m = 128,
                 .n = 1024,
                 .k = 1024,
                 .bar = 0.95},
        GemmCase{
            .name = "one row", .m = 1, .n = 4096, .k = 1024, .bar = 0.95}}) {
    RunCase(report, blas, c);
  }
  RunBatched(report, blas, 256, 32, 32, 32, 1);
}

SL_BENCH(kernels, gemm_more, "more matrix products against OpenBLAS") {
  const OpenBlas* blas = OpenBlas::Get();
  for (const GemmCase& c :
       {GemmCase{
            .name = "weight gradient", .m = 784, .n = 100, .k = 64, .ta = true},
        GemmCase{
            .name = "input gradient", .m = 64, .n = 784, .k = 100, .tb = true},
        GemmCase{.name = "both transposed",
                 .m = 512,
                 .n = 512,
                 .k = 512,
                 .ta = true,
                 .tb = true},
        GemmCase{.name = "8 rows", .m = 8, .n = 1024, .k = 1024},
        GemmCase{.name = "tall", .m = 16384, .n = 32, .k = 64},
        GemmCase{.name = "long sum", .m = 32, .n = 32, .k = 16384},
        GemmCase{.name = "one column", .m = 4096, .n = 1, .k = 1024},
        GemmCase{.name = "64^3", .m = 64, .n = 64, .k = 64},
        GemmCase{.name = "16^3", .m = 16, .n = 16, .k = 16},
        GemmCase{.name = "LSTM cell", .m = 64, .n = 4096, .k = 1024}}) {
    RunCase(report, blas, c);
  }
}

SL_BENCH(kernels, gemm_types, "matrix products of other types") {
  for (DType dtype : {DType::kF32, DType::kF64, DType::kBF16, DType::kF16}) {
    for (int64_t n : {256, 1024}) {
      Settings settings = {{"dtype", std::string(DTypeName(dtype))},
                           {"shape", StrCat(n, "^3")}};
      auto call = GraphCall::Op(
          "MatMul",
          {RandomInput(dtype, {n, n}), RandomInput(dtype, {n, n}, -1, 1, 2)});
      if (!call.ok()) {
        report.Missing("gemm_rate", call.status().message(), settings);
        continue;
      }
      double s =
          SecondsPerCall({.rounds = report.rounds}, {[&] { call->Run(); }})[0];
      report.Line("gemm_rate", Gigaflop(n, n, n) / s, "GFLOP/s", settings);
    }
  }
  for (int64_t n : {256, 1024}) {
    Settings settings = {{"dtype", "i8"}, {"shape", StrCat(n, "^3")}};
    auto call = GraphCall::Op("QuantizedMatMul",
                              {RandomInput(DType::kI8, {n, n}, -100, 100),
                               RandomInput(DType::kI8, {n, n}, -100, 100, 2)});
    if (!call.ok()) {
      report.Missing("gemm_rate", call.status().message(), settings);
      continue;
    }
    double s =
        SecondsPerCall({.rounds = report.rounds}, {[&] { call->Run(); }})[0];
    report.Line("gemm_rate", Gigaflop(n, n, n) / s, "GOP/s", settings);
  }
}

}  // namespace
}  // namespace sluice::bench
