#include "sluice/cluster/trace_wire.h"

#include <algorithm>
#include <cmath>

namespace sluice::cluster {

namespace {

int64_t Nanos(double seconds) { return std::llround(seconds * 1e9); }
int64_t IterationOf(int64_t round) { return std::max<int64_t>(round, 0) - 1; }
double Seconds(int64_t nanos) { return static_cast<double>(nanos) / 1e9; }

}  // namespace

WireTrace ToWire(const TaskTrace& trace) {
  WireTrace wire;
  wire.task = trace.task;
  wire.host = trace.host;
  wire.began = std::llround(trace.began_ns);
  for (const StepStats::Row& row : trace.rows) {
    wire.rows.push_back({row.name, row.op, row.line, row.device, row.worker,
                         std::llround(row.start_ns),
                         std::llround(row.duration_ns), row.bytes,
                         row.iteration + 1});
  }
  for (const TimelineItem& item : trace.device_work) {
    wire.items.push_back({item.device, item.stream, item.label, item.line,
                          Nanos(item.start), Nanos(item.end),
                          Nanos(item.issued), item.bytes, item.order,
                          item.iteration + 1});
  }
  return wire;
}

TaskTrace FromWire(const WireTrace& wire) {
  TaskTrace trace;
  trace.task = wire.task;
  trace.host = wire.host;
  trace.began_ns = static_cast<double>(wire.began);
  for (const WireTrace::Row& row : wire.rows) {
    trace.rows.push_back({row.name, row.op, row.line, row.worker,
                          static_cast<double>(row.start),
                          static_cast<double>(row.duration), row.bytes,
                          row.device, IterationOf(row.round)});
  }
  for (const WireTrace::Item& item : wire.items) {
    TimelineItem& made = trace.device_work.emplace_back();
    made.device = item.device;
    made.stream = item.stream;
    made.label = item.label;
    made.line = item.line;
    made.start = Seconds(item.start);
    made.end = Seconds(item.end);
    made.issued = Seconds(item.issued);
    made.bytes = item.bytes;
    made.order = item.order;
    made.iteration = IterationOf(item.round);
  }
  return trace;
}

void AlignClock(int64_t asked, int64_t answered, WireTrace* trace) {
  // Untrusted values: sums must not overflow.
  double ahead =
      (static_cast<double>(trace->received) - static_cast<double>(asked) +
       static_cast<double>(trace->sent) - static_cast<double>(answered)) /
      2;
  double began = static_cast<double>(trace->began) - ahead;
  trace->began = std::abs(began) < 9e18 ? std::llround(began) : asked;
}

}  // namespace sluice::cluster
