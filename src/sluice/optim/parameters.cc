#include "sluice/optim/parameters.h"

#include "sluice/front/state_dict.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void Parameters::Add(std::string name, const Tensor& tensor) {
  std::string which =
      name.empty() ? StrCat(entries_.size()) : StrCat("\"", name, "\"");
  if (!tensor.defined()) {
    Refuse(StrCat("parameter ", which, " is a Tensor that holds nothing"));
  }
  if (tensor.symbolic()) {
    Refuse(StrCat("parameter ", which, " is \"", tensor.name(),
                  "\", a value of a graph; wanted a variable"));
  }
  entries_.push_back({std::move(name), Variable(tensor)});
}

Parameters::Parameters(const std::vector<Tensor>& tensors) {
  for (const Tensor& t : tensors) Add({}, t);
}

Parameters::Parameters(
    const std::vector<std::pair<std::string, Tensor>>& named) {
  for (const auto& [name, tensor] : named) Add(name, tensor);
}

Parameters::Parameters(const StateDict& named) {
  for (const auto& [name, tensor] : named) Add(name, tensor);
}

Parameters::Parameters(const std::vector<Variable>& variables) {
  for (const Variable& v : variables) {
    if (!v.defined()) {
      Refuse(StrCat("parameter ", entries_.size(),
                    " is a Variable that holds nothing"));
    }
    entries_.push_back({v.symbolic() ? v.name() : std::string(), v});
  }
}

}  // namespace sluice::optim
