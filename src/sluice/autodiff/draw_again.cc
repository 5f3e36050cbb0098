#include "sluice/autodiff/draw_again.h"

#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/loop_extension.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

// Its last input, a list with at most one element, is the tag, if given.
bool TakesTag(const Node& node) {
  const auto& declared = node.op().inputs;
  return node.op().random && !declared.empty() && declared.back().list &&
         node.num_inputs() < static_cast<int>(declared.size());
}

}  // namespace

bool DrawsHere(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (TakesTag(*node)) return true;
    if (node->op().flow == Flow::kCall) {
      const Region* called = node->input(0).node->regions().empty()
                                 ? nullptr
                                 : node->input(0).node->regions()[0].get();
      if (called && !called->Encloses(&region) && DrawsHere(*called)) {
        return true;
      }
    }
    for (const auto& inner : node->regions()) {
      if (DrawsHere(*inner)) return true;
    }
  }
  return false;
}

Result<Value> TagAtTop(Graph& graph, Region& region, const Node& loop,
                       Value parent, Value iteration) {
  Value in[] = {parent, iteration};
  SL_ASSIGN_OR_RETURN(Node * tag,
                      AddBeside(graph, region, loop, "IterationTag", in,
                                {{"key", static_cast<int64_t>(loop.key())}}));
  if (region.nodes().front() != tag) {
    graph.MoveBefore(*tag, *region.nodes().front());
  }
  return tag->output();
}

Status DrawAgain(Graph& graph, Region& region, Value tag) {
  std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
  for (Node* node : nodes) {
    if (TakesTag(*node)) {
      std::vector<Value> in(node->inputs().begin(), node->inputs().end());
      in.push_back(tag);
      graph.SetInputs(*node, std::move(in));
      continue;
    }
    bool draws = false;
    for (const auto& inner : node->regions()) {
      draws = draws || DrawsHere(*inner);
    }
    if (!draws && node->op().flow == Flow::kCall) {
      const auto& called = node->input(0).node->regions();
      draws = !called.empty() && DrawsHere(*called[0]);
      if (draws) {
        return Unimplemented(
                   "[Call] draws random numbers, and a loop with save = "
                   "\"recompute\" or a budget cannot draw them again in a "
                   "call; wanted them drawn in the loop itself, or save = "
                   "\"device\"")
            .WithLine(NodeLine(*node));
      }
    }
    if (!draws) continue;
    if (node->op().flow != Flow::kLoop) {
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(DrawAgain(graph, *inner, tag));
      }
      continue;
    }
    SL_ASSIGN_OR_RETURN(int trips, LoopExtension(graph, *node).CountTrips());
    for (const auto& inner : node->regions()) {
      if (!DrawsHere(*inner)) continue;
      SL_ASSIGN_OR_RETURN(
          Value own, TagAtTop(graph, *inner, *node, tag, inner->arg(trips)));
      SL_RETURN_IF_ERROR(DrawAgain(graph, *inner, own));
    }
  }
  return OkStatus();
}

}  // namespace sluice
