// Trees: nested tuples, lists, dicts, named tuples and dataclasses, None, Lists
// and registered types; everything else is a leaf. A TreeDef is such a value
// without its leaves. The leaf of a List is its tensor.
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

  // Leaves in order; in dicts by key if all keys are strings.
  static TreeDef Flatten(nb::handle tree, std::vector<nb::object>& leaves);
  // The same with the full contents of objects: the class of a tuple, and
  // attributes that are not fields. For arguments of captured code.
  static TreeDef FlattenWhole(nb::handle tree, std::vector<nb::object>& leaves);
  // Collects the leaves of a tree with exactly this structure; false for any
  // other. A captured function does this at every call.
  bool Collect(nb::handle tree, std::vector<nb::object>& leaves) const;
  // The path of each leaf: "x[0].weight['a']", for a tree called "x".
  void Names(const std::string& tree, std::vector<std::string>& names) const;
  // Throws ValueError if there are too few or too many leaves.
  nb::object Unflatten(std::span<const nb::object> leaves) const;

  size_t num_leaves() const { return num_leaves_; }
  bool operator==(const TreeDef& o) const;
  // "(*, {a: *})": leaves are shown as stars, or another word.
  std::string ToString(std::string_view leaf = "*") const;

 private:
  std::shared_ptr<const Node> root_;
  size_t num_leaves_ = 0;
};

// Tensors as leaves, and everything else that an op accepts as a tensor; `what`
// names the tree in messages.
TreeDef FlattenTensors(nb::handle tree, std::string_view what,
                       std::vector<Tensor>& tensors);
nb::object UnflattenTensors(const TreeDef& tree,
                            const std::vector<Tensor>& tensors);

// tree_flatten, tree_unflatten, tree_register, TreeDef.
void BindTree(nb::module_& m);

}  // namespace sluice::py
