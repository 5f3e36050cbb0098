// Sequences of different lengths in one batch: what a training step costs
// against one that pads them to the longest and masks the rest, for the work
// there really is.
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/beside_torch.h"
#include "benchmarks/random_array.h"
#include "benchmarks/timing.h"
#include "sluice/base/strings.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

constexpr int64_t kBatch = 64, kShortest = 10, kLongest = 200, kSize = 256;

// Evenly from the shortest to the longest, in no order.
Array Lengths() {
  Array lengths = *Array::Make(DType::kI64, {kBatch});
  for (int64_t i = 0; i < kBatch; ++i) {
    int64_t place = i * 37 % kBatch;
    lengths.mutable_data<int64_t>()[i] =
        kShortest + place * (kLongest - kShortest) / (kBatch - 1);
  }
  return lengths;
}

// 1 where an example still goes on, [steps, batch, 1].
Array MaskOf(const Array& lengths) {
  Array mask = *Array::Make(DType::kF32, {kLongest, kBatch, 1});
  for (int64_t t = 0; t < kLongest; ++t) {
    for (int64_t i = 0; i < kBatch; ++i) {
      mask.mutable_data<float>()[t * kBatch + i] =
          t < lengths.data<int64_t>()[i] ? 1.0f : 0.0f;
    }
  }
  return mask;
}

SL_BENCH(loops, varlen_ratio, "different lengths against padding") {
  Array lengths = Lengths(), mask = MaskOf(lengths);
  double real = 0;
  for (int64_t i = 0; i < kBatch; ++i) {
    real += static_cast<double>(lengths.data<int64_t>()[i]);
  }
  real /= static_cast<double>(kBatch * kLongest);
  Tensor x = constant(RandomFloats({kLongest, kBatch, kSize}, 1, 1));
  Tensor each = constant(lengths), going_on = constant(mask);
  manual_seed(1);
  nn::LSTM lstm(kSize, kSize);
  std::vector<Tensor> parameters = lstm.parameters();
  auto results = [&](Tensor ys) {
    Tensor loss = mean(square(ys));
    std::vector<Tensor> all = gradients({loss}, parameters);
    all.push_back(loss);
    return all;
  };
  // Of the calls around, nothing is recorded.
  auto shrinking = function([&](Tensor in, Tensor n) {
    EnableGrad on;
    return results(lstm(in, {.lengths = n}).first);
  });
  auto padded = function([&](Tensor in, Tensor m) {
    EnableGrad on;
    return results(lstm(in).first * m);
  });

  Settings settings = {{"lengths", StrCat(kShortest, "..", kLongest)},
                       {"batch", StrCat(kBatch)},
                       {"hidden", StrCat(kSize)},
                       {"work", ShortText(real)}};
  NoGrad no_grad;
  std::vector<Tensor> a = shrinking(x, each), b = padded(x, going_on);
  for (size_t i = 0; i < a.size(); ++i) {
    float off = max(abs(a[i] - b[i])).item<float>();
    float size = max(abs(b[i])).item<float>();
    if (!(off <= 1e-3f * size)) {
      return report.Missing(
          "varlen_ratio",
          StrCat("result ", i, " differs by ", off, " of ", size), settings,
          AtMost(1.15));
    }
  }
  std::vector<double> best = SecondsPerCall(
      {.rounds = report.rounds},
      std::vector<std::function<void()>>{[&] { shrinking(x, each); },
                                         [&] { padded(x, going_on); }});
  settings.emplace_back("ms", ShortText(best[0] * 1e3));
  settings.emplace_back("padded ms", ShortText(best[1] * 1e3));
  report.Line("varlen_ratio", best[0] / best[1] / real, "of the real work",
              settings, AtMost(1.15));
}

}  // namespace
}  // namespace sluice::bench
