// Stretch: the nodes that lead from some values of a graph to others, as they
// are now, to be built again later, in the same graph or a copy of it, when the
// code that made them is gone or would make something else.
//
// Owns a copy of the nodes. Reading it is thread safe; the graphs it copies
// from and to are locked by the caller.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class Stretch {
 public:
  // The nodes of `home` with numbers from `first` on that `ys` are made of.
  // Error: they read what nothing can stand for.
  static Result<Stretch> Make(const Region& home, int first,
                              std::span<const Value> ys);

  // What the ys are made from, before.
  const std::vector<Value>& reads() const { return reads_; }

  // Builds the nodes once more at the end of `region`, from these values
  // instead of reads(). Returns what the ys are there.
  std::vector<Value> Build(Graph& graph, Region& region,
                           std::span<const Value> from) const;

 private:
  Stretch() = default;
  Status StandFor(const Value& read);

  std::vector<Value> reads_;
  std::unique_ptr<Graph> own_ = std::make_unique<Graph>("stretch");
  std::vector<Value> stand_ins_;  // for reads(), in own_
  std::vector<const Node*> nodes_;
  std::vector<Value> ys_;  // in own_, too
};

}  // namespace sluice
