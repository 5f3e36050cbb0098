#include "sluice/front/resource.h"

#include "sluice/eager/scope.h"

namespace sluice::front_internal {

Tensor MakeHandle(std::string_view op, Attrs attrs,
                  const ResourceOptions& options, std::source_location where) {
  attrs.set("container", options.container);
  attrs.set("shared_name", options.shared_name);
  return AddNode({.op = op,
                  .attrs = &attrs,
                  .name = options.name,
                  .line = SourceLine::From(where),
                  .without_controls = true})
      .output();
}

Operation UseHandle(std::string_view op, const Tensor& handle,
                    std::span<const Operand> operands, const Attrs& attrs,
                    std::source_location where) {
  std::vector<Operand> inputs{handle};
  inputs.insert(inputs.end(), operands.begin(), operands.end());
  return AddNode({.op = op,
                  .inputs = inputs,
                  .attrs = &attrs,
                  .line = SourceLine::From(where),
                  .graph = &handle.graph()});
}

std::vector<Tensor> Outputs(const Operation& operation) {
  std::vector<Tensor> outputs;
  for (int i = 0; i < operation.num_outputs(); ++i) {
    outputs.push_back(operation.output(i));
  }
  return outputs;
}

}  // namespace sluice::front_internal
