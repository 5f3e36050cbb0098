// Convolutions of AlexNet, ResNet and LeNet, forward and both gradients,
// against patches times OpenBLAS on the same cores, in turns.
#include <algorithm>
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/graph_call.h"
#include "benchmarks/im2col.h"
#include "benchmarks/timing.h"
#include "sluice/base/strings.h"

namespace sluice::bench {
namespace {

constexpr ConvShape kShapes[] = {
    {"AlexNet conv1", 3, 224, 64, 11, 4, 2},
    {"AlexNet conv2", 64, 27, 192, 5, 1, 2},
    {"AlexNet conv3", 192, 13, 384, 3, 1, 1},
    {"ResNet conv1", 3, 224, 64, 7, 2, 3},
    {"ResNet 3x3@56", 64, 56, 64, 3, 1, 1},
    {"ResNet 1x1@56", 64, 56, 256, 1, 1, 0},
    {"ResNet 3x3@28", 128, 28, 128, 3, 1, 1},
    {"ResNet 3x3@14", 256, 14, 256, 3, 1, 1},
    {"ResNet 3x3@7", 512, 7, 512, 3, 1, 1},
    {"LeNet conv1", 1, 28, 32, 5, 1, 2},
    {"LeNet conv2", 32, 14, 64, 5, 1, 2},
};

// Rounding errors of long sums aside, the same numbers.
bool Agree(const Array& ours, const Array& theirs) {
  const float *a = ours.data<float>(), *b = theirs.data<float>();
  double off = 0, size = 0;
  for (int64_t i = 0; i < theirs.num_elements(); ++i) {
    off += std::fabs(double{a[i]} - b[i]);
    size += std::fabs(double{b[i]});
  }
  return off <= 1e-4 * size;
}

Array ShapeValue(const Shape& shape) { return Array::Vector(shape.dims()); }

struct Pass {
  const char* name;
  Result<GraphCall> call;
  std::function<void()> opponent;
  Array want;
};

void RunPass(Report& report, const ConvShape& s, int64_t batch, Pass pass) {
  Settings settings = {
      {"shape", s.name}, {"batch", StrCat(batch)}, {"pass", pass.name}};
  if (!pass.call.ok()) {
    return report.Missing("conv2d_f32", pass.call.status().message(), settings,
                          AtLeast(1.1));
  }
  auto best = SecondsPerCall({.rounds = report.rounds, .turn_seconds = 2e-3},
                             {[&] { pass.call->Run(); }, pass.opponent});
  if (!Agree(pass.call->results()[0], pass.want)) {
    return report.Missing("conv2d_f32", "results differ", settings,
                          AtLeast(1.1));
  }
  double work = 2e-9 * static_cast<double>(batch * s.out_elements()) *
                static_cast<double>(s.depth());
  char ours[32], theirs[32];
  std::snprintf(ours, sizeof ours, "%.4g", work / best[0]);
  std::snprintf(theirs, sizeof theirs, "%.4g", work / best[1]);
  settings.emplace_back("GFLOP/s", ours);
  settings.emplace_back("im2col", theirs);
  report.Line("conv2d_f32", best[1] / best[0], "ratio", settings, AtLeast(1.1));
}

void RunShape(Report& report, const OpenBlas& blas, const ConvShape& s,
              int64_t batch) {
  if (!report.Wants(s.name)) return;
  Array x = RandomFloats({batch, s.in_channels, s.size, s.size}, -1, 1, 1);
  Array w = RandomFloats({s.out_channels, s.in_channels, s.kernel, s.kernel},
                         -1, 1, 2);
  Array dy = RandomFloats({batch, s.out_channels, s.out_size(), s.out_size()},
                          -1, 1, 3);
  Array y = Array::Zeros(DType::kF32, dy.shape());
  Array dx = Array::Zeros(DType::kF32, x.shape());
  Array dw = Array::Zeros(DType::kF32, w.shape());
  Attrs attrs = {{"strides", std::vector<int64_t>{s.stride, s.stride}},
                 {"padding", std::vector<int64_t>{s.pad, s.pad}}};
  Im2colConv conv(blas, s, batch);
  RunPass(report, s, batch,
          {"forward", GraphCall::Op("Conv2D", {x, w}, attrs),
           [&] {
             conv.Forward(x.data<float>(), w.data<float>(),
                          y.mutable_data<float>());
           },
           y});
  RunPass(report, s, batch,
          {"input gradient",
           GraphCall::Op("Conv2DInputGrad",
                         {dy, w, Fixed(ShapeValue(x.shape()))}, attrs),
           [&] {
             conv.InputGrad(dy.data<float>(), w.data<float>(),
                            dx.mutable_data<float>());
           },
           dx});
  RunPass(report, s, batch,
          {"filter gradient",
           GraphCall::Op("Conv2DFilterGrad",
                         {x, dy, Fixed(ShapeValue(w.shape()))}, attrs),
           [&] {
             conv.FilterGrad(x.data<float>(), dy.data<float>(),
                             dw.mutable_data<float>());
           },
           dw});
}

SL_BENCH(kernels, conv2d_f32, "convolutions against patches and OpenBLAS") {
  const OpenBlas* blas = OpenBlas::Get();
  if (!blas) {
    return report.Missing("conv2d_f32", kNoOpenBlas, {}, AtLeast(1.1));
  }
  for (int64_t batch : {8, 32}) {
    for (const ConvShape& s : kShapes) RunShape(report, *blas, s, batch);
  }
}

}  // namespace
}  // namespace sluice::bench
