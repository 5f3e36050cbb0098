#include "sluice/autodiff/loop_checkpoints.h"

#include <algorithm>

#include "sluice/autodiff/carry_more.h"
#include "sluice/autodiff/checkpointed_loop.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/list_sums.h"
#include "sluice/autodiff/loop_carries.h"
#include "sluice/autodiff/loop_extension.h"
#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"

namespace sluice {

Status CheckpointedLoop::Run() {
  SL_RETURN_IF_ERROR(CheckRepeatable(again_));
  active_ = ActiveCarries(again_.body(), at_.dy);
  captures_ = WantedCaptures(loop_, at_.wanted);
  if (active_.empty()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int trips, LoopExtension(graph_, loop_).CountTrips());
  ForwardCheckpoints forward(graph_, loop_, trips);
  SL_RETURN_IF_ERROR(forward.Prepare());
  SL_RETURN_IF_ERROR(Begin(loop_.output(trips)));
  Region& body = *back_->regions()[1];
  if (budget_ > 0) {
    SL_RETURN_IF_ERROR(Walk(body, forward));
  } else {
    SL_RETURN_IF_ERROR(LastStretch(body, forward));
  }
  for (size_t k = 0; k < active_.size(); ++k) {
    Value init = loop_.input(active_[k]);
    if (!at_.wanted.count(init)) continue;
    at_.flow.Add(init, back_->output(static_cast<int>(1 + k)));
  }
  for (size_t k = 0; k < flowing_.size(); ++k) {
    at_.flow.Add(flowing_[k],
                 back_->output(static_cast<int>(first_flowing_ + k)));
  }
  return OkStatus();
}

Result<Value> CheckpointedLoop::Call(Region& region, std::string_view op,
                                     std::vector<Value> inputs,
                                     const Attrs& attrs) {
  SL_ASSIGN_OR_RETURN(Node * node,
                      AddBeside(graph_, region, loop_, op, inputs, attrs));
  return node->output();
}

Status CheckpointedLoop::Begin(Value trips) {
  std::vector<Value> starts = {trips};
  std::vector<ValueType> types = {trips.type()};
  for (int i : active_) {
    Value dy = at_.dy[static_cast<size_t>(i)];
    if (!dy) {
      SL_ASSIGN_OR_RETURN(dy, ZerosOf(graph_, at_.region, loop_.output(i)));
    }
    starts.push_back(dy);
    types.push_back(again_.body().arg(i).type());
  }
  std::vector<DType> dtypes;
  for (const ValueType& type : types) dtypes.push_back(type.dtype);
  SL_ASSIGN_OR_RETURN(
      back_, AddBeside(graph_, at_.region, loop_, loop_.op().name, starts,
                       {{"dtypes", dtypes}, {"parallel", int64_t{1}}}));
  for (const char* label : {"cond", "body"}) {
    SL_ASSIGN_OR_RETURN(Region * region, graph_.AddRegion(*back_, label));
    for (size_t i = 0; i < types.size(); ++i) {
      std::string name = i == 0 ? "left" : StrCat("d", i);
      SL_RETURN_IF_ERROR(graph_.AddArg(*region, name, types[i]).status());
    }
  }
  Region& cond = *back_->regions()[0];
  SL_ASSIGN_OR_RETURN(Value zero, Number(cond, 0));
  SL_ASSIGN_OR_RETURN(Value more, Call(cond, "Greater", {cond.arg(0), zero}));
  graph_.SetResults(cond, {more});
  graph_.SetOutputs(*back_, std::move(types));
  return OkStatus();
}

Status CheckpointedLoop::AddStandIns(Region& region) {
  for (int i = 0; i < again_.carried; ++i) {
    const ValueType type = again_.body().arg(i).type();
    SL_ASSIGN_OR_RETURN(Value stand_in,
                        Call(region, "Placeholder", {},
                             {{"dtype", type.dtype}, {"shape", type.shape}}));
    stand_ins_.push_back(stand_in);
  }
  return OkStatus();
}

Status CheckpointedLoop::ReplaceStandIns(Region& region,
                                         const std::vector<bool>& needed,
                                         std::span<const Value> lists,
                                         Value number) {
  size_t list = 0;
  for (size_t i = 0; i < stand_ins_.size(); ++i) {
    Value start = loop_.input(static_cast<int>(i));
    if (needed[i]) {
      const ValueType type = stand_ins_[i].type();
      SL_ASSIGN_OR_RETURN(start,
                          Call(region, "ListGet", {lists[list++], number},
                               {{"dtype", type.dtype}, {"shape", type.shape}}));
      graph_.MoveBefore(*start.node, *stand_ins_[i].node);
    }
    graph_.ReplaceUses(stand_ins_[i], start);
    graph_.Erase(*stand_ins_[i].node);
  }
  return OkStatus();
}

Result<CheckpointedLoop::Stretch> CheckpointedLoop::Differentiate(
    Region& region, std::span<const Value> starts, Value first, Value trips) {
  Stretch stretch;
  SL_ASSIGN_OR_RETURN(stretch.forward,
                      RepeatLoop(again_, region, starts, first, trips));
  Region& outer = *back_->regions()[1];
  std::vector<Value> dy(static_cast<size_t>(stretch.forward->num_outputs()));
  std::unordered_set<Value, ValueHash> wanted(captures_.begin(),
                                              captures_.end());
  for (size_t k = 0; k < active_.size(); ++k) {
    dy[static_cast<size_t>(active_[k])] = outer.arg(static_cast<int>(1 + k));
    wanted.insert(starts[static_cast<size_t>(active_[k])]);
  }
  GradFlow flow(graph_, region, at_.flow.hoist());
  SL_RETURN_IF_ERROR(LoopGradient(
      {graph_, region, *stretch.forward, std::move(dy), wanted, flow}));
  for (size_t k = 0; k < active_.size(); ++k) {
    const Value& start = starts[static_cast<size_t>(active_[k])];
    SL_ASSIGN_OR_RETURN(Value total, flow.Total(start));
    if (!total) {
      SL_ASSIGN_OR_RETURN(total, ZerosOf(graph_, region, start));
    }
    stretch.carried.push_back(total);
  }
  for (const Value& v : captures_) {
    SL_ASSIGN_OR_RETURN(Value total, flow.Total(v));
    stretch.captured.push_back(total);
  }
  return stretch;
}

Status CheckpointedLoop::CarryCaptures(const Stretch& stretch) {
  first_flowing_ = static_cast<size_t>(back_->num_inputs());
  for (size_t i = 0; i < captures_.size(); ++i) {
    if (!stretch.captured[i]) continue;
    flowing_.push_back(captures_[i]);
    SL_ASSIGN_OR_RETURN(Value zeros, ZerosOf(graph_, at_.region, captures_[i]));
    graph_.MoveBefore(*zeros.node, *back_);
    for (const Value& v : zeros.node->inputs()) {
      if (v.node->region() == &at_.region && !v.node->is_args() &&
          IsNew(*v.node)) {
        graph_.MoveBefore(*v.node, *zeros.node);
      }
    }
    SL_RETURN_IF_ERROR(
        CarryMore(graph_, *back_, zeros, captures_[i].type(), "captured")
            .status());
  }
  return OkStatus();
}

Result<std::vector<Value>> CheckpointedLoop::Sums(Region& region,
                                                  const Stretch& stretch) {
  std::vector<Value> sums;
  Region& outer = *back_->regions()[1];
  for (const Value& part : stretch.captured) {
    if (!part) continue;
    auto at = static_cast<int>(first_flowing_ + sums.size());
    Value sum = outer.arg(at);
    if (part.dtype() == DType::kList) {
      SL_ASSIGN_OR_RETURN(sum, AddListGradient(graph_, region, sum, part));
    } else {
      SL_ASSIGN_OR_RETURN(sum, Call(region, "Add", {sum, part}));
    }
    sums.push_back(sum);
  }
  return sums;
}

Status CheckpointedLoop::LastStretch(Region& body,
                                     ForwardCheckpoints& forward) {
  SL_ASSIGN_OR_RETURN(Value zero, Number(body, 0));
  SL_ASSIGN_OR_RETURN(Value one, Number(body, 1));
  SL_ASSIGN_OR_RETURN(Value every,
                      Call(body, "Gather", {forward.state(), zero}));
  SL_ASSIGN_OR_RETURN(Value last, Call(body, "Sub", {body.arg(0), one}));
  SL_ASSIGN_OR_RETURN(Value number, Call(body, "FloorDiv", {last, every}));
  SL_ASSIGN_OR_RETURN(Value first, Call(body, "Mul", {number, every}));
  SL_ASSIGN_OR_RETURN(Value trips, Call(body, "Sub", {body.arg(0), first}));
  SL_RETURN_IF_ERROR(AddStandIns(body));
  SL_ASSIGN_OR_RETURN(Stretch stretch,
                      Differentiate(body, stand_ins_, first, trips));
  SL_RETURN_IF_ERROR(CarryCaptures(stretch));
  SL_ASSIGN_OR_RETURN(std::vector<Value> sums, Sums(body, stretch));
  std::vector<Value> results = {first};
  results.insert(results.end(), stretch.carried.begin(), stretch.carried.end());
  results.insert(results.end(), sums.begin(), sums.end());
  graph_.SetResults(body, std::move(results));
  std::vector<bool> needed = NeededCarries(*stretch.forward);
  std::vector<Value> lists;
  for (int i = 0; i < again_.carried; ++i) {
    if (!needed[static_cast<size_t>(i)]) continue;
    SL_ASSIGN_OR_RETURN(int list, forward.Keep(i));
    lists.push_back(loop_.output(list));
  }
  return ReplaceStandIns(body, needed, lists, number);
}

bool KeepsCheckpoints(const Node& loop) {
  if (!loop.op().FindAttr("save")) return false;
  const std::string& save = loop.attrs().get<std::string>("save");
  return save != "device" && save != "host";
}

Status CheckpointedGradient(const RegionGradient& at) {
  return CheckpointedLoop(at).Run();
}

}  // namespace sluice
