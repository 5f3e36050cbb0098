// Parameters: what an optimizer changes, as a program lists it: tensors that
// are leaves, or variables (of a graph too), with names or without.
//
//   sl::optim::SGD a(net.parameters());             // "0", "1", ...
//   sl::optim::SGD b({{"w", w}, {"b", bias}});      // "w", "b"
//   sl::optim::SGD c({w, bias});
//
// Names are what the keys of an optimizer's state begin with. Without one, a
// variable of a graph goes by its own, a tensor by its position among all
// parameters of the optimizer. A plain value.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "sluice/front/variable.h"

namespace sluice {
class StateDict;
}

namespace sluice::optim {

class Parameters {
 public:
  struct Entry {
    std::string name;  // empty: none given
    Variable variable;
  };

  Parameters() = default;
  // They throw for a Tensor that holds nothing or is part of a graph.
  Parameters(const std::vector<Tensor>& tensors);
  Parameters(std::initializer_list<Tensor> tensors)
      : Parameters(std::vector<Tensor>(tensors)) {}
  Parameters(const std::vector<std::pair<std::string, Tensor>>& named);
  Parameters(std::initializer_list<std::pair<std::string, Tensor>> named)
      : Parameters(std::vector<std::pair<std::string, Tensor>>(named)) {}
  Parameters(const StateDict& named);
  Parameters(const std::vector<Variable>& variables);
  Parameters(std::initializer_list<Variable> variables)
      : Parameters(std::vector<Variable>(variables)) {}

  const std::vector<Entry>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

 private:
  void Add(std::string name, const Tensor& tensor);

  std::vector<Entry> entries_;
};

}  // namespace sluice::optim
