// The fetches of a run: any tree of tensors, operations, variables and names.
// One walk produces the words that identify the choice, and the structure for
// rebuilding the results.
//
// Lives for one run. Under the GIL.
#pragma once

#include "common.h"
#include "sluice/base/small_vector.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "tree.h"

namespace sluice::py {

// The key of feeds, fetches and options: equal words mean the same run. Nodes
// are identified by address, because graphs never remove one; names are
// included as text.
using KeyWords = SmallVector<uint64_t, 24>;

// A value or an operation of a graph.
struct Target {
  Value value;
  Node* run = nullptr;  // set: an operation, run for its effects
};
// The position of an object among fetches or feeds, for messages.
struct Place {
  const char* what;  // "fetch"
  size_t number;
  std::string ToString() const;  // "fetch 1"
};
// Throws if the object names nothing in that graph.
Target FindTarget(Graph& graph, nb::handle object, Place place);
// Adds the words for what FindTarget would return. Throws TypeError for objects
// other than tensors, operations, variables and names.
void AddWords(nb::handle object, Place place, KeyWords& words);

class FetchTree {
 public:
  // Adds the words of all leaves.
  FetchTree(nb::handle fetches, KeyWords& words);

  const SmallVector<nb::object, 4>& leaves() const { return leaves_; }
  // Builds the tree with one object per leaf.
  nb::object Rebuild(std::span<const nb::object> results) const;

 private:
  enum class Kind : uint8_t { kLeaf, kTuple, kList, kTree };
  struct Part {
    Kind kind;
    uint32_t count;  // of elements; for a tree its index in trees_
  };
  void Walk(nb::handle object, int depth, KeyWords& words);
  nb::object Build(std::span<const nb::object>& results, size_t& part) const;

  SmallVector<nb::object, 4> leaves_;
  SmallVector<Part, 8> parts_;
  std::vector<TreeDef> trees_;
};

}  // namespace sluice::py
