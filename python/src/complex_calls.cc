#include "complex_calls.h"

#include <algorithm>

#include "attr_value.h"

namespace sluice::py {

bool MeetsComplex(const OpRecord& op, std::span<const Given> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != DType::kC64 || op.inputs.empty()) continue;
    const ArgSpec& spec = op.inputs[std::min(i, op.inputs.size() - 1)];
    const TypeVar* type = op.FindType(spec.type);
    if (type && !type->allowed.contains(DType::kC64)) return true;
  }
  return false;
}

bool CallOnParts(const OpRecord& op, std::span<const Given> inputs,
                 const Attrs& attrs, CallResult* result) {
  nb::list operands;
  for (const Given& in : inputs) {
    operands.append(Wrap(in.tensor.defined() ? in.tensor : TensorOf(in.array)));
  }
  nb::dict options;
  for (const AttrSpec& spec : op.attrs) {
    const AttrValue* value = attrs.find(spec.name);
    if (value) options[spec.name.c_str()] = AttrToPython(*value);
  }
  nb::object made = nb::module_::import_("sluice._complex_calls")
                        .attr("call")(op.name.c_str(), operands, options);
  if (made.is(nb::handle(Py_NotImplemented))) return false;
  result->tensors.push_back(AsTensor(made));
  return true;
}

}  // namespace sluice::py
