// A training step of a small network (784-100-10, batch 64, cross entropy,
// Adagrad), captured and imperative, beside the same step of PyTorch.
#include "benchmarks/bench.h"
#include "benchmarks/count_allocations.h"
#include "benchmarks/random_array.h"
#include "benchmarks/timing.h"
#include "benchmarks/torch_child.h"
#include "sluice/base/worker_pool.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

struct Mlp {
  Mlp() {
    for (size_t i = 0; i < 4; ++i) {
      weights[i] = constant(initial[i]).clone().requires_grad_();
      sums[i] = zeros(Sizes(initial[i].shape())).clone();
    }
  }
  Tensor Step(const Tensor& x, const Tensor& y) {
    Tensor hidden = relu(matmul(x, weights[0]) + weights[1]);
    Tensor logits = matmul(hidden, weights[2]) + weights[3];
    Tensor loss = mean(softmax_cross_entropy(logits, y));
    for (Tensor& w : weights) w.zero_grad();
    loss.backward();
    NoGrad update;
    for (size_t i = 0; i < 4; ++i) {
      Tensor g = weights[i].grad();
      sums[i].add_(g * g);
      weights[i].sub_(0.01f * g / (sqrt(sums[i]) + 1e-10f));
    }
    return loss.detach();
  }

  Array initial[4] = {
      RandomFloats({784, 100}, 0.05f, 1), RandomFloats({100}, 0.05f, 2),
      RandomFloats({100, 10}, 0.05f, 3), RandomFloats({10}, 0.05f, 4)};
  Tensor weights[4], sums[4];
};

SL_BENCH(autodiff, mlp, "training steps of a small network") {
  int threads = WorkerPool::Default().parallelism();
  Array images = RandomFloats({64, 784}, 1, 9);
  Array labels = *Array::Make(DType::kI64, {64});
  for (int64_t i = 0; i < 64; ++i) labels.mutable_data<int64_t>()[i] = i % 10;
  Tensor x = constant(images), y = constant(labels);
  Mlp now, captured;
  auto step = function([&](Tensor a, Tensor b) { return captured.Step(a, b); });

  // Both do the same thing.
  for (int i = 0; i < 5; ++i) {
    float a = now.Step(x, y).item<float>(), b = step(x, y).item<float>();
    if (std::abs(a - b) > 1e-4f * std::abs(a)) {
      return report.Missing("mlp_captured", "another loss than imperatively",
                            {}, AtLeast(3));
    }
  }
  int64_t before = HeapAllocations();
  constexpr int kSteps = 100;
  for (int i = 0; i < kSteps; ++i) now.Step(x, y);
  double allocations = static_cast<double>(HeapAllocations() - before) / kSteps;

  auto torch = TorchChild::Start(threads);
  std::vector<TimedCalls> sides = {Timed([&] { step(x, y); }),
                                   Timed([&] { now.Step(x, y); })};
  if (torch.ok()) {
    Mlp fresh;
    Status set = (*torch)->SetCase(
        "mlp_step", {images, labels, fresh.initial[0], fresh.initial[1],
                     fresh.initial[2], fresh.initial[3]});
    if (!set.ok()) {
      return report.Missing("mlp_captured", set.message(), {}, AtLeast(3));
    }
    sides.push_back([&](int64_t calls, int64_t batches) {
      return (*torch)->Time(calls, batches);
    });
  }
  std::vector<double> best = SecondsPerCall(
      {.rounds = 2 * report.rounds, .rest_seconds = 5e-3}, sides);
  auto micros = [](double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", seconds * 1e6);
    return std::string(text);
  };
  auto line = [&](const char* metric, double seconds, double bar) {
    Settings settings = {{"us", micros(seconds)}};
    if (!torch.ok()) {
      return report.Missing(metric, torch.status().message(), settings,
                            AtLeast(bar));
    }
    settings.emplace_back("torch us", micros(best[2]));
    report.Line(metric, best[2] / seconds, "ratio", settings, AtLeast(bar));
  };
  line("mlp_captured", best[0], 3);
  line("mlp_imperative", best[1], 1.5);
  report.Line("allocations_per_step", allocations, "allocations", {},
              AtMost(0));
}

}  // namespace
}  // namespace sluice::bench
