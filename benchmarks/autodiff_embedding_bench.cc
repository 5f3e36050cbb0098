// Training an embedding: rows looked up, a loss, its gradient, and stochastic
// gradient descent on the rows that were used, against PyTorch's sparse one.
// The table's size must not matter, so a small one stands beside it.
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/timing.h"
#include "benchmarks/torch_child.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

constexpr int64_t kWidth = 64, kLookups = 1024;
constexpr float kRate = 0.01f;

struct Embedding {
  Tensor table, ids;

  explicit Embedding(int64_t rows) {
    Array values = *Array::Make(DType::kF32, {rows, kWidth});
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      values.mutable_data<float>()[i] =
          static_cast<float>(i * 2654435761u % 1000) * 1e-3f;
    }
    Array numbers = *Array::Make(DType::kI64, {kLookups});
    for (int64_t i = 0; i < kLookups; ++i) {
      numbers.mutable_data<int64_t>()[i] = i * 48271 % 2147483647 % rows;
    }
    table = constant(values).requires_grad_();
    ids = constant(numbers);
  }

  // One step of training, as a program writes it.
  Tensor Step(const Tensor& batch) const {
    table.zero_grad();
    Tensor rows = embedding_lookup(table, batch);
    Tensor loss = sum(rows * rows) * 0.5f;
    loss.backward();
    NoGrad off;
    Tensor g = table.grad();
    table.scatter_sub_(g.indices(), g.values() * kRate);
    return loss;
  }
};

std::string Micros(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", seconds * 1e6);
  return text;
}

SL_BENCH(autodiff, embedding_sparse,
         "a step of sparse embedding training against PyTorch") {
  constexpr int64_t kLarge = 1'000'000, kSmall = 10'000;
  int threads = WorkerPool::Default().parallelism();
  Settings settings = {{"rows", StrCat(kLarge)},
                       {"lookups", StrCat(kLookups)},
                       {"threads", StrCat(threads)}};
  auto torch = TorchChild::Start(threads);
  auto fail = [&](const std::string& why) {
    report.Missing("embedding_sparse", why, settings, AtLeast(2));
  };
  if (!torch.ok()) return fail(torch.status().message());
  Embedding large(kLarge), small(kSmall);
  Status set = (*torch)->SetCase("embedding_sgd",
                                 {large.table.array(), large.ids.array()});
  if (!set.ok()) return fail("PyTorch: " + set.message());
  auto theirs = (*torch)->FirstResult();
  if (!theirs.ok()) return fail("PyTorch: " + theirs.status().message());

  auto train_large = function([&](Tensor ids) { return large.Step(ids); });
  auto train_small = function([&](Tensor ids) { return small.Step(ids); });
  double ours = train_large(large.ids).item<float>();
  double wanted = *theirs->data<double>();
  if (std::fabs(ours - wanted) > 1e-4 * std::fabs(wanted)) {
    return fail(StrCat("losses differ: ", ours, ", theirs ", wanted));
  }
  auto best = SecondsPerCall(
      {.rounds = 2 * report.rounds, .rest_seconds = 5e-3},
      std::vector<TimedCalls>{Timed([&] { train_large(large.ids); }),
                              Timed([&] { large.Step(large.ids); }),
                              Timed([&] { train_small(small.ids); }),
                              [&](int64_t calls, int64_t batches) {
                                return (*torch)->Time(calls, batches);
                              }});
  settings.emplace_back("torch", (*torch)->version());
  settings.emplace_back("torch us", Micros(best[3]));
  Settings captured = settings, imperative = settings, tables = settings;
  captured.emplace_back("us", Micros(best[0]));
  report.Line("embedding_sparse", best[3] / best[0], "ratio", captured,
              AtLeast(2));
  imperative.emplace_back("us", Micros(best[1]));
  report.Line("embedding_sparse_imperative", best[3] / best[1], "ratio",
              imperative);
  tables.emplace_back("us", Micros(best[0]));
  tables.emplace_back("us with 10000 rows", Micros(best[2]));
  report.Line("embedding_sparse_table", best[0] / best[2],
              "of the time with 10000 rows", tables);
}

}  // namespace
}  // namespace sluice::bench
