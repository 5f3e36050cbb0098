// What a loop keeps for its gradient, in the device's memory and in the host's:
// the published table of an LSTM (batch 512, 512 units, peepholes, sequences of
// 100 to 1000), in virtual time. The device has so much memory that sequences
// of 600 fail where everything stays on it.
//
// The devices take their time and compute nothing. Arithmetic and bytes are
// those of the graph; that both ways give the same bits is shown by tests
// (front/loop_swap_test.cc).
#include <algorithm>
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/sim_devices.h"
#include "sluice/base/strings.h"
#include "sluice/sluice.h"
#include "sluice/tensor/memory_limit.h"

namespace sluice::bench {
namespace {

constexpr int64_t kBatch = 512, kUnits = 512;
// Of the products alone, forward and backward.
constexpr double kFlops = 3.0 * 2 * kBatch * (2 * kUnits) * (4 * kUnits);
constexpr int64_t kLongest = 1000;
constexpr int64_t kSequences[] = {100, 200, 500, 600, 700, 900, kLongest};
// Sequences this long fit, and those of 600 do not.
constexpr int64_t kFits = 550;

class Lstm {
 public:
  Lstm(int device, int64_t steps, const Save& save) : device_(Sim(device)) {
    {
      GraphScope building(graph_);
      DeviceScope on(SimName(device));
      Build(steps, save);
    }
    SessionOptions options;
    options.threads = 1;
    session_ = std::make_unique<Session>(graph_, options);
  }

  MemoryForecast Memory() { return session_->plan_memory(Fetches(), Feeds()); }

  struct Ran {
    double seconds = 0;
    int64_t out_bytes = 0, in_bytes = 0;  // copied
    int64_t most_bytes = 0;
    std::string error;
  };
  Ran Run() {
    SimWorld& world = device_.world();
    // Plan first: constants go to the device.
    Ran ran = Once();
    if (!ran.error.empty()) return ran;
    world.RunAll();
    world.AdvanceHost(
        std::max(0.0, world.device_seconds() - world.host_seconds()));
    device_.allocator().ResetPeak();
    double start = world.host_seconds();
    world.StartTimeline();
    ran = Once();
    world.RunAll();
    ran.seconds = world.device_seconds() - start;
    for (const TimelineItem& item : world.TakeTimeline()) {
      if (item.stream == "to host") ran.out_bytes += item.bytes;
      if (item.stream == "from host") ran.in_bytes += item.bytes;
    }
    ran.most_bytes = device_.allocator().stats().peak_bytes;
    return ran;
  }

 private:
  void Build(int64_t steps, const Save& save) {
    auto input = [&](std::initializer_list<int64_t> dims) {
      inputs_.push_back(placeholder(f32, PartialShape(Shape(dims))));
      shapes_.push_back(Shape(dims));
      return inputs_.back();
    };
    Tensor x = input({steps, kBatch, kUnits});
    Tensor w = input({2 * kUnits, 4 * kUnits}), b = input({4 * kUnits});
    Tensor wi = input({kUnits}), wf = input({kUnits}), wo = input({kUnits});
    Tensor zeros = fill({kBatch, kUnits}, 0.0f);
    LoopOptions options;
    options.save = save;
    options.parallel_iterations = 32;
    auto [h, c] = for_loop(
        steps,
        [&](Tensor t, Tensor h, Tensor c) {
          std::vector<Operand> both = {gather(x, t), h};
          Tensor gates = matmul(concat(both, {.axis = 1}), w) + b;
          std::vector<Tensor> part = split(gates, 4, {.axis = 1});
          Tensor i = sigmoid(part[0] + c * wi);
          Tensor f = sigmoid(part[1] + c * wf);
          Tensor next = f * c + i * tanh(part[2]);
          Tensor o = sigmoid(part[3] + next * wo);
          return std::tuple(o * tanh(next), next);
        },
        zeros, zeros, options);
    found_ = gradients({sum(h)}, {w, b, wi, wf, wo}, {.hoist = false});
  }

