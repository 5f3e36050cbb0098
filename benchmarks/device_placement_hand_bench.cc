// Programs over eight simulated devices, placed by hand as their authors would
// and by the search: what the cost model predicts of both, and what they take
// in virtual time.
#include <functional>
#include <memory>

#include "benchmarks/bench.h"
#include "benchmarks/layer_pipeline.h"
#include "benchmarks/random_array.h"
#include "benchmarks/sim_devices.h"
#include "sluice/base/strings.h"
#include "sluice/session/local_master.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

constexpr int kDevices = kPipelineDevices;
// But for rounding: the virtual clock has gone on between the two.
const Bar kNotWorse = AtMost(1 + 1e-9);

// The device of an example's part k. By hand that is one; for the search any
// simulated one.
using ScopeOf = std::function<std::string(int64_t k)>;
// Builds it; what it is fed by is added to the feeds.
using Example = std::function<Tensor(const ScopeOf&, Feeds&)>;

// Fed, so that nothing is known before the step.
Tensor Input(std::initializer_list<int64_t> dims, int64_t seed, Feeds& feeds) {
  Tensor input = placeholder(f32, PartialShape(Shape(dims)));
  feeds.push_back(
      {input, RandomFloats(dims, .1f, static_cast<uint64_t>(seed))});
  return input;
}

// Data-parallel towers with one set of weights: each has its part of the batch;
// their gradients are averaged.
Tensor Towers(const ScopeOf& scope, Feeds& feeds) {
  constexpr int64_t kBatch = 32, kIn = 64, kHidden = 96;
  Tensor w1, w2;
  {
    DeviceScope on(scope(0));
    w1 = Input({kIn, kHidden}, 1, feeds);
    w2 = Input({kHidden, kIn}, 2, feeds);
  }
  Tensor all;
  for (int64_t k = 0; k < kDevices; ++k) {
    Tensor gradient;
    {
      DeviceScope on(scope(k));
      Tensor x = Input({kBatch, kIn}, 10 + k, feeds);
      Tensor y = matmul(tanh(matmul(x, w1)), w2);
      Tensor loss = sum(square(y - x));
      std::vector<Tensor> found = gradients({loss}, {w1, w2});
      gradient = sum(square(found[0])) + sum(square(found[1]));
    }
    DeviceScope on(scope(0));
    all = k == 0 ? gradient : all + gradient;
  }
  DeviceScope on(scope(0));
  return all / static_cast<float>(kDevices);
}

// A layer per device, iterations in parallel.
Tensor LstmLayers(const ScopeOf& scope, Feeds& feeds) {
  constexpr int64_t kHidden = LayerPipeline::kHidden, kSteps = 50;
  auto weights = [&](int64_t k) {
    return Input({2 * kHidden, 4 * kHidden}, k, feeds);
  };
  return LayerPipeline{scope, weights}.Outputs(kSteps);
}

// Stage k of an iteration needs the one before it and its own of the iteration
// before.
Tensor Stages(const ScopeOf& scope, Feeds& feeds) {
  constexpr int64_t kRows = 64, kSteps = 100;
  std::vector<Tensor> start;
  for (int64_t k = 0; k < kDevices; ++k) {
    DeviceScope on(scope(k));
    start.push_back(Input({kRows, kRows}, k, feeds));
  }
  LoopOptions options;
  options.parallel_iterations = 32;
  Tensor first = start[0];
  auto [i, stages] =
      while_loop([&](Tensor i, std::vector<Tensor>) { return i < kSteps; },
                 [&](Tensor i, std::vector<Tensor> stages) {
                   Tensor in = first;
                   for (int64_t k = 0; k < kDevices; ++k) {
                     DeviceScope on(scope(k));
                     Tensor& stage = stages[static_cast<size_t>(k)];
                     in = stage = matmul(in, stage);
                   }
                   return std::tuple(i + 1, stages);
                 },
                 int64_t{0}, start, options);
  return stages.back();
}

// Layers in four stretches of a device each, for eight parts of a batch one
// after the other.
Tensor MicroBatches(const ScopeOf& scope, Feeds& feeds) {
  constexpr int64_t kStages = 4, kParts = 8, kRows = 16, kSize = 96;
  std::vector<Tensor> w;
  for (int64_t k = 0; k < kStages; ++k) {
    DeviceScope on(scope(k));
    w.push_back(Input({kSize, kSize}, k, feeds));
  }
  Tensor all;
  for (int64_t part = 0; part < kParts; ++part) {
    Tensor x;
    for (int64_t k = 0; k < kStages; ++k) {
      DeviceScope on(scope(k));
      if (k == 0) x = Input({kRows, kSize}, 20 + part, feeds);
      x = tanh(matmul(x, w[static_cast<size_t>(k)]));
    }
    DeviceScope on(scope(kStages - 1));
    all = part == 0 ? x : all + x;
  }
  return all;
}

