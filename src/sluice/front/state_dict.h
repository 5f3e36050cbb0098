// StateDict: tensors with names, in the order they were put in. What modules,
// optimizers and whatever else survives a program hand to a checkpoint, and
// take back from one.
//
//   sl::StateDict state = net.state_dict();       // "fc1.weight", "fc1.bias"
//   state.append("optimizer.", optimizer.state_dict());
//
// A plain value; the tensors in it are handles, not copies. Not thread safe.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice {

class StateDict {
 public:
  using Entry = std::pair<std::string, Tensor>;

  StateDict() = default;
  StateDict(std::initializer_list<Entry> entries);

  // Puts a tensor at the end, or in the place of the one of that name.
  void set(std::string_view name, Tensor tensor);
  // Everything of `other`, each name behind `prefix`.
  void append(std::string_view prefix, const StateDict& other);
  // What has names beginning with `prefix`, without it.
  StateDict below(std::string_view prefix) const;

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // Null when there is none.
  const Tensor* find(std::string_view name) const;
  // Throws when there is none; the message lists names like it.
  const Tensor& at(std::string_view name) const;

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> index_;
};

}  // namespace sluice
