// Stretch: the nodes that compute some values of a graph from others, copied so
// that they can be built again later, in the same graph or a copy, when the
// code that built them is gone or would build something else.
//
// Owns a copy of the nodes. Reading it is thread safe; the caller locks the
// graphs it copies from and to.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class Stretch {
 public:
  // Copies the nodes of `home` with ids from `first` on that `ys` depend on.
  // Error: they read a value that no placeholder can represent.
  static Result<Stretch> Make(const Region& home, int first,
                              std::span<const Value> ys);

  // The earlier values that the ys are computed from.
  const std::vector<Value>& reads() const { return reads_; }

  // Builds the nodes again at the end of `region`, with these values instead of
  // reads(). Returns the new ys.
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
