#include "sluice/op/kernel_times.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/base/thread_owned.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// The rows gathered so far. Files of lines live as long as the process.
struct Gathered {
  using Key = std::tuple<std::string, std::string_view, int>;
  Mutex mu;
  std::map<Key, KernelTimes::Row> rows SL_GUARDED_BY(mu);
  std::thread::id caller SL_GUARDED_BY(mu);
};

Gathered& Here() {
  static Gathered& here = *new Gathered();  // An input whose memory became the
                                            // output's is gone.
  return here;
}

int64_t BytesOf(std::span<const Array> arrays) {
  int64_t bytes = 0;
  for (const Array& a : arrays) {
    if (a) bytes += a.num_elements() * DTypeSize(a.dtype());
  }
  return bytes;
}

double FlopsOf(const OpRecord& op, const Attrs& attrs,
               std::span<const Array> inputs, std::span<const Array> outputs) {
  CostFn count = op.flops ? op.flops : op.cost;
  if (!count) {
    if (!op.block || outputs.empty() || !outputs[0]) return 0;
    return static_cast<double>(outputs[0].num_elements());
  }
  std::vector<DType> in_dtypes, out_dtypes;
  std::vector<PartialShape> in_shapes, out_shapes;
  std::vector<const Array*> values;
  for (const Array& a : inputs) {
    // The kernel that is running on this thread.
    const Array& seen = a || outputs.empty() ? a : outputs[0];
    if (!seen) return 0;
    in_dtypes.push_back(seen.dtype());
    in_shapes.emplace_back(seen.shape());
    values.push_back(&seen);
  }
  for (const Array& a : outputs) {
    if (!a) return 0;
    out_dtypes.push_back(a.dtype());
    out_shapes.emplace_back(a.shape());
  }
  return count(ShapeContext(op, attrs, in_dtypes, in_shapes, values, out_dtypes,
                            out_shapes));
}

// A kernel that was running when the profile ended is not counted.
struct UnderWay {
  const SourceLine* line = nullptr;
  TimedKernel* kernel = nullptr;
};
UnderWay& Now() { return ThreadOwned<UnderWay>::Get(); }

}  // namespace

constinit std::atomic<bool> KernelTimes::active_{false};

Status KernelTimes::Begin() {
  Gathered& here = Here();
  MutexLock lock(here.mu);
  if (active()) {
    return FailedPrecondition(
        "a profile is being made already; wanted it to end before another");
  }
  here.rows.clear();
  here.caller = std::this_thread::get_id();
  active_.store(true, std::memory_order_relaxed);
  return OkStatus();
}

std::vector<KernelTimes::Row> KernelTimes::End() {
  Gathered& here = Here();
  MutexLock lock(here.mu);
  active_.store(false, std::memory_order_relaxed);
  std::vector<Row> rows;
  for (auto& [key, row] : here.rows) rows.push_back(std::move(row));
  here.rows.clear();
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.seconds > b.seconds; });
  return rows;
}

void KernelTimes::Add(const std::string& op, const SourceLine& line,
                      double seconds, double flops, int64_t bytes) {
  Gathered& here = Here();
  MutexLock lock(here.mu);
  // A kernel that was running when the profile ended is not counted.
  if (!active()) return;
  Row& row = here.rows[{op, line.file, line.line}];
  if (row.calls == 0) {
    row.op = op;
    row.line = line;
  }
  ++row.calls;
  row.seconds += seconds;
  if (std::this_thread::get_id() == here.caller) row.caller_seconds += seconds;
  row.flops += flops;
  row.bytes += bytes;
}

void KernelsOfLine::Enter(const SourceLine& line) {
  outer_ = std::exchange(Now().line, &line);
  entered_ = true;
}

void KernelsOfLine::Leave() { Now().line = outer_; }

void TimedKernel::Start(const std::string& op, const SourceLine& line) {
  op_ = &op;
  line_ = line;
  UnderWay& now = Now();
  if (!line_.known() && now.line) line_ = *now.line;
  outer_ = std::exchange(now.kernel, this);
  start_ = NowNanos();
}

void TimedKernel::Count(const OpRecord& op, const Attrs& attrs,
                        std::span<const Array> inputs,
                        std::span<const Array> outputs) {
  end_ = NowNanos();
  Count(FlopsOf(op, attrs, inputs, outputs),
        BytesOf(inputs) + BytesOf(outputs));
}

void TimedKernel::Count(double flops, int64_t bytes) {
  if (end_ == 0) end_ = NowNanos();
  flops_ += flops;
  bytes_ += bytes;
}

void TimedKernel::Stop() {
  if (end_ == 0) end_ = NowNanos();
  Now().kernel = outer_;
  int64_t all = end_ - start_;
  if (outer_) outer_->inside_ += all;
  KernelTimes::Add(
      *op_, line_,
      static_cast<double>(std::max<int64_t>(0, all - inside_)) * 1e-9, flops_,
      bytes_);
}

}  // namespace sluice
