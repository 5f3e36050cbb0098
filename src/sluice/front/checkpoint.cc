// checkpoint (front/autograd.h): at once by a region of the tape that is run
// again, in graphs by a gradient that builds the function's nodes again.
#include <memory>

#include "sluice/eager/call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recompute.h"
#include "sluice/eager/scope.h"
#include "sluice/front/autograd.h"
#include "sluice/front/own_points.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/graph/stretch.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/custom_rule.h"
#include "sluice/trace/inside_vmap.h"

namespace sluice {

using front_internal::Building;

namespace {

// In a graph: the gradient builds the nodes that the function has made once
// more, behind what flows into it, so that the first ones need not be kept
// until then. The function itself is not run again: by then the program around
// it may say something else.
std::vector<Tensor> GraphCheckpoint(const TensorFn& f,
                                    const std::vector<Tensor>& given) {
  auto where = std::source_location::current();
  std::vector<Tensor> inputs;
  for (const Tensor& x : given) {
    Operand operands[] = {x};
    inputs.push_back(
        front_internal::CallOne("Identity", operands, {}, {}, where));
  }
  Graph& graph = inputs.empty() ? current_graph() : inputs[0].graph();
  const int first = graph.id_limit();
  std::vector<Tensor> ys = f(inputs);
  std::vector<Value> to;
  for (const Tensor& y : ys) to.push_back(y.value());
  const Building& building = Building::Current();
  bool open = building.graph == &graph && building.region;
  Result<Stretch> made = [&] {
    MutexLock lock(graph.mu());
    return Stretch::Make(open ? *building.region : graph.root(), first, to);
  }();
  if (!made.ok()) return ys;  // they are kept
  auto again = std::make_shared<const Stretch>(*std::move(made));
  inputs.clear();
  for (const Value& v : again->reads()) inputs.push_back(Tensor(graph, v));
  auto backward = [again, where](const std::vector<Tensor>& xs,
                                 const std::vector<Tensor>&,
                                 const std::vector<Tensor>& dys) {
    EnableGrad on;
    std::vector<Value> later;
    std::vector<Tensor> targets;
    for (const Tensor& x : xs) {
      later.push_back(x.value());
      if (!kDifferentiable.contains(x.dtype())) continue;
      std::vector<Operand> operands = {x};
      operands.insert(operands.end(), dys.begin(), dys.end());
      targets.push_back(
          front_internal::CallOne("WaitFor", operands, {}, {}, where));
      later.back() = targets.back().value();
    }
    Graph& graph = *Building::Current().graph;
    std::vector<Tensor> ys;
    {
      MutexLock lock(graph.mu());
      for (const Value& y :
           again->Build(graph, *Building::Current().region, later)) {
        ys.push_back(Tensor(graph, y));
      }
    }
    std::vector<Tensor> found =
        front_internal::GraphGradientsAt(ys, targets, dys, where);
    std::vector<Tensor> returned(xs.size());
    for (size_t i = 0, k = 0; i < xs.size(); ++i) {
      if (kDifferentiable.contains(xs[i].dtype())) returned[i] = found[k++];
    }
    return returned;
  };
  std::vector<Tensor> results = custom_gradient(
      [&](const std::vector<Tensor>&) { return ys; }, backward, inputs);
  for (const Tensor& y : results) {
    if (!y.traced()) continue;
    const EagerRef& value = y.identity();
    auto* way = dynamic_cast<GraphTapeNode*>(value->producer.get());
    if (!way) continue;
    front_internal::SayThroughResults(*way, *value->traced->value.node);
    break;
  }
  return results;
}

}  // namespace

TensorFn checkpoint(TensorFn f) {
  return [f = std::move(f)](const std::vector<Tensor>& inputs) {
    bool symbolic = Building::Current().graph != nullptr;
    for (const Tensor& x : inputs) symbolic = symbolic || x.symbolic();
    // A gradient taken around a vmap could not run the code of one lane again.
    if (symbolic && front_internal::InsideVmap()) return f(inputs);
    if (symbolic) return GraphCheckpoint(f, inputs);
    return RunToRecompute(f, inputs);
  };
}

}  // namespace sluice