// A value that a loop carries through four devices, and its gradient.
Tensor LoopGradient(const ScopeOf& scope, Feeds& feeds) {
  constexpr int64_t kStages = 4, kSize = 64, kSteps = 20;
  std::vector<Tensor> w;
  for (int64_t k = 0; k < kStages; ++k) {
    DeviceScope on(scope(k));
    w.push_back(Input({kSize, kSize}, k, feeds));
  }
  DeviceScope on(scope(0));
  Tensor last = for_loop(
      kSteps,
      [&](Tensor, Tensor x) {
        for (int64_t k = 0; k < kStages; ++k) {
          DeviceScope there(scope(k));
          x = tanh(matmul(x, w[static_cast<size_t>(k)]));
        }
        return x;
      },
      Input({kSize, kSize}, 9, feeds));
  std::vector<Tensor> found = gradients({sum(last)}, w);
  Tensor all = sum(square(found[0]));
  for (size_t k = 1; k < found.size(); ++k) all = all + sum(square(found[k]));
  return all;
}

// Two halves that meet at the end.
Tensor Branches(const ScopeOf& scope, Feeds& feeds) {
  std::vector<Tensor> ends;
  for (int64_t k = 0; k < 2; ++k) {
    DeviceScope on(scope(k));
    Tensor w = Input({64, 64}, k, feeds), x = Input({64, 64}, 5 + k, feeds);
    for (int i = 0; i < 20; ++i) x = matmul(x, w);
    ends.push_back(x);
  }
  DeviceScope on(scope(0));
  return ends[0] + ends[1];
}

// An example that is placed and ready to run.
class Placed {
 public:
  Placed(const Example& example, bool by_hand) {
    {
      GraphScope building(graph_);
      auto scope = [&](int64_t k) {
        return by_hand ? SimName(static_cast<int>(k)) : std::string("sim");
      };
      result_ = example(scope, feeds_);
    }
    SessionOptions options;
    options.threads = 1;
    options.placement.search = !by_hand;
    session_ = std::make_unique<Session>(graph_, options);
  }

  PlacementReport Report() {
    Value fetched = Fetch(result_).In(graph_).value();
    std::vector<Value> values;
    std::vector<Array> arrays;
    for (const Feed& feed : feeds_) {
      values.push_back(feed.to.In(graph_).value());
      arrays.push_back(feed.value.value());
    }
    return session_->master()
        .ProgramFor(values, {&fetched, 1}, {}, ExecutorChoice::kAuto)
        .value()
        ->Places(arrays)
        .value();
  }
  double VirtualSeconds() {
    SimWorld& world = SimWorld::Default();
    value_ = session_->run(result_, feeds_);  // makes the plan
    world.RunAll();
    world.AdvanceHost(
        std::max(0.0, world.device_seconds() - world.host_seconds()));
    double start = world.host_seconds();
    session_->run(result_, feeds_);
    world.RunAll();
    return world.device_seconds() - start;
  }
  const Array& value() const { return value_; }

 private:
  Graph graph_;
  Tensor result_;
  std::unique_ptr<Session> session_;
  Feeds feeds_;
  Array value_;
};

// The other simulated devices of the process hold nothing meanwhile: the search
// has the devices that the hand has.
struct OnlyThePipelines {
  OnlyThePipelines() {
    AddSimDevices();
    for (int i : {kOldDevice, kNewDevice}) Sim(i).allocator().SetLimit(0);
  }
  ~OnlyThePipelines() {
    for (int i : {kOldDevice, kNewDevice}) {
      Sim(i).allocator().SetLimit(Sim(i).options().memory_bytes);
    }
  }
};

SL_BENCH(devices, placement_vs_hand,
         "the search against placement by hand on examples") {
  OnlyThePipelines devices;
  const std::pair<const char*, Example> kExamples[] = {
      {"towers", Towers},         {"lstm", LstmLayers},
      {"stages", Stages},         {"micro_batches", MicroBatches},
      {"gradient", LoopGradient}, {"branches", Branches}};
  for (const auto& [name, example] : kExamples) {
    Placed hand(example, true), search(example, false);
    PlacementReport by_hand = hand.Report(), found = search.Report();
    double hand_seconds = hand.VirtualSeconds();
    double search_seconds = search.VirtualSeconds();
    // Placement decides nothing but where and when.
    SL_CHECK(hand.value().BitEquals(search.value()));
    Settings settings = {{"example", name},
                         {"nodes", StrCat(found.nodes.size())},
                         {"devices", StrCat(kDevices)}};
    Settings predicted = settings, virtually = settings;
    predicted.emplace_back("time", "predicted");
    predicted.emplace_back("hand_ms", StrCat(by_hand.predicted_seconds * 1e3));
    predicted.emplace_back("search_ms", StrCat(found.predicted_seconds * 1e3));
    report.Line("placement_vs_hand",
                found.predicted_seconds / by_hand.predicted_seconds, "ratio",
                predicted, kNotWorse);
    virtually.emplace_back("time", "virtual");
    virtually.emplace_back("hand_ms", StrCat(hand_seconds * 1e3));
    virtually.emplace_back("search_ms", StrCat(search_seconds * 1e3));
    report.Line("placement_vs_hand", search_seconds / hand_seconds, "ratio",
                virtually, kNotWorse);
  }
}

}  // namespace
}  // namespace sluice::bench
