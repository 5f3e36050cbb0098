// An agent that learns while it acts (examples/loops/dqn.h): all of it in one
// loop of a graph, against the same pieces run one by one from the client, and
// against the same algorithm in eager PyTorch. All on one thread: what there is
// to compute at a step is small.
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/torch_child.h"
#include "examples/loops/dqn.h"
#include "sluice/base/strings.h"

namespace sluice::bench {
namespace {

constexpr int64_t kSteps = 400;  // of a call

std::string PerSecond(double seconds) {
  return StrCat(std::llround(kSteps / seconds));
}

// The agent in PyTorch, with the same first weights and the same draws. An
// error when there is none, or when it does not do the same.
Result<std::unique_ptr<TorchChild>> StartTorch(const loops::DqnOptions& o,
                                               const loops::DqnLog& ours) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<TorchChild> torch, TorchChild::Start(1));
  loops::Dqn agent(o);
  loops::DqnDraws draws = loops::dqn_draws(o, kSteps);
  std::vector<float> numbers = {
      static_cast<float>(o.capacity),   static_cast<float>(o.warm_up),
      static_cast<float>(o.sync_every), static_cast<float>(o.longest),
      static_cast<float>(o.explore),    static_cast<float>(o.last_epsilon),
      static_cast<float>(o.gamma),      static_cast<float>(o.lr)};
  std::vector<Array> inputs = {Array::Of<float>({8}, numbers),
                               agent.begin().state.array(), draws.acts.array(),
                               draws.begins.array(), draws.picks.array()};
  for (const Variable& v : agent.network()) {
    inputs.push_back(v.tensor().array());
  }
  SL_RETURN_IF_ERROR(torch->SetCase("dqn", inputs));
  SL_ASSIGN_OR_RETURN(Array theirs, torch->FirstResult());
  // Rounding differs and grows with every update: the first ones must agree.
  const double* values = theirs.data<double>();
  for (size_t i = 0; i < static_cast<size_t>(o.warm_up) + 10; ++i) {
    double reward = values[2 * i], loss = values[2 * i + 1];
    if (std::abs(reward - ours.rewards[i]) < 1e-3 &&
        std::abs(loss - ours.losses[i]) < 1e-2 * (0.01 + loss)) {
      continue;
    }
    return Internal(StrCat("step ", i, " differs: reward ", ours.rewards[i],
                           " here, ", reward, " there; loss ", ours.losses[i],
                           " here, ", loss, " there"));
  }
  return torch;
}

SL_BENCH(loops, dqn, "an agent in one loop, from the client and in PyTorch") {
  loops::DqnOptions options;
  loops::DqnLoop loop(options);
  loops::DqnClient client(options), prepared(options, /*prepared=*/true);
  loops::DqnLog first = loop.run(kSteps);
  if (!(first == client.run(kSteps)) || !(first == prepared.run(kSteps))) {
    report.Missing("dqn_vs_client", "the trajectories differ", {},
                   AtLeast(1.2));
    return;
  }
  auto torch = StartTorch(options, first);
  std::vector<std::function<void()>> sides = {[&] { loop.run(kSteps); },
                                              [&] { client.run(kSteps); },
                                              [&] { prepared.run(kSteps); }};
  std::vector<double> best(sides.size(), 1e9);
  double theirs = 1e9;
  for (int i = 0; i < 3 * report.rounds; ++i) {
    std::vector<double> now = Best(1, sides);
    for (size_t k = 0; k < best.size(); ++k)
      best[k] = std::min(best[k], now[k]);
    if (!torch.ok() || i % 3 != 0) continue;
    double seconds = (*torch)->Time(1, 1);
    if (seconds > 0) theirs = std::min(theirs, seconds);
  }
  Settings settings = {{"steps/s", PerSecond(best[0])}};
  Settings beside = settings;
  beside.emplace_back("client's", PerSecond(best[1]));
  report.Line("dqn_vs_client", best[1] / best[0], "ratio", beside,
              AtLeast(1.2));
  beside = settings;
  beside.emplace_back("client's", PerSecond(best[2]));
  report.Line("dqn_vs_prepared_client", best[2] / best[0], "ratio", beside);
  if (!torch.ok()) {
    report.Missing("dqn_vs_torch", torch.status().message(), settings,
                   AtLeast(5));
    return;
  }
  settings.emplace_back("PyTorch's", PerSecond(theirs));
  report.Line("dqn_vs_torch", theirs / best[0], "ratio", settings, AtLeast(5));
}

}  // namespace
}  // namespace sluice::bench
