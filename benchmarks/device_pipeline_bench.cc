// Loops over simulated devices, in virtual time: what pipelining iterations
// gains, and what it holds in memory.
//
// The devices are slow, so that a kernel of a small matrix takes as long as one
// of a large matrix on a fast device: launches, links and memory have the
// figures of an H200, arithmetic is 0.5 GFLOP/s. Kernels then dominate what
// launching costs the host, as they must for devices to be busy at all; what
// share of the time the host needed is printed.
#include <memory>

#include "benchmarks/bench.h"
#include "benchmarks/layer_pipeline.h"
#include "benchmarks/random_array.h"
#include "benchmarks/sim_devices.h"
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

constexpr int kDevices = kPipelineDevices;

struct VirtualTime {
  double seconds = 0;  // until the devices had ended
  int64_t launches = 0;
  int64_t peak_bytes = 0;  // of the device that held most
  // Of the time, what the host spent launching.
  double host_share() const {
    return static_cast<double>(launches) * SimOptions().launch_seconds /
           seconds;
  }
};

// A loop whose body is on so many devices, ready to be called.
class Pipeline {
 public:
  using Build = std::function<Tensor(int devices)>;
  Pipeline(const Build& build, int devices) {
    bench::AddSimDevices();
    {
      GraphScope building(graph_);
      result_ = build(devices);
    }
    SessionOptions options;
    options.threads = 1;
    session_ = std::make_unique<Session>(graph_, options);
    call_ = session_->prepare({result_});
    call_();  // makes the plan
  }

  VirtualTime Run() {
    SimWorld& world = SimWorld::Default();
    VirtualTime time;
    for (int i = 0; i < kDevices; ++i) Memory(i).ResetPeak();
    std::vector<int64_t> before;
    for (int i = 0; i < kDevices; ++i) {
      before.push_back(Memory(i).stats().bytes_in_use);
    }
    world.AdvanceHost(world.device_seconds() - world.host_seconds());
    double start = world.device_seconds();
    world.StartTimeline();
    call_();
    time.seconds = world.device_seconds() - start;
    time.launches = static_cast<int64_t>(world.TakeTimeline().size());
    for (size_t i = 0; i < kDevices; ++i) {
      time.peak_bytes =
          std::max(time.peak_bytes,
                   Memory(static_cast<int>(i)).stats().peak_bytes - before[i]);
    }
    return time;
  }
  std::string Explain() { return session_->explain(result_); }

 private:
  static Allocator& Memory(int i) { return Sim(i).memory().allocator(); }

  Graph graph_;
  Tensor result_;
  std::unique_ptr<Session> session_;
  Callable call_;
};

constexpr int64_t kBatch = LayerPipeline::kBatch;
constexpr int64_t kHidden = LayerPipeline::kHidden;
constexpr int64_t kLayers = LayerPipeline::kLayers;

// The last layer's outputs, layer k on device k % devices.
Tensor Lstm(int64_t steps, int devices) {
  auto on = [&](int64_t k) { return SimName(static_cast<int>(k % devices)); };
  auto weights = [](int64_t k) {
    return constant(RandomFloats({2 * kHidden, 4 * kHidden}, .1f,
                                 static_cast<uint64_t>(k)));
  };
  return LayerPipeline{on, weights}.Outputs(steps);
}

SL_BENCH(devices, lstm_pipeline,
         "an 8-layer LSTM, a layer on each of 8 simulated devices") {
  for (int64_t steps : {50, 100, 200}) {
    auto build = [&](int devices) { return Lstm(steps, devices); };
    VirtualTime one = Pipeline(build, 1).Run();
    VirtualTime all = Pipeline(build, kDevices).Run();
    double bound = 8.0 * static_cast<double>(steps) /
                   static_cast<double>(steps + kLayers - 1);
    report.Line("lstm_pipeline", one.seconds / all.seconds, "ratio",
                {{"T", StrCat(steps)},
                 {"bound", StrCat(bound)},
                 {"batch", StrCat(kBatch)},
                 {"hidden", StrCat(kHidden)},
                 {"one_device_ms", StrCat(one.seconds * 1e3)},
                 {"eight_devices_ms", StrCat(all.seconds * 1e3)},
                 {"host_share", StrCat(all.host_share())},
                 {"peak_bytes", StrCat(all.peak_bytes)}},
                AtLeast(6));
  }
}

constexpr int64_t kRows = 64;
constexpr double kStageBytes = kRows * kRows * 4;

// Stage k of an iteration needs the one before it and its own of the iteration
// before.
Tensor Stages(int64_t steps, int64_t parallel, int devices) {
  std::vector<Tensor> start;
  for (int k = 0; k < kDevices; ++k) {
    DeviceScope scope(SimName(k % devices));
    auto seed = static_cast<uint64_t>(k);
    start.push_back(constant(RandomFloats({kRows, kRows}, .2f, seed)));
  }
  LoopOptions options;
  options.parallel_iterations = parallel;
  Tensor first = start[0];
  auto [i, stages] =
      while_loop([&](Tensor i, std::vector<Tensor>) { return i < steps; },
                 [&](Tensor i, std::vector<Tensor> stages) {
                   Tensor in = first;
                   for (int k = 0; k < kDevices; ++k) {
                     DeviceScope scope(SimName(k % devices));
                     Tensor& stage = stages[static_cast<size_t>(k)];
                     in = stage = matmul(in, stage);
                   }
                   return std::tuple(i + 1, stages);
                 },
                 int64_t{0}, start, options);
  return stages.back();
}

SL_BENCH(devices, parallel_iterations,
         "8 chained products, one on each of 8 simulated devices") {
  constexpr int64_t kSteps = 200;
  VirtualTime one =
      Pipeline([](int devices) { return Stages(kSteps, 32, devices); }, 1)
          .Run();
  for (int64_t parallel : {1, 2, 4, 8, 16, 32}) {
    VirtualTime all =
        Pipeline([&](int devices) { return Stages(kSteps, parallel, devices); },
                 kDevices)
            .Run();
    double ratio = one.seconds / all.seconds;
    report.Line("parallel_iterations", ratio, "ratio",
                {{"parallel", StrCat(parallel)},
                 {"iterations", StrCat(kSteps)},
                 {"host_share", StrCat(all.host_share())}},
                parallel == 32 ? AtLeast(6) : Bar());
    // Of each iteration that has begun a device holds the stage's result and
    // what it was made of; so it does once more for the loop as a whole.
    report.Line("parallel_memory",
                static_cast<double>(all.peak_bytes) / kStageBytes, "matrices",
                {{"parallel", StrCat(parallel)},
                 {"iterations", StrCat(kSteps)},
                 {"peak_bytes", StrCat(all.peak_bytes)}},
                AtMost(2 * static_cast<double>(parallel + 1)));
  }
}

}  // namespace
}  // namespace sluice::bench
