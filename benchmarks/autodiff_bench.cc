// What an imperative call costs beyond its arithmetic, with and without the
// tape, and what the way back costs per call.
#include <memory>

#include "benchmarks/bench.h"
#include "benchmarks/timing.h"
#include "benchmarks/torch_child.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

constexpr int kChain = 1000;

// Nanoseconds per op of PyTorch's chain; negative when there is no PyTorch.
double TorchNanos(TorchChild* torch, const char* name, int rounds) {
  if (!torch || !torch->SetCase(name, {Array::Scalar(1.0f)}).ok()) return -1;
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) best = std::min(best, torch->Time(1, 5));
  return best / kChain * 1e9;
}

Settings Beside(double torch) {
  if (torch < 0) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", torch);
  return {{"torch ns", text}};
}

Tensor Chain(const Tensor& x, const Tensor& factor) {
  Tensor y = x;
  for (int i = 0; i < kChain; ++i) y = y * factor;
  return y;
}

SL_BENCH(autodiff, imperative, "tiny imperative calls, recorded or not") {
  auto torch = TorchChild::Start(1);
  TorchChild* child = torch.ok() ? torch->get() : nullptr;
  Tensor x = constant(1.0f), factor = constant(1.0001f);
  Tensor leaf = x.clone().requires_grad_();
  Tensor result, recorded;
  std::vector<double> best =
      Best(4 * report.rounds, {[&] { result = Chain(x, factor); },
                               [&] { recorded = Chain(leaf, factor); },
                               [&] {
                                 leaf.zero_grad();
                                 Chain(leaf, factor).backward();
                               }});
  auto nanos = [&](double seconds) { return seconds / kChain * 1e9; };
  double plain = TorchNanos(child, "tiny_chain", report.rounds);
  double both = TorchNanos(child, "tiny_chain_backward", report.rounds);
  report.Line("imperative_op", nanos(best[0]), "ns", Beside(plain),
              AtMost(200));
  report.Line("imperative_op_grad", nanos(best[1]), "ns", {}, AtMost(350));
  report.Line("backward_op", nanos(best[2] - best[1]), "ns",
              Beside(both < 0 ? -1 : both - plain), AtMost(500));
}

}  // namespace
}  // namespace sluice::bench
