// ToldVariables: the run-time properties (trace/merged_flow.h) of the variables
// of a loop that is being recorded; the loop carries them as extra variables.
//
// Lives on the stack of the function that records the loop.
#pragma once

#include <vector>

#include "sluice/trace/capture.h"
#include "sluice/trace/loop_reach.h"
#include "sluice/trace/region_draft.h"

namespace sluice::front_internal {

// The run-time properties of a loop's variables, with their initial values.
class ToldVariables {
 public:
  using Told = RegionRequest::Told;

  // Finds the properties that are open when the loop begins.
  ToldVariables(Capture* capture, const std::vector<Tensor>& inits)
      : capture_(capture) {
    for (const Tensor& t : inits) {
      flow_.emplace_back();
      which_.emplace_back();
      if (!capture_) continue;
      EagerRef value = capture_->ValueOf(t);
      Begin(*value, flow_.back());
      first_.push_back(KeyOf(*value));
      which_.back().begin = capture_->WhichOf(*value);
      which_.back().told = !which_.back().begin.none();
    }
  }
  bool flow_told(size_t i) const { return flow_[i].told; }
  void TellFlow(size_t i) { flow_[i].told = true; }
  bool TellWhich(size_t i, const WhichEntry& next) {
    if (!capture_ || which_[i].told || next.none()) return false;
    return which_[i].told = true;
  }
  // The list for a recording; written tensors come after the others.
  std::vector<Told> All(
      const std::vector<RegionRequest::Carried>& written) const {
    std::vector<Told> all;
    for (size_t i = 0; i < flow_.size(); ++i) {
      if (flow_[i].told) all.push_back({i, false});
      if (which_[i].told) all.push_back({i, true});
    }
    for (size_t k = 0; k < written.size(); ++k) {
      if (written[k].told) all.push_back({flow_.size() + k, false});
    }
    return all;
  }
  // The initial value of a property.
  Operand First(const Told& told,
                const std::vector<RegionRequest::Carried>& written,
                std::source_location where) const {
    if (told.which) {
      const WhichEntry& begin = which_[told.argument].begin;
      if (begin.told) return Saying(begin.told, where);
      return Operand(Array::Scalar<int64_t>(begin.entry), where);
    }
    Flow flow;
    if (told.argument < flow_.size()) {
      flow = flow_[told.argument];
    } else {
      Begin(*written[told.argument - flow_.size()].tensor, flow);
    }
    if (flow.when) return Saying(flow.when, where);
    return Operand(Array::Scalar<bool>(flow.flows), where);
  }
  // Destinations of the gradients of all variables.
  std::vector<LoopVariable> Variables(
      const RecordedRegion& body,
      const std::vector<RegionRequest::Carried>& written) const {
    std::vector<LoopVariable> all;
    for (size_t i = 0; i < flow_.size(); ++i) {
      all.push_back({first_[i], body.places[i], &body.reach[i]});
    }
    for (size_t k = 0; k < written.size(); ++k) {
      all.push_back(
          {KeyOf(*written[k].tensor), body.places[flow_.size() + k],
           &front_internal::Find(body.written, written[k].tensor)->reach});
    }
    return all;
  }
  // The value of a property after an iteration.
  Value Next(const Told& told, const RecordedRegion& body,
             const std::vector<RegionRequest::Carried>& written,
             Graph& graph) const {
    if (told.which) {
      const WhichEntry& next = body.which[told.argument];
      return next.told ? next.told
                       : KnownIn(graph, *body.region,
                                 Array::Scalar<int64_t>(next.entry));
    }
    bool flows;
    Value when;
    if (told.argument < flow_.size()) {
      flows = body.flows[told.argument];
      when = body.when[told.argument];
    } else {
      const Written* w = front_internal::Find(
          body.written, written[told.argument - flow_.size()].tensor);
      flows = w->flows;
      when = w->when;
    }
    return when ? when
                : KnownIn(graph, *body.region, Array::Scalar<bool>(flows));
  }

 private:
  struct Flow {
    bool told = false, flows = false;
    Value when{};
  };
  struct Which {
    bool told = false;
    WhichEntry begin{};
  };
  static TapeKey KeyOf(EagerValue& value) {
    TapeEdge edge = EdgeTo(value);
    return {edge.node.get(), edge.output, edge.leaf.get()};
  }
  void Begin(EagerValue& value, Flow& flow) const {
    capture_->Now(value);
    FlowWhen now = capture_->FlowOf(value);
    flow.flows = now.always;
    flow.told = now.open();
    if (flow.told) flow.when = capture_->AnyOf(now);
  }
  Operand Saying(const Value& value, std::source_location where) const {
    return Operand(Tensor(capture_->graph(), value), where);
  }

  Capture* capture_;
  std::vector<Flow> flow_;
  std::vector<Which> which_;
  std::vector<TapeKey> first_;
};

}  // namespace sluice::front_internal
