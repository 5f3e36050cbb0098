// An LSTM as a loop of the graph: against the same written out step by step,
// and its training step beside PyTorch's.
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/beside_torch.h"
#include "benchmarks/lstm_model.h"
#include "benchmarks/random_array.h"
#include "benchmarks/timing.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/passes/pipeline.h"
#include "sluice/passes/prune.h"

namespace sluice::bench {
namespace {

Settings SizesOf(const LstmSizes& s) {
  return {{"batch", StrCat(s.batch)},
          {"hidden", StrCat(s.hidden)},
          {"layers", StrCat(s.layers)},
          {"steps", StrCat(s.steps)}};
}

// Nodes of the graph that runs, forward and backward.
double PlannedNodes(const LstmSizes& sizes, LoopForm form) {
  Graph graph;
  std::vector<Value> feeds, fetches;
  {
    GraphScope building(graph);
    std::vector<Tensor> given;
    for (const Array& a : LstmArrays(sizes)) {
      given.push_back(placeholder(f32, a.shape()));
      feeds.push_back(given.back().value());
    }
    std::vector<Tensor> parameters(given.begin() + kLstmBatch, given.end());
    Tensor loss = LstmLoss(parameters, given[0], given[1], form, sizes.steps);
    for (const Tensor& g : gradients({loss}, parameters)) {
      fetches.push_back(g.value());
    }
  }
  auto planned = ValueOrThrow(Prune(graph, feeds, fetches, {}));
  ValueOrThrow(RunPipeline(*planned, {}));
  return planned->num_nodes();
}

void UnrolledCase(Report& report, const LstmSizes& sizes) {
  std::vector<Array> arrays = LstmArrays(sizes);
  std::vector<Tensor> parameters = LeavesOf(arrays, kLstmBatch);
  Tensor x = constant(arrays[0]), target = constant(arrays[1]);
  auto make = [&](LoopForm form) {
    return function([&, form](Tensor in, Tensor want) {
      EnableGrad on;  // of the calls around, nothing is recorded
      Tensor loss = LstmLoss(parameters, in, want, form, sizes.steps);
      std::vector<Tensor> results = gradients({loss}, parameters);
      results.push_back(loss);
      return results;
    });
  };
  auto dynamic = make(LoopForm::kDynamic), unrolled = make(LoopForm::kUnrolled);
  Settings settings = SizesOf(sizes);
  NoGrad no_grad;
  float loss = dynamic(x, target).back().item<float>();
  float other = unrolled(x, target).back().item<float>();
  if (!(std::abs(loss - other) <= 1e-5f * std::abs(other))) {
    return report.Missing("dynamic_vs_unrolled",
                          StrCat("the losses differ: ", loss, ", ", other),
                          settings, AtMost(1.03));
  }
  std::vector<double> best = SecondsPerCall(
      {.rounds = report.rounds},
      std::vector<std::function<void()>>{[&] { dynamic(x, target); },
                                         [&] { unrolled(x, target); }});
  settings.emplace_back("ms", ShortText(best[0] * 1e3));
  settings.emplace_back("unrolled ms", ShortText(best[1] * 1e3));
  report.Line("dynamic_vs_unrolled", best[0] / best[1], "ratio", settings,
              AtMost(1.03));
  double nodes = PlannedNodes(sizes, LoopForm::kDynamic);
  double many = PlannedNodes(sizes, LoopForm::kUnrolled);
  report.Line("unrolled_graph", many / nodes, "times the nodes",
              {{"layers", StrCat(sizes.layers)},
               {"nodes", ShortText(nodes)},
               {"unrolled", ShortText(many)}},
              AtLeast(100));
}

SL_BENCH(loops, dynamic_vs_unrolled, "a loop against the same written out") {
  UnrolledCase(report, {.steps = 200});
  UnrolledCase(report,
               {.steps = 200, .inputs = 128, .hidden = 128, .layers = 4});
}

SL_BENCH(loops, lstm_vs_torch, "a training step of an LSTM beside PyTorch's") {
  LstmSizes sizes;
  std::vector<Array> arrays = LstmArrays(sizes);
  Tensor x = constant(arrays[0]), target = constant(arrays[1]);
  nn::LSTM lstm(sizes.inputs, sizes.hidden);
  std::vector<Tensor> parameters = lstm.parameters();
  {
    NoGrad setting;
    for (size_t i = 0; i < parameters.size(); ++i) {
      parameters[i].copy_(constant(arrays[kLstmBatch + i]));
    }
  }
  optim::SGD optimizer(parameters, {.lr = 0.1});
  auto step = function([&](Tensor in, Tensor want) {
    Tensor loss = mean(square(lstm(in).first - want));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    return loss.detach();
  });
  RaceTorch(report, {.metric = "lstm_vs_torch",
                     .torch_case = "lstm_step",
                     .step = [&] { return step(x, target).item<float>(); },
                     .inputs = arrays,
                     .settings = SizesOf(sizes),
                     .bar = AtLeast(1)});
}

}  // namespace
}  // namespace sluice::bench
