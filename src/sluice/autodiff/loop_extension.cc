#include "sluice/autodiff/loop_extension.h"

#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/save_on_host.h"
#include "sluice/base/strings.h"
#include "sluice/graph/role_of.h"

namespace sluice {

bool LoopExtension::IsConstant(const Value& v, int64_t n) const {
  if (n == 0 && RoleOf(v) == Role::kZerosLike) {
    return v.dtype() == DType::kI64 && v.shape().rank() == 0;
  }
  const Array* value = ConstantValue(v);
  return value && value->dtype() == DType::kI64 && value->num_elements() == 1 &&
         *value->data<int64_t>() == n;
}

// The loop reads it, so it is placed before the loop.
Result<Node*> LoopExtension::AddBefore(std::string_view op,
                                       std::span<const Value> inputs,
                                       const Attrs& attrs) {
  SL_ASSIGN_OR_RETURN(Node * node, AddBeside(graph_, *loop_.region(), loop_, op,
                                             inputs, attrs));
  graph_.MoveBefore(*node, loop_);
  return node;
}

Result<int> LoopExtension::Carry(Value start, const char* name) {
  int at = loop_.num_inputs();
  std::vector<Value> inputs(loop_.inputs().begin(), loop_.inputs().end());
  inputs.push_back(start);
  graph_.SetInputs(loop_, std::move(inputs));
  std::vector<DType> dtypes;
  std::vector<ValueType> types;
  for (int i = 0; i < at; ++i) types.push_back(loop_.output_type(i));
  types.push_back(start.type());
  for (const ValueType& type : types) dtypes.push_back(type.dtype);
  for (const auto& region : loop_.regions()) {
    SL_RETURN_IF_ERROR(
        graph_.AddArg(*region, StrCat(name, "_", at), start.type()).status());
  }
  graph_.SetAttr(loop_, "dtypes", dtypes);
  graph_.SetOutputs(loop_, std::move(types));
  return at;
}

void LoopExtension::SetNext(int carried, Value next) {
  std::vector<Value> results(body_.results().begin(), body_.results().end());
  results.resize(static_cast<size_t>(carried) + 1);
  results[static_cast<size_t>(carried)] = next;
  graph_.SetResults(body_, std::move(results));
}

Result<int> LoopExtension::CountTrips() {
  for (int i = 0; i < loop_.num_inputs(); ++i) {
    const Value& next = body_.results()[static_cast<size_t>(i)];
    const Node& add = *next.node;
    if (IsConstant(loop_.input(i), 0) && RoleOf(add) == Role::kAdd &&
        add.input(0) == body_.arg(i) && IsConstant(add.input(1), 1)) {
      return i;
    }
  }
  SL_ASSIGN_OR_RETURN(
      Node * zero,
      AddBefore("Const", {}, {{"value", Array::Scalar<int64_t>(0)}}));
  SL_ASSIGN_OR_RETURN(int at, Carry(zero->output(), "trips"));
  SL_ASSIGN_OR_RETURN(Node * one,
                      AddBeside(graph_, body_, loop_, "Const", {},
                                {{"value", Array::Scalar<int64_t>(1)}}));
  Value in[] = {body_.arg(at), one->output()};
  SL_ASSIGN_OR_RETURN(Node * next, AddBeside(graph_, body_, loop_, "Add", in));
  SetNext(at, next->output());
  return at;
}

Result<int> LoopExtension::Keep(const Value& v) {
  for (int i = 0; i < loop_.num_inputs(); ++i) {
    const Node& append = *body_.results()[static_cast<size_t>(i)].node;
    if (RoleOf(append) == Role::kListAppend &&
        append.input(0) == body_.arg(i) && IsSame(append.input(1), v) &&
        RoleOf(loop_.input(i)) == Role::kListNew) {
      return i;
    }
  }
  SL_ASSIGN_OR_RETURN(
      Node * zero,
      AddBefore("Const", {}, {{"value", Array::Scalar<int64_t>(0)}}));
  Value size = zero->output();
  SL_ASSIGN_OR_RETURN(
      Node * list,
      AddKeeping(graph_, *loop_.region(), loop_, "ListNew", {&size, 1},
                 {{"dtype", v.dtype()}, {"shape", v.shape()}}));
  graph_.MoveBefore(*list, loop_);
  SL_ASSIGN_OR_RETURN(int at, Carry(list->output(), "kept"));
  SL_ASSIGN_OR_RETURN(Value kept, SwappedOut(graph_, loop_, v));
  Value in[] = {body_.arg(at), kept};
  SL_ASSIGN_OR_RETURN(Node * append,
                      AddKeeping(graph_, body_, loop_, "ListAppend", in));
  SetNext(at, append->output());
  return at;
}

}  // namespace sluice
