#include "sluice/front/raw_control_flow.h"

#include <optional>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::raw {

using front_internal::Building;

namespace {

[[noreturn]] void Refuse(std::string_view what, Where where) {
  throw Error(InvalidArgument(std::string(what))
                  .WithLine(StrCat("at ", SourceLine::From(where))));
}

// Imperatively there is nothing a value could be sent to.
void NeedGraph(std::string_view op, std::span<const Operand> operands,
               Where where) {
  if (Building::Current().graph) return;
  for (const Operand& operand : operands) {
    if (operand.is_tensor() && operand.tensor().defined() &&
        operand.tensor().symbolic()) {
      return;
    }
  }
  Refuse(StrCat("[", op,
                "] no graph is open on this thread; wanted one opened around "
                "the call, or a function being recorded"),
         where);
}

Operation Add(std::string_view op, std::span<const Operand> operands,
              const Attrs& attrs, Where where) {
  NeedGraph(op, operands, where);
  return front_internal::CallOperation(op, operands, attrs, "", where);
}

Tensor AddOne(std::string_view op, const Operand& operand, const Attrs& attrs,
              Where where) {
  return Add(op, {&operand, 1}, attrs, where).output();
}

// Held while the graph is changed, unless this thread holds it already.
class GraphLock {
 public:
  explicit GraphLock(Graph& graph) {
    if (Building::Current().locked != &graph) lock_.emplace(graph.mu());
  }

 private:
  std::optional<MutexLock> lock_;
};

}  // namespace

Switched switch_(const Operand& data, const Operand& pred, Where where) {
  const Operand operands[] = {data, pred};
  Operation made = Add("Switch", operands, {}, where);
  return {made.output(0), made.output(1)};
}

Merged merge(const OperandList& inputs, Where where) {
  Operation made = Add("Merge", inputs.list(), {}, where);
  return {made.output(0), made.output(1)};
}

Merged loop_merge(const Operand& entered, Where where) {
  // Until set_next says better, what enters stands for what comes next.
  const Operand operands[] = {entered, entered};
  Operation made = Add("Merge", operands, {}, where);
  GraphLock lock(made.graph());
  made.graph().SetOutputShape(made.node(), 0, PartialShape::Unknown());
  return {made.output(0), made.output(1)};
}

void set_next(const Tensor& merged, const Tensor& next, Where where) {
  if (!merged.defined() || !next.defined() || !merged.symbolic() ||
      !next.symbolic() || &merged.graph() != &next.graph()) {
    Refuse("[set_next] wanted two values of one graph", where);
  }
  Node& merge = *merged.value().node;
  Value from = next.value();
  if (merge.op().flow != Flow::kMerge || merge.num_inputs() != 2) {
    Refuse(StrCat("[set_next] \"", merged.name(), "\" comes from ",
                  merge.op().name, "; wanted the value of a loop_merge"),
           where);
  }
  if (from.node->op().flow != Flow::kNextIteration ||
      from.node->region() != merge.region()) {
    Refuse(StrCat("[set_next] \"", next.name(), "\" comes from ",
                  from.node->op().name,
                  "; wanted a next_iteration beside the loop_merge"),
           where);
  }
  if (from.dtype() != merge.output_type(0).dtype) {
    Refuse(StrCat("[set_next] \"", next.name(), "\" is ", from.type(),
                  "; wanted ", DTypeName(merge.output_type(0).dtype), ", as \"",
                  merged.name(), "\" is"),
           where);
  }
  GraphLock lock(merged.graph());
  if (merge.input(1) != merge.input(0)) {
    Refuse(StrCat("[set_next] \"", merged.name(), "\" reads \"",
                  merge.input(1).ToString(),
                  "\" already; wanted one set_next for each loop_merge"),
           where);
  }
  merged.graph().SetInput(merge, 1, from);
}

Tensor enter(const Operand& x, const std::string& frame,
             const EnterOptions& options, Where where) {
  return AddOne("Enter", x,
                {{"frame", frame},
                 {"constant", options.constant},
                 {"parallel", options.parallel_iterations}},
                where);
}

Tensor exit(const Tensor& x, Where where) {
  return AddOne("Exit", x, {}, where);
}

Tensor next_iteration(const Tensor& x, Where where) {
  return AddOne("NextIteration", x, {}, where);
}

Tensor loop_cond(const Tensor& pred, Where where) {
  return AddOne("LoopCond", pred, {}, where);
}

Operation control_trigger(Where where) {
  return Add("ControlTrigger", {}, {}, where);
}

}  // namespace sluice::raw
