#include "sluice/autodiff/forward_checkpoints.h"

#include <algorithm>

#include "sluice/autodiff/carry_more.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/graph/role_of.h"

namespace sluice {

// The loop reads it, so it is placed before the loop.
Result<Node*> ForwardCheckpoints::AddBefore(std::string_view op,
                                            std::span<const Value> inputs,
                                            const Attrs& attrs) {
  SL_ASSIGN_OR_RETURN(Node * node, AddBeside(graph_, *loop_.region(), loop_, op,
                                             inputs, attrs));
  graph_.MoveBefore(*node, loop_);
  return node;
}

// At the start of the body, before carried values are used up.
Result<Node*> ForwardCheckpoints::AddFirst(std::string_view op,
                                           std::span<const Value> inputs,
                                           const Attrs& attrs) {
  SL_ASSIGN_OR_RETURN(Node * node,
                      AddBeside(graph_, body_, loop_, op, inputs, attrs));
  auto nodes = body_.nodes();
  size_t top = 0;
  if (choice_) {
    top = static_cast<size_t>(std::find(nodes.begin(), nodes.end(), choice_) -
                              nodes.begin()) +
          1;
  }
  if (nodes[top] != node) graph_.MoveBefore(*node, *nodes[top]);
  return node;
}

Status ForwardCheckpoints::Prepare() {
  for (int i = 0; i < loop_.num_inputs(); ++i) {
    const Value& next = body_.results()[static_cast<size_t>(i)];
    if (RoleOf(next) == Role::kCheckpointChoice && next.index == 2 &&
        next.node->region() == &body_ && next.node->input(1) == body_.arg(i)) {
      state_ = i;
      choice_ = next.node;
      return OkStatus();
    }
  }
  SL_ASSIGN_OR_RETURN(
      Node * start,
      AddBefore("Const", {}, {{"value", Array::Vector<int64_t>({1, 0, 0})}}));
  SL_ASSIGN_OR_RETURN(state_, CarryMore(graph_, loop_, start->output(),
                                        start->output().type(), "checkpoints"));
  Value in[] = {body_.arg(trips_), body_.arg(state_)};
  SL_ASSIGN_OR_RETURN(
      choice_, AddFirst("CheckpointChoice", in,
                        {{"budget", loop_.attrs().get<int64_t>("budget")}}));
  SetNext(graph_, loop_, state_, choice_->output(2));
  return OkStatus();
}

Result<int> ForwardCheckpoints::Keep(int i) {
  for (int k = 0; k < loop_.num_inputs(); ++k) {
    const Node& kept = *body_.results()[static_cast<size_t>(k)].node;
    if (RoleOf(kept) == Role::kListCheckpoint &&
        kept.input(0) == body_.arg(k) && kept.input(1) == body_.arg(i) &&
        kept.input(2) == choice_->output(0)) {
      return k;
    }
  }
  SL_ASSIGN_OR_RETURN(
      Node * zero,
      AddBefore("Const", {}, {{"value", Array::Scalar<int64_t>(0)}}));
  Value size = zero->output();
  const ValueType type = body_.arg(i).type();
  SL_ASSIGN_OR_RETURN(
      Node * list, AddBefore("ListNew", {&size, 1},
                             {{"dtype", type.dtype}, {"shape", type.shape}}));
  SL_ASSIGN_OR_RETURN(int at, CarryMore(graph_, loop_, list->output(),
                                        list->output().type(), "checkpoint"));
  if (loop_.attrs().get<int64_t>("budget") > 0) {
    std::vector<Value> in(choice_->inputs().begin(), choice_->inputs().end());
    in.push_back(body_.arg(i));
    graph_.SetInputs(*choice_, std::move(in));
  }
  Value in[] = {body_.arg(at), body_.arg(i), choice_->output(0),
                choice_->output(1)};
  SL_ASSIGN_OR_RETURN(Node * kept, AddFirst("ListCheckpoint", in));
  SetNext(graph_, loop_, at, kept->output());
  return at;
}

}  // namespace sluice
