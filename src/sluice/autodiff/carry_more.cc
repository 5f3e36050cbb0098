#include "sluice/autodiff/carry_more.h"

#include "sluice/base/strings.h"

namespace sluice {

Result<int> CarryMore(Graph& graph, Node& loop, Value start, ValueType type,
                      std::string_view name) {
  int at = loop.num_inputs();
  std::vector<Value> inputs(loop.inputs().begin(), loop.inputs().end());
  inputs.push_back(start);
  graph.SetInputs(loop, std::move(inputs));
  std::vector<DType> dtypes;
  std::vector<ValueType> types;
  for (int i = 0; i < at; ++i) types.push_back(loop.output_type(i));
  types.push_back(type);
  for (const ValueType& t : types) dtypes.push_back(t.dtype);
  for (const auto& region : loop.regions()) {
    SL_RETURN_IF_ERROR(
        graph.AddArg(*region, StrCat(name, "_", at), type).status());
  }
  graph.SetAttr(loop, "dtypes", dtypes);
  graph.SetOutputs(loop, std::move(types));
  return at;
}

void SetNext(Graph& graph, Node& loop, int carried, Value next) {
  Region& body = *loop.regions()[1];
  std::vector<Value> results(body.results().begin(), body.results().end());
  if (results.size() <= static_cast<size_t>(carried)) {
    results.resize(static_cast<size_t>(carried) + 1);
  }
  results[static_cast<size_t>(carried)] = next;
  graph.SetResults(body, std::move(results));
}

}  // namespace sluice
