// sluice-bench ops: every op that can be measured from its record, against the
// roofline of the same run: the bandwidth of a copy of as many bytes, and the
// rate of a large matrix product.
//
//   sluice-bench ops                  a table
//   sluice-bench ops --only Soft      some of it
//   sluice-bench ops --json           one JSON line per op
#include <algorithm>
#include <cstdio>

#include "benchmarks/bench.h"
#include "benchmarks/graph_call.h"
#include "benchmarks/memory_loops.h"
#include "benchmarks/op_case.h"
#include "benchmarks/timing.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"

namespace sluice::bench {
namespace {

// The machine's two limits, measured before the ops.
struct Roofline {
  // (bytes moved, bytes per second): caches are faster than memory.
  std::vector<std::pair<int64_t, double>> bandwidth;
  double flops = 0;

  static Roofline Measure() {
    Roofline r;
    for (int64_t bytes : {int64_t{256} << 10, int64_t{2} << 20,
                          int64_t{16} << 20, int64_t{128} << 20}) {
      r.bandwidth.emplace_back(bytes, CopyBandwidth(bytes));
    }
    auto product = GraphCall::Op(
        "MatMul", {RandomFloats({1024, 1024}), RandomFloats({1024, 1024})});
    if (product.ok()) {
      double s = SecondsPerCall({}, {[&] { product->Run(); }})[0];
      r.flops = 2.0 * 1024 * 1024 * 1024 / s;
    }
    return r;
  }
  // Of the smallest measured size that holds `bytes`.
  double Bandwidth(int64_t bytes) const {
    for (const auto& [size, rate] : bandwidth) {
      if (bytes <= size) return rate;
    }
    return bandwidth.back().second;
  }
};

// Through a prepared Callable as everywhere in these benchmarks, except where
// all inputs are constants, which a graph would fold.
Result<std::function<void()>> MakeCall(const OpRecord& op, const OpCase& c) {
  std::vector<CallInput> inputs;
  bool any_fed = false;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    bool constant = c.given[i] && c.inputs[i].num_elements() <= 64;
    inputs.emplace_back(c.inputs[i], constant);
    any_fed = any_fed || !constant;
  }
  if (any_fed && !op.outputs.empty()) {
    auto call = GraphCall::Op(op.name, std::move(inputs), c.attrs);
    if (!call.ok()) return call.status();
    auto shared = std::make_shared<GraphCall>(std::move(*call));
    return std::function<void()>([shared] { shared->Run(); });
  }
  return std::function<void()>([&op, &c] {
    StepContext step;
    step.pool = &WorkerPool::Default();
    ThrowIfError(RunOp(op, c.attrs, c.inputs, &step).status());
  });
}

std::string Number(double v, const char* format = "%.4g") {
  char text[32];
  std::snprintf(text, sizeof text, format, v);
  return text;
}

void NotMeasured(Report& report, const OpRecord& op, const std::string& why) {
  if (report.json) {
    report.Missing("op", why, {{"op", op.name}});
  } else {
    std::printf("%-24s not measured: %s\n", op.name.c_str(), why.c_str());
  }
}

void MeasureOp(Report& report, const Roofline& roof, const OpRecord& op) {
  if (std::string why = WhyNotMeasured(op); !why.empty()) {
    return NotMeasured(report, op, why);
  }
  Result<OpCase> c = MakeOpCase(op, {});
  if (!c.ok()) return NotMeasured(report, op, c.status().message());
  auto call = MakeCall(op, *c);
  if (!call.ok()) return NotMeasured(report, op, call.status().message());
  TimingOptions timing{.rounds = std::min(report.rounds, 5),
                       .turn_seconds = 2e-3,
                       .rest_seconds = 0};
  double s = SecondsPerCall(timing, {*call})[0];
  double bytes = static_cast<double>(c->bytes) / s;
  // The plan may also find that an input is the result already.
  c->view = c->view || bytes > 10 * roof.Bandwidth(0);
  if (c->view) bytes = 0;
  double flops = c->flops / s;
  double memory_part = bytes / roof.Bandwidth(c->bytes);
  double compute_part = roof.flops > 0 ? flops / roof.flops : 0;
  double part = std::max(memory_part, compute_part);
  const char* limit = c->view                      ? "a view"
                      : compute_part > memory_part ? "arithmetic"
                                                   : "bandwidth";
  if (report.json) {
    report.Line("op", s * 1e9, "ns",
                {{"op", op.name},
                 {"inputs", c->ToString()},
                 {"GB/s", Number(bytes * 1e-9)},
                 {"GFLOP/s", op.cost ? Number(flops * 1e-9) : ""},
                 {"roofline", Number(part)},
                 {"limit", limit}});
    return;
  }
  std::printf("%-24s %12s %9s %9s %6s%% %-10s %s\n", op.name.c_str(),
              Number(s * 1e9, "%.0f").c_str(),
              Number(bytes * 1e-9, "%.2f").c_str(),
              op.cost ? Number(flops * 1e-9, "%.2f").c_str() : "-",
              Number(100 * part, "%.1f").c_str(), limit, c->ToString().c_str());
  std::fflush(stdout);
}

SL_BENCH(ops, all, "every op, from its record, against the roofline") {
  Roofline roof = Roofline::Measure();
  for (const auto& [bytes, rate] : roof.bandwidth) {
    if (report.json) {
      report.Line("bandwidth", rate * 1e-9, "GB/s", {{"bytes", StrCat(bytes)}});
    } else {
      std::printf("bandwidth, %-10s %s GB/s\n", HumanBytes(bytes).c_str(),
                  Number(rate * 1e-9).c_str());
    }
  }
  if (report.json) {
    report.Line("peak", roof.flops * 1e-9, "GFLOP/s", {{"op", "MatMul"}});
  } else {
    std::printf("peak, MatMul 1024^3   %s GFLOP/s\n\n",
                Number(roof.flops * 1e-9).c_str());
    std::printf("%-24s %12s %9s %9s %7s %-10s %s\n", "op", "ns", "GB/s",
                "GFLOP/s", "roof", "limit", "inputs");
  }
  for (const OpRecord* op : AllOps()) {
    if (!report.Wants(op->name)) continue;
    try {
      MeasureOp(report, roof, *op);
    } catch (const Error& error) {
      NotMeasured(report, *op, error.what());
    }
  }
}

}  // namespace
}  // namespace sluice::bench
