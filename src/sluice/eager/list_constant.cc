#include "sluice/eager/list_constant.h"

#include "sluice/base/strings.h"
#include "sluice/graph/node.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/tensor/list.h"

namespace sluice::front_internal {

namespace {

class ListBuilder {
 public:
  ListBuilder(Graph& graph, Region& region, const NodeOptions& options)
      : graph_(graph), region_(region), options_(options) {}

  Result<Value> Build(const Array& array) {
    const ListValue* list = ListOf(array);
    if (!list) return InvalidArgument("a list that holds nothing");
    SL_ASSIGN_OR_RETURN(Value size, Constant(Array::Scalar(list->size())));
    SL_ASSIGN_OR_RETURN(Value made, Add("ListNew", {size},
                                        {{"dtype", list->dtype()},
                                         {"shape", list->shape()},
                                         {"max_size", list->max_size()}}));
    if (list->size() == 0) return made;
    Result<Value> at_once = AllAtOnce(array, *list, made);
    if (at_once.ok()) return at_once;
    for (int64_t i = 0; i < list->size(); ++i) {
      Array e = list->at(i);
      if (!e) continue;
      SL_ASSIGN_OR_RETURN(Value index, Constant(Array::Scalar(i)));
      SL_ASSIGN_OR_RETURN(Value element, ListOf(e) ? Build(e) : Constant(e));
      SL_ASSIGN_OR_RETURN(made, Add("ListSet", {made, index, element}, {}));
    }
    return made;
  }

 private:
  Result<Value> Add(std::string_view op, std::vector<Value> inputs,
                    const Attrs& attrs) {
    SL_ASSIGN_OR_RETURN(Node * node,
                        graph_.Add(region_, op, inputs, attrs, options_));
    return node->output();
  }
  Result<Value> Constant(const Array& value) {
    return Add("Const", {}, {{"value", value}});
  }

  // One constant of all elements, when each is there and they have one shape.
  Result<Value> AllAtOnce(const Array& array, const ListValue& list,
                          Value made) {
    for (int64_t i = 0; i < list.size(); ++i) {
      if (!list.there(i) || list.dtype() == DType::kList) {
        return FailedPrecondition("not all written");
      }
    }
    const Array in[] = {array};
    SL_ASSIGN_OR_RETURN(
        std::vector<Array> all,
        RunOp(*FindOp("ListStack"), {{"dtype", list.dtype()}}, in));
    SL_ASSIGN_OR_RETURN(Value rows, Constant(all[0]));
    SL_ASSIGN_OR_RETURN(Value from, Add("ListUnstack", {rows}, {}));
    return Add("ListWriteAll", {made, from}, {});
  }

  Graph& graph_;
  Region& region_;
  const NodeOptions& options_;
};

}  // namespace

Result<Value> AddListConstant(Graph& graph, Region& region, const Array& list,
                              const NodeOptions& options) {
  return ListBuilder(graph, region, options).Build(list);
}

}  // namespace sluice::front_internal
