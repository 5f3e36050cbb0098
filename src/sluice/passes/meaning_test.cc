#include "sluice/op/resource.h"
#include "sluice/passes/pass_test_util.h"
#include "sluice/reference/reference_interpreter.h"

namespace sluice {

std::vector<std::string> Meaning(const Graph& graph,
                                 const std::vector<Array>& args) {
  ResourceManager resources;
  StepContext step;
  step.resources = &resources;
  step.step_id = 1;
  step.seed = 7;
  Result<std::vector<Array>> out = Interpret(graph, args, step);
  if (!out.ok()) return {out.status().ToString()};
  std::vector<std::string> texts;
  for (const Array& array : *out) {
    texts.push_back(array.TypeText() + " " + array.ToString(1 << 20));
    if (!IsPlainData(array.dtype())) continue;
    Array flat = *array.AsContiguous();  // text may round
    texts.emplace_back(static_cast<const char*>(flat.raw()),
                       static_cast<size_t>(flat.bytes()));
  }
  return texts;
}

}  // namespace sluice