  std::vector<Fetch> Fetches() const {
    return std::vector<Fetch>(found_.begin(), found_.end());
  }
  std::vector<Feed> Feeds() const {
    std::vector<Feed> feeds;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      feeds.push_back(
          {inputs_[i],
           Array::Make(DType::kF32, shapes_[i], device_.allocator()).value()});
    }
    return feeds;
  }
  Ran Once() {
    Ran ran;
    try {
      session_->run(Fetches(), Feeds());
    } catch (const Error& e) {
      if (e.code() != Code::kResourceExhausted) throw;
      ran.error = "out of memory";
    }
    return ran;
  }

  SimDevice& device_;
  Graph graph_;
  std::vector<Tensor> inputs_, found_;
  std::vector<Shape> shapes_;
  std::unique_ptr<Session> session_;
};

// What the host keeps is never touched: it takes addresses, not memory.
struct HostHasRoom {
  HostHasRoom() { HostAllocator().SetLimit(int64_t{1} << 42); }
  ~HostHasRoom() {
    HostAllocator().ReleaseCached();
    HostAllocator().SetLimit(MemoryLimit());
  }
};

SL_BENCH(devices, swap_flatness,
         "an LSTM whose gradient needs more memory than the device has") {
  AddSimDevices();
  HostHasRoom room;
  std::string name = SimName(kOldDevice);
  int64_t cap = Lstm(kOldDevice, kFits, "device").Memory().PeakBytes(name, 1);
  for (int device : {kOldDevice, kNewDevice}) {
    const SimOptions& figures = Sim(device).options();
    Sim(device).allocator().SetLimit(cap);
    double least = INFINITY, most = 0;
    // The longest sequences that ended.
    int64_t longest_on_device = 0, longest_on_host = 0;
    bool all_on_host = true;
    for (int64_t steps : kSequences) {
      Settings settings = {
          {"device", device == kOldDevice ? "K40" : "H200"},
          {"T", StrCat(steps)},
          {"flop", StrCat(kFlops)},
          {"flops_per_s", StrCat(figures.flops_per_second)},
          {"link_bytes_per_s", StrCat(figures.link_bytes_per_second)},
          {"memory_bytes", StrCat(cap)}};
      for (const char* save : {"device", "host"}) {
        Lstm::Ran ran = Lstm(device, steps, save).Run();
        Settings all = settings;
        all.emplace_back("save", save);
        bool on_host = std::string_view(save) == "host";
        if (!ran.error.empty()) {
          // What the table shows, for long ones without swapping; else a miss.
          bool shown = !on_host && steps > kFits;
          report.Missing("swap_iteration", ran.error, all,
                         shown ? Bar() : AtLeast(0));
          all_on_host = all_on_host && !on_host;
          continue;
        }
        (on_host ? longest_on_host : longest_on_device) = steps;
        double trips = static_cast<double>(steps);
        double per = ran.seconds / trips;
        all.emplace_back("out_bytes",
                         StrCat(static_cast<double>(ran.out_bytes) / trips));
        all.emplace_back("in_bytes",
                         StrCat(static_cast<double>(ran.in_bytes) / trips));
        all.emplace_back("peak_bytes", StrCat(ran.most_bytes));
        report.Line("swap_iteration", per * 1e3, "ms", all);
        if (on_host) {
          least = std::min(least, per);
          most = std::max(most, per);
        }
      }
    }
    Settings its = {{"device", device == kOldDevice ? "K40" : "H200"},
                    {"memory_bytes", StrCat(cap)}};
    auto with = [&](const char* save) {
      Settings all = its;
      all.emplace_back("save", save);
      return all;
    };
    report.Line("swap_longest", static_cast<double>(longest_on_host), "T",
                with("host"), AtLeast(kLongest));
    // Else the table would show nothing.
    report.Line("swap_longest", static_cast<double>(longest_on_device), "T",
                with("device"), AtMost(kFits));
    Bar flat = device == kOldDevice ? AtMost(1.02) : Bar();
    Settings all = with("host");
    all.emplace_back("T", "100..1000");
    if (!all_on_host) {
      report.Missing("swap_flatness", "not all sequences ended", all, flat);
    } else {
      report.Line("swap_flatness", most / least, "ratio", all, flat);
    }
  }
}

}  // namespace
}  // namespace sluice::bench
