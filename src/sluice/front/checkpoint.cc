// checkpoint (front/autograd.h): at once by a region of the tape that is run
// again, in graphs by a gradient that builds the function's nodes again.
#include <unordered_set>

#include "sluice/eager/call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recompute.h"
#include "sluice/eager/scope.h"
#include "sluice/front/autograd.h"
#include "sluice/front/own_points.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/graph/traverse.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/inside_vmap.h"

namespace sluice {

namespace {

// What nodes from number `first` on, which the ys are made of, take from others
// before them: tensors the function uses beside its inputs.
std::vector<Tensor> UsedBeside(Graph& graph, int first,
                               const std::vector<Tensor>& ys,
                               const std::vector<Tensor>& inputs) {
  std::vector<Tensor> found;
  std::unordered_set<Value, ValueHash> known;
  for (const Tensor& x : inputs) known.insert(x.value());
  std::unordered_set<const Node*> seen;
  std::vector<Value> open;
  for (const Tensor& y : ys) open.push_back(y.value());
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    if (v.node->is_args() || v.node->id() < first) {
      if (kFloats.contains(v.dtype()) && known.insert(v).second) {
        found.push_back(Tensor(graph, v));
      }
      continue;
    }
    if (!seen.insert(v.node).second) continue;
    // What code of branches and loops reads around it is used, too.
    for (const Value& in : InputsWithCaptures(*v.node)) open.push_back(in);
  }
  return found;
}

// In a graph: the gradient builds the function's nodes once more, behind what
// flows into it, so that the first ones need not be kept until then.
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
  int first = graph.id_limit();
  Capture* capture = Capture::Open();
  const int lanes = capture ? capture->lanes_recorded : 0;
  Value place = capture ? capture->PlaceNow() : Value();
  std::vector<Tensor> ys = f(inputs);
  // Code for lanes is not run again here: its values are kept.
  if (capture && capture->lanes_recorded != lanes) return ys;
  size_t count = inputs.size();
  // What draws is told, when it is run again, where it drew.
  bool draws = place && capture->PlaceNow() != place;
  // As what the code knows them: when it is run again, the branch or loop that
  // made them is over.
  std::vector<EagerRef> beside;
  for (const Tensor& more : UsedBeside(graph, first, ys, inputs)) {
    inputs.push_back(more);
    beside.push_back(capture ? capture->OwnerOf(more.value()) : EagerRef());
  }
  if (draws) inputs.push_back(Tensor(graph, place));
  auto backward = [f, count, draws, where, beside](
                      const std::vector<Tensor>& xs, const std::vector<Tensor>&,
                      const std::vector<Tensor>& dys) {
    EnableGrad on;
    Capture::AllFlow all(Capture::Open());
    std::vector<Capture::StandsFor> now;
    for (size_t i = 0; i < beside.size() && Capture::Open(); ++i) {
      now.emplace_back(*Capture::Open(), beside[i], xs[count + i].value());
    }
    Capture::DrawsFrom again(Capture::Open(),
                             draws ? xs.back().value() : Value());
    std::vector<Tensor> later, targets;
    for (size_t i = 0; i < xs.size() - (draws ? 1 : 0); ++i) {
      if (i >= count) {
        targets.push_back(xs[i]);
        continue;
      }
      std::vector<Operand> operands = {xs[i]};
      operands.insert(operands.end(), dys.begin(), dys.end());
      later.push_back(
          front_internal::CallOne("WaitFor", operands, {}, {}, where));
    }
    targets.insert(targets.begin(), later.begin(), later.end());
    std::vector<Tensor> ys = f(later);
    std::vector<Tensor> found =
        front_internal::GraphGradientsAt(ys, targets, dys, where);
    if (draws) found.emplace_back();
    return found;
  };
  return custom_gradient([&](const std::vector<Tensor>&) { return ys; },
                         backward, inputs);
}

}  // namespace

TensorFn checkpoint(TensorFn f) {
  return [f = std::move(f)](const std::vector<Tensor>& inputs) {
    bool symbolic = front_internal::Building::Current().graph != nullptr;
    for (const Tensor& x : inputs) symbolic = symbolic || x.symbolic();
    // A gradient taken around a vmap could not run the code of one lane again.
    if (symbolic && front_internal::InsideVmap()) return f(inputs);
    if (symbolic) return GraphCheckpoint(f, inputs);
    return RunToRecompute(f, inputs);
  };
}

}  // namespace sluice
