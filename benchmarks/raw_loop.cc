#include "benchmarks/raw_loop.h"

#include "sluice/graph/node.h"

namespace sluice::bench {

struct RawLoop::State {
  Graph graph;
  Tensor count, result;
  std::unique_ptr<Session> session;
  Callable call;
};

RawLoop::RawLoop() : state_(std::make_unique<State>()) {
  State& s = *state_;
  {
    GraphScope building(s.graph);
    s.count = placeholder(i64, Shape(), "count");
    auto enter = [](const Tensor& x, bool constant) {
      return call("Enter", {x}, {{"frame", "loop"}, {"constant", constant}})[0];
    };
    Tensor n = enter(s.count, true);
    Tensor start = enter(constant(int64_t{0}), false);
    Tensor i = call("Merge", {start, start})[0];
    Tensor go = call("LoopCond", {i < n})[0];
    std::vector<Tensor> ways = call("Switch", {i, go});
    Tensor next = call("NextIteration", {ways[1] + 1})[0];
    s.graph.SetInput(*i.value().node, 1, next.value());
    s.result = call("Exit", {ways[0]})[0];
  }
  SessionOptions options;
  options.threads = 1;
  s.session = std::make_unique<Session>(s.graph, options);
  s.call =
      s.session->prepare({s.result}, {s.count}, {}, ExecutorChoice::kTokens);
}

RawLoop::~RawLoop() = default;

void RawLoop::Run(int64_t count) { state_->call({Array::Scalar(count)}); }

}  // namespace sluice::bench
