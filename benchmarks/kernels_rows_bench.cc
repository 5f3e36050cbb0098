// Rows of a large table picked and added to by index, against the time the
// rows' bytes take at the bandwidth measured in the same run. Every call takes
// other rows, so that they come from memory and not from a cache.
#include <algorithm>
#include <numeric>

#include "benchmarks/bench.h"
#include "benchmarks/graph_call.h"
#include "benchmarks/memory_loops.h"
#include "benchmarks/timing.h"
#include "sluice/base/random.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/eager/call.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/scope.h"
#include "sluice/front/variable.h"

namespace sluice::bench {
namespace {

constexpr int64_t kRows = 1'000'000, kWidth = 64, kPicked = 1024;

// All rows in random order, cut into lists of kPicked.
std::vector<Array> IndexLists() {
  std::vector<int64_t> order(kRows);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[RandomKey::Mix(i) % (i + 1)]);
  }
  std::vector<Array> lists;
  for (int64_t i = 0; i + kPicked <= kRows; i += kPicked) {
    lists.push_back(Array::Vector({order.data() + i, size_t{kPicked}}));
  }
  return lists;
}

std::string Micros(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", seconds * 1e6);
  return text;
}

// Rows copied by a plain loop that asks for them ahead, on all cores: what
// this memory gives to anybody who reads rows in random order.
void CopyRows(const Array& table, const Array& index, const Array& to) {
  const float* from = table.data<float>();
  const int64_t* at = index.data<int64_t>();
  constexpr int64_t kAhead = 16;
  int cores = WorkerPool::Default().parallelism();
  ParallelFor(&WorkerPool::Default(), kPicked, (kPicked + cores - 1) / cores,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const float* next =
                      from + at[std::min(i + kAhead, end - 1)] * kWidth;
                  for (int64_t k = 0; k < kWidth; k += 16) {
                    __builtin_prefetch(next + k);
                  }
                  std::copy_n(from + at[i] * kWidth, kWidth,
                              to.mutable_data<float>() + i * kWidth);
                }
              });
}

void ReportRows(Report& report, const char* op, double seconds, double bytes,
                double bandwidth, double loop) {
  report.Line("rows", seconds / (bytes / bandwidth), "ratio",
              {{"op", op},
               {"us", Micros(seconds)},
               {"us of the bytes", Micros(bytes / bandwidth)},
               {"us of a plain loop that copies them", Micros(loop)}},
              AtMost(2));
}

SL_BENCH(kernels, rows, "rows gathered from and added to a large table") {
  double bandwidth = CopyBandwidth(256 << 20);
  std::vector<Array> lists = IndexLists();
  constexpr double kBytes = kPicked * kWidth * 4.0;
  TimingOptions timing{.rounds = 2 * report.rounds, .max_calls = 4096};

  Array table = RandomFloats({kRows, kWidth});
  auto gather = GraphCall::Op("Gather", {table, lists[0]});
  size_t at = 0;
  Array picked = Array::Zeros(DType::kF32, {kPicked, kWidth});
  auto loop = [&] { CopyRows(table, lists[at++ % lists.size()], picked); };
  if (gather.ok()) {
    auto best = SecondsPerCall(timing, {[&] {
                                          gather->feeds()[1] =
                                              lists[at++ % lists.size()];
                                          gather->Run();
                                        },
                                        loop});
    ReportRows(report, "Gather", best[0], 2 * kBytes, bandwidth, best[1]);
  } else {
    report.Missing("rows", gather.status().message(), {{"op", "Gather"}},
                   AtMost(2));
  }

  // Added in place to a variable, as a training step adds to an embedding;
  // a result that is a copy of the whole table would take its bytes' time.
  const char* kOp = "ScatterAdd";
  try {
    Graph graph("rows");
    Tensor initial, indices, updates;
    Operation assign, target;
    {
      GraphScope building(graph);
      front::Variable v = variable(DType::kF32, {kRows, kWidth}, "table");
      initial = placeholder(DType::kF32, {kRows, kWidth});
      assign = v.assign(initial);
      indices = placeholder(DType::kI64, {kPicked});
      updates = placeholder(DType::kF32, {kPicked, kWidth});
      target = front_internal::CallOperation(
          kOp, std::vector<Operand>{v.handle(), indices, updates}, {}, {},
          std::source_location::current());
    }
    Session session(graph);
    session.run(assign, {{initial, table}});
    Callable step = session.prepare({}, {indices, updates}, {target});
    Array rows = RandomFloats({kPicked, kWidth});
    auto best = SecondsPerCall(
        timing, {[&] { step({lists[at++ % lists.size()], rows}); }, loop});
    ReportRows(report, kOp, best[0], 3 * kBytes, bandwidth, best[1]);
  } catch (const Error& error) {
    report.Missing("rows", error.what(), {{"op", kOp}}, AtMost(2));
  }
}

}  // namespace
}  // namespace sluice::bench
