// Trees: nested tuples, lists, dicts, named tuples and dataclasses, None, Lists
// and what else is registered, with leaves that are everything else. A TreeDef
// is such a value with its leaves taken out. The leaf of a List is its tensor.
//
// Immutable; shared by copies. Under the GIL.
#pragma once

#include <memory>
#include <span>

#include "common.h"

namespace sluice::py {

class TreeDef {
 public:
  struct Node;

  // Leaves in order: of dicts by key, when all keys are strings.
  static TreeDef Flatten(nb::handle tree, std::vector<nb::object>& leaves);
  // The same with all that objects consist of: the class of a tuple, and
  // attributes that are no fields. What code is called with.
  static TreeDef FlattenWhole(nb::handle tree, std::vector<nb::object>& leaves);
  // The leaves of a tree of this very structure; false for any other. What a
  // captured function asks at every call.
  bool Collect(nb::handle tree, std::vector<nb::object>& leaves) const;
  // Where each leaf is: "x[0].weight['a']", of a tree called "x".
  void Names(const std::string& tree, std::vector<std::string>& names) const;
  // Throws ValueError when there are too few or too many.
  nb::object Unflatten(std::span<const nb::object> leaves) const;

  size_t num_leaves() const { return num_leaves_; }
  bool operator==(const TreeDef& o) const;
  // "(*, {a: *})": leaves are stars, or another word.
  std::string ToString(std::string_view leaf = "*") const;

 private:
  std::shared_ptr<const Node> root_;
  size_t num_leaves_ = 0;
};

// Tensors as leaves, and whatever else an op takes as a tensor; `what` names
// the tree in messages.
TreeDef FlattenTensors(nb::handle tree, std::string_view what,
                       std::vector<Tensor>& tensors);
nb::object UnflattenTensors(const TreeDef& tree,
                            const std::vector<Tensor>& tensors);

// tree_flatten, tree_unflatten, tree_register, TreeDef.
void BindTree(nb::module_& m);

}  // namespace sluice::py
