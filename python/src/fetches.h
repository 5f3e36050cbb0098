// What a run is asked for: any tree of tensors, operations, variables and
// names, walked once into words that tell one choice from another, and into
// what the results are put back together by.
//
// Lives for one run. Under the GIL.
#pragma once

#include "common.h"
#include "sluice/base/small_vector.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "tree.h"

namespace sluice::py {

// The words of feeds, fetches and options: equal ones mean the same run. Nodes
// stand for themselves, for graphs never drop one; names are spelled out.
using KeyWords = SmallVector<uint64_t, 24>;

// A value or an operation of a graph.
struct Target {
  Value value;
  Node* run = nullptr;  // set: an operation, run for what it does
};
// Where an object stands among fetches or feeds, for messages.
struct Place {
  const char* what;  // "fetch"
  size_t number;
  std::string ToString() const;  // "fetch 1"
};
// Throws when the object names nothing of that graph.
Target FindTarget(Graph& graph, nb::handle object, Place place);
// Adds what FindTarget would find, as words. Throws TypeError for what is no
// tensor, operation, variable or name.
void AddWords(nb::handle object, Place place, KeyWords& words);

class FetchTree {
 public:
  // Adds the words of all leaves.
  FetchTree(nb::handle fetches, KeyWords& words);

  const SmallVector<nb::object, 4>& leaves() const { return leaves_; }
  // The tree with one object for each leaf.
  nb::object Rebuild(std::span<const nb::object> results) const;

 private:
  enum class Kind : uint8_t { kLeaf, kTuple, kList, kTree };
  struct Part {
    Kind kind;
    uint32_t count;  // of elements; of a tree its place in trees_
  };
  void Walk(nb::handle object, int depth, KeyWords& words);
  nb::object Build(std::span<const nb::object>& results, size_t& part) const;

  SmallVector<nb::object, 4> leaves_;
  SmallVector<Part, 8> parts_;
  std::vector<TreeDef> trees_;
};

}  // namespace sluice::py
