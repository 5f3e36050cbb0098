#include "bindings.h"
#include "errors.h"
#include "operand.h"
#include "optim_parts.h"
#include "sluice/base/strings.h"

namespace sluice::py {

optim::Parameters ParametersOf(nb::handle pairs, std::string_view what) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::vector<Variable> variables;
  size_t count = 0;
  for (nb::handle pair : nb::iter(pairs)) {
    ++count;
    nb::object name = pair[0], object = pair[1];
    if (IsTensor(object)) {
      tensors.emplace_back(nb::cast<std::string>(name), AsTensor(object));
    } else if (Variable v; nb::try_cast<Variable>(object, v, false)) {
      // An eager variable is a normal tensor.
      if (v.symbolic()) {
        variables.push_back(v);
      } else {
        tensors.emplace_back(nb::cast<std::string>(name), v.tensor());
      }
    } else {
      ThrowTypeError(StrCat(what, ": parameter ", count - 1, " is a ",
                            Py_TYPE(object.ptr())->tp_name,
                            "; wanted a Tensor or a Variable"));
    }
  }
  if (variables.empty()) return optim::Parameters(tensors);
  if (!tensors.empty()) {
    ThrowValueError(StrCat(what,
                           ": some parameters are tensors, others variables "
                           "of a graph; wanted one kind"));
  }
  return optim::Parameters(variables);
}

void BindOptim(nb::module_& m) {
  BindOptimizers(m);
  BindSchedules(m);
  BindClip(m);
  BindGradScaler(m);
}

}  // namespace sluice::py
