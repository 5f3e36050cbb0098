// ListElements: what the graph shows of the elements of lists before it runs:
// their shape, whether all of them are written, how many there are. Followed
// through loops and branches, so that a loop that reads what another one kept
// knows its sizes.
//
// Looks once, when it is made; the graph may change afterwards, the answers do
// not.
#pragma once

#include <memory>
#include <unordered_map>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct KnownElements {
  bool none = true;    // nothing was written yet
  PartialShape shape;  // of all that was written
  bool holes = false;  // some may not be written
  int64_t size = -1;   // -1: not known
  // Of elements that are lists; null: nothing is known of those.
  std::shared_ptr<const KnownElements> inner{};

  bool operator==(const KnownElements& other) const;
};

class ListElements {
 public:
  explicit ListElements(const Graph& graph);

  // Null when nothing is known.
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
