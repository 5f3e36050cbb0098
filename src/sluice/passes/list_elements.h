// ListElements: static facts about the elements of lists: their shape, whether
// all are written, and how many there are. It follows lists through loops and
// branches, so that a loop that reads what another loop kept knows the sizes.
//
// A snapshot, computed on construction; later changes of the graph do not
// affect it. Any thread may read it.
#pragma once

#include <memory>
#include <unordered_map>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct KnownElements {
  bool none = true;    // nothing has been written
  PartialShape shape;  // of all written elements
  bool holes = false;  // some elements may be unwritten
  int64_t size = -1;   // -1: not known
  // For elements that are lists; null: nothing is known about those.
  std::shared_ptr<const KnownElements> inner{};

  bool operator==(const KnownElements& other) const;
};

class ListElements {
 public:
  explicit ListElements(const Graph& graph);

  // Null if nothing is known.
  const KnownElements* Find(const Value& list) const;

 private:
  using Known = std::shared_ptr<const KnownElements>;
  static Known Joined(const Known& a, const Known& b);
  static Known With(const Known& list, const Value& x, const Known& inner);

  void Visit(const Region& region);
  void VisitLoop(const Node& loop);
  void VisitOp(const Node& node);
  void FinishLoop(const Node& loop);
  Known At(const Value& v) const;

  std::unordered_map<Value, Known, ValueHash> known_;
};

}  // namespace sluice
