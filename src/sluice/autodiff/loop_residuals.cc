#include "sluice/autodiff/loop_residuals.h"

#include "sluice/autodiff/save_on_host.h"
#include "sluice/graph/role_of.h"

namespace sluice {

void LoopResiduals::FindCounters() {
  for (int i = 0; i < loop_.num_inputs(); ++i) {
    Value counter = body_.arg(i);
    const Node& next = *body_.results()[static_cast<size_t>(i)].node;
    bool down = RoleOf(next) == Role::kSub;
    if (!kIndices.contains(counter.dtype()) ||
        (RoleOf(next) != Role::kAdd && !down)) {
      continue;
    }
    bool first = next.input(0) == counter;
    if (!first && (down || !(next.input(1) == counter))) continue;
    const Array* step = ConstantValue(next.input(first ? 1 : 0));
    if (step && step->rank() == 0) counters_[counter] = {i, *step, down};
  }
}

int LoopResiduals::NextOf(const Value& v) const {
  for (int i = 0; i < body_.num_args(); ++i) {
    if (body_.results()[static_cast<size_t>(i)] == v &&
        v.dtype() != DType::kList && kept_.count(body_.arg(i))) {
      return i;
    }
  }
  return -1;
}

Status LoopResiduals::Keep(InnerGradient& inner,
                           const std::vector<Value>& lists) {
  FindCounters();
  InnerGradient::Elsewhere there;
  for (const auto& [v, counter] : counters_) there.given.insert(v);
  for (const Value& v : lists) {
    if (inner.Inside(v)) there.kept.insert(v);
  }
  residuals_ = inner.Residuals(there);
  SL_ASSIGN_OR_RETURN(trips_, extension_.CountTrips());
  auto keep = [&](const Value& v) -> Status {
    if (kept_.count(v)) return OkStatus();
    SL_ASSIGN_OR_RETURN(kept_[v], extension_.Keep(v));
    return OkStatus();
  };
  for (const Value& v : lists) {
    if (inner.Inside(v)) SL_RETURN_IF_ERROR(keep(v));
  }
  // Carried start values first, so that an iteration's results are kept with
  // them.
  for (const Value& v : residuals_) {
    if (v.node != body_.args_node() || counters_.count(v)) continue;
    SL_RETURN_IF_ERROR(keep(v));
  }
  for (const Value& v : residuals_) {
    if (counters_.count(v) || kept_.count(v)) continue;
    int carried = NextOf(v);
    if (carried < 0) {
      SL_RETURN_IF_ERROR(keep(v));
      continue;
    }
    next_[v] = carried;
    if (longer_.count(carried)) continue;
    Value in[] = {list(body_.arg(carried)), loop_.output(carried)};
    SL_ASSIGN_OR_RETURN(Node * longer,
                        AddKeeping(graph_, after_, loop_, "ListAppend", in));
    longer_[carried] = longer->output();
  }
  return OkStatus();
}

Result<Value> LoopResiduals::Count(Region& body, const Counter& counter,
                                   Value at) {
  auto call = [&](std::string_view op, std::vector<Value> in,
                  const Attrs& attrs = {}) -> Result<Value> {
    SL_ASSIGN_OR_RETURN(Node * node,
                        AddBeside(graph_, body, loop_, op, in, attrs));
    return node->output();
  };
  Value start = loop_.input(counter.carried);
  if (start.dtype() != DType::kI64) {
    SL_ASSIGN_OR_RETURN(at, call("Cast", {at}, {{"dtype", start.dtype()}}));
  }
  SL_ASSIGN_OR_RETURN(Value step, call("Const", {}, {{"value", counter.step}}));
  SL_ASSIGN_OR_RETURN(Value way, call("Mul", {at, step}));
  return call(counter.down ? "Sub" : "Add", {start, way});
}

Status LoopResiduals::Read(Region& body, Value at, Value next,
                           Graph::ValueMap& map) {
  auto read = [&](const Value& v, Value list, Value index) -> Status {
    SL_ASSIGN_OR_RETURN(
        Node * node,
        AddKeeping(graph_, body, loop_, "ListGet", std::vector{list, index},
                   {{"dtype", v.dtype()}, {"shape", v.shape()}}));
    SL_ASSIGN_OR_RETURN(map[v],
                        SwappedIn(graph_, body, loop_, node->output(), v));
    return OkStatus();
  };
  for (const Value& v : residuals_) {
    if (auto it = counters_.find(v); it != counters_.end()) {
      SL_ASSIGN_OR_RETURN(map[v], Count(body, it->second, at));
    } else if (auto carried = next_.find(v); carried != next_.end()) {
      SL_RETURN_IF_ERROR(read(v, longer_.at(carried->second), next));
    } else {
      SL_RETURN_IF_ERROR(read(v, list(v), at));
    }
  }
  return OkStatus();
}

}  // namespace sluice
