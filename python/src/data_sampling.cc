// Row orders for samplers, and stacking of rows for batches.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "data_parts.h"
#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/data/stack_rows.h"
#include "sluice/data/stages.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

// 0 to n - 1 in the order of pass `epoch` of a shuffle.
std::vector<int64_t> Shuffled(int64_t n, uint64_t seed, uint64_t epoch) {
  if (n < 0) ThrowValueError("a shuffle of less than 0 rows");
  std::vector<int64_t> rows(static_cast<size_t>(n));
  if (n == 0) return rows;
  ReleaseGil released;
  auto stage = data::ShuffleStage(data::RangeSource(0, n, 1), n, seed);
  auto order = ValueOrThrow(stage->OpenOrder({epoch}));
  size_t got = ValueOrThrow(order->Next(rows));
  rows.resize(got);
  return rows;
}

// Row numbers drawn at random, by weight.
std::vector<int64_t> Weighted(const std::vector<double>& weights, int64_t count,
                              bool replacement, uint64_t seed, uint64_t epoch) {
  std::vector<double> sums;
  for (double w : weights) {
    if (!(w >= 0) || !std::isfinite(w)) {
      ThrowValueError(
          StrCat("a weight is ", w, "; wanted a finite number, at least 0"));
    }
    sums.push_back((sums.empty() ? 0 : sums.back()) + w);
  }
  if (sums.empty() || sums.back() <= 0) {
    ThrowValueError("all weights are 0; wanted one above");
  }
  data::Random random(seed, epoch, 0);
  std::vector<int64_t> rows;
  if (replacement) {
    for (int64_t i = 0; i < count; ++i) {
      double at = random.uniform() * sums.back();
      auto place = std::upper_bound(sums.begin(), sums.end(), at);
      rows.push_back(place - sums.begin());
    }
    return rows;
  }
  // Each row has a random arrival time with its weight as rate; the first to
  // arrive are drawn.
  std::vector<double> times;
  for (double w : weights) {
    times.push_back(-std::log1p(-random.uniform()) / w);
  }
  rows.resize(weights.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
    double first = times[static_cast<size_t>(a)];
    double second = times[static_cast<size_t>(b)];
    return first < second || (first == second && a < b);
  });
  rows.resize(static_cast<size_t>(count));
  return rows;
}

// Rows drawn uniformly, with repetition.
std::vector<int64_t> Drawn(int64_t n, int64_t count, uint64_t seed,
                           uint64_t epoch) {
  if (n <= 0) ThrowValueError("nothing to draw from");
  data::Random random(seed, epoch, 0);
  std::vector<int64_t> rows(static_cast<size_t>(std::max<int64_t>(count, 0)));
  for (int64_t& row : rows) {
    row = static_cast<int64_t>(random.below(static_cast<uint64_t>(n)));
  }
  return rows;
}

// Arrays or tensors of one shape, stacked along a new axis 0.
Tensor Stacked(nb::handle rows) {
  std::vector<data::Element> elements;
  bool plain = true;
  for (nb::handle row : nb::iter(rows)) {
    Tensor t;
    if (IsTensor(row)) {
      t = AsTensor(row);
      plain =
          plain && !t.symbolic() && !t.requires_grad() && t.array().on_host();
    } else {
      t = TensorOf(SharedArrayOf(row, StrCat("element ", elements.size())));
    }
    elements.push_back({t});
  }
  if (elements.empty()) ThrowValueError("no elements to put together");
  ReleaseGil released;
  if (!plain) {
    std::vector<Operand> operands;
    for (data::Element& e : elements) operands.emplace_back(e[0]);
    return stack(operands);
  }
  return ValueOrThrow(data::StackRows(
      elements, [](size_t i) { return static_cast<int64_t>(i); }))[0];
}

}  // namespace

void BindSampling(nb::module_& m) {
  m.def("shuffled_rows", &Shuffled);
  m.def("weighted_rows", &Weighted);
  m.def("drawn_rows", &Drawn);
  m.def("stack_rows", &Stacked);
  // A batch of tensor rows, by row number.
  m.def("gather_rows", [](const std::vector<Tensor>& tensors,
                          const std::vector<int64_t>& rows) {
    auto count = static_cast<int64_t>(rows.size());
    // Like a literal among the operands: it is moved to the tensors' device.
    Array index = Array::Of<int64_t>({count}, std::span<const int64_t>(rows));
    ReleaseGil released;
    std::vector<Tensor> gathered;
    for (const Tensor& t : tensors) gathered.push_back(gather(t, index));
    return gathered;
  });
}

}  // namespace sluice::py
