#include "sluice/autodiff/carry_more.h"
#include "sluice/autodiff/checkpointed_loop.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/loop_carries.h"

namespace sluice {

Status CheckpointedLoop::Walk(Region& body, ForwardCheckpoints& forward) {
  SL_ASSIGN_OR_RETURN(Value zero, NumberBefore(0));
  SL_ASSIGN_OR_RETURN(Value two, NumberBefore(2));
  SL_ASSIGN_OR_RETURN(Value every,
                      Before(at_.region, "Gather", {forward.state(), zero}));
  SL_ASSIGN_OR_RETURN(Value each,
                      Before(at_.region, "Gather", {forward.state(), two}));
  SL_ASSIGN_OR_RETURN(Value positions, Before(at_.region, "Range",
                                              {zero, back_->input(0), every}));
  ValueType vector{DType::kI64, PartialShape::OfRank(1)};
  SL_ASSIGN_OR_RETURN(int per_trip,
                      CarryMore(graph_, *back_, zero, zero.type(), "per_trip"));
  SL_ASSIGN_OR_RETURN(
      int at, CarryMore(graph_, *back_, positions, vector, "positions"));
  Value in[] = {body.arg(at), body.arg(0), body.arg(per_trip), each};
  SL_ASSIGN_OR_RETURN(Node * walk,
                      AddBeside(graph_, body, loop_, "CheckpointWalk", in,
                                {{"budget", budget_}}));
  Value index = walk->output(1), advance = walk->output(2),
        trips = walk->output(3), keep = walk->output(4);
  SL_ASSIGN_OR_RETURN(Value first, Call(body, "Gather", {body.arg(at), index}));
  SL_RETURN_IF_ERROR(AddStandIns(body));
  SL_ASSIGN_OR_RETURN(Node * on,
                      RepeatLoop(again_, body, stand_ins_, first, advance));
  std::vector<Value> moved;
  for (int i = 0; i < again_.carried; ++i) moved.push_back(on->output(i));
  SL_ASSIGN_OR_RETURN(Value middle, Call(body, "Add", {first, advance}));
  SL_ASSIGN_OR_RETURN(Value nothing, Number(body, 0));
  SL_ASSIGN_OR_RETURN(Value pred, Call(body, "Greater", {trips, nothing}));
  SL_ASSIGN_OR_RETURN(Node * choose,
                      AddBeside(graph_, body, loop_, "If", {&pred, 1},
                                {{"dtypes", std::vector<DType>()}}));
  SL_ASSIGN_OR_RETURN(Region * gradient, graph_.AddRegion(*choose, "then"));
  SL_ASSIGN_OR_RETURN(Region * leave, graph_.AddRegion(*choose, "else"));

  SL_ASSIGN_OR_RETURN(Stretch stretch,
                      Differentiate(*gradient, moved, middle, trips));
  SL_RETURN_IF_ERROR(CarryCaptures(stretch));
  SL_ASSIGN_OR_RETURN(Value measured, PerTrip(*gradient, *stretch.forward,
                                              trips, body.arg(per_trip)));
  SL_ASSIGN_OR_RETURN(std::vector<Value> sums, Sums(*gradient, stretch));
  std::vector<Value> then = {middle};
  then.insert(then.end(), stretch.carried.begin(), stretch.carried.end());
  then.push_back(measured);
  then.insert(then.end(), sums.begin(), sums.end());
  std::vector<Value> otherwise;
  for (int i = 0; i < back_->num_inputs(); ++i) {
    if (i != at) otherwise.push_back(body.arg(i));
  }

  std::vector<bool> needed = NeededCarries(*stretch.forward);
  std::vector<Value> lists;
  for (int i = 0; i < again_.carried; ++i) {
    if (!needed[static_cast<size_t>(i)]) continue;
    SL_ASSIGN_OR_RETURN(int kept, forward.Keep(i));
    Value list = loop_.output(kept);
    SL_ASSIGN_OR_RETURN(int stack,
                        CarryMore(graph_, *back_, list, list.type(), "stack"));
    lists.push_back(body.arg(stack));
    SL_ASSIGN_OR_RETURN(Value left,
                        Call(body, "ListResize", {body.arg(stack), keep}));
    graph_.MoveBefore(*left.node, *choose);
    then.push_back(left);
    SL_ASSIGN_OR_RETURN(
        Value more,
        Call(*leave, "ListAppend", {left, moved[static_cast<size_t>(i)]}));
    otherwise.push_back(more);
  }
  Close(body, *choose, at, walk->output(0), std::move(then),
        std::move(otherwise));
  return ReplaceStandIns(body, needed, lists, index);
}

void CheckpointedLoop::Close(Region& body, Node& choose, int at,
                             Value positions, std::vector<Value> then,
                             std::vector<Value> otherwise) {
  std::vector<DType> dtypes;
  std::vector<ValueType> types;
  for (int i = 0; i < back_->num_inputs(); ++i) {
    if (i == at) continue;
    types.push_back(body.arg(i).type());
    dtypes.push_back(types.back().dtype);
  }
  graph_.SetResults(*choose.regions()[0], std::move(then));
  graph_.SetResults(*choose.regions()[1], std::move(otherwise));
  graph_.SetAttr(choose, "dtypes", dtypes);
  graph_.SetOutputs(choose, std::move(types));
  std::vector<Value> results;
  for (int i = 0; i < back_->num_inputs(); ++i) {
    results.push_back(i == at ? positions : choose.output(i < at ? i : i - 1));
  }
  graph_.SetResults(body, std::move(results));
}

Result<Value> CheckpointedLoop::PerTrip(Region& region, Node& repeated,
                                        Value trips, Value before) {
  SL_ASSIGN_OR_RETURN(Value one, Number(region, 1));
  SL_ASSIGN_OR_RETURN(Value bytes, Call(region, "Sub", {trips, one}));
  for (int i = again_.carried + 1; i < repeated.num_outputs(); ++i) {
    if (repeated.output_type(i).dtype != DType::kList) continue;
    SL_ASSIGN_OR_RETURN(Value more,
                        Call(region, "ListBytes", {repeated.output(i)}));
    SL_ASSIGN_OR_RETURN(bytes, Call(region, "Add", {bytes, more}));
  }
  SL_ASSIGN_OR_RETURN(Value each, Call(region, "FloorDiv", {bytes, trips}));
  SL_ASSIGN_OR_RETURN(each, Call(region, "Maximum", {each, one}));
  return Call(region, "Maximum", {each, before});
}

Result<Value> CheckpointedLoop::Before(Region& region, std::string_view op,
                                       std::vector<Value> inputs,
                                       const Attrs& attrs) {
  SL_ASSIGN_OR_RETURN(Value v, Call(region, op, std::move(inputs), attrs));
  graph_.MoveBefore(*v.node, *back_);
  return v;
}

Result<Value> CheckpointedLoop::NumberBefore(int64_t n) {
  return Before(at_.region, "Const", {},
                {{"value", Array::Scalar<int64_t>(n)}});
}

}  // namespace sluice
