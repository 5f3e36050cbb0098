// A cell that runs as often as its own halting unit says: a loop whose end
// depends on what it computes, trained, beside PyTorch's loop in Python.
#include "benchmarks/bench.h"
#include "benchmarks/beside_torch.h"
#include "benchmarks/lstm_model.h"
#include "benchmarks/random_array.h"
#include "sluice/base/strings.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

constexpr int64_t kHidden = 64;

// Weights of the input, of the state and of the halting unit, with biases.
std::vector<Array> Weights() {
  return {RandomFloats({kHidden, kHidden}, 0.2f, 3),
          RandomFloats({kHidden, kHidden}, 0.2f, 4),
          RandomFloats({kHidden}, 0.2f, 5), RandomFloats({kHidden, 1}, 0.1f, 6),
          Array::Scalar(-3.0f)};
}

// The loss, and how often the cell ran.
std::pair<Tensor, Tensor> StopLoss(const std::vector<Tensor>& w,
                                   const Tensor& x, const Tensor& target) {
  Tensor drive = matmul(x, w[0]) + w[2];
  Tensor start = zeros_like(target);
  auto [h, y, total, trips] =
      while_loop([](Tensor, Tensor, Tensor sum, Tensor) { return sum < 1.0f; },
                 [&](Tensor before, Tensor out, Tensor sum, Tensor n) {
                   Tensor state = tanh(drive + matmul(before, w[1]));
                   Tensor p = sigmoid(mean(matmul(state, w[3])) + w[4]);
                   return std::tuple(state, out + p * state, sum + p, n + 1);
                 },
                 start, start, 0.0f, 0);
  return {mean(square(y - target)) + 0.01f * total, trips};
}

void StopCase(Report& report, int64_t batch) {
  Array x = RandomFloats({batch, kHidden}, 1, 1);
  Array target = RandomFloats({batch, kHidden}, 0.5f, 2);
  std::vector<Tensor> w = LeavesOf(Weights(), 0);
  auto step = function([&](Tensor rate, Tensor in, Tensor want) {
    auto [loss, trips] = StopLoss(w, in, want);
    for (Tensor& p : w) p.zero_grad();
    loss.backward();
    NoGrad update;
    for (Tensor& p : w) p.sub_(rate * p.grad());
    return std::pair(loss.detach(), trips);
  });
  // So slow that the cell runs as often in the last step as in the first.
  Tensor rate = constant(0.1f), in = constant(x), want = constant(target);
  auto inputs = [&] {
    std::vector<Array> all = {rate.array(), x, target};
    for (const Array& a : Weights()) all.push_back(a);
    return all;
  };
  auto begin_anew = [&] {
    NoGrad setting;
    std::vector<Array> first = Weights();
    for (size_t i = 0; i < w.size(); ++i) w[i].copy_(constant(first[i]));
    rate = constant(1e-6f);
    return inputs();
  };
  int trips = step(constant(0.0f), in, want).second.item<int32_t>();
  RaceTorch(report,
            {.metric = "stop_cell_vs_torch",
             .torch_case = "stop_cell_step",
             .step = [&] { return step(rate, in, want).first.item<float>(); },
             .inputs = inputs(),
             .settings = {{"batch", StrCat(batch)},
                          {"hidden", StrCat(kHidden)},
                          {"iterations", StrCat(trips)}},
             .bar = AtLeast(5),
             .before_timing = begin_anew});
}

SL_BENCH(loops, stop_cell_vs_torch, "a cell that stops by itself, trained") {
  for (int64_t batch : {1, 8}) StopCase(report, batch);
}

}  // namespace
}  // namespace sluice::bench
