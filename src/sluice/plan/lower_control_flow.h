// Lowering: conditionals, loops and calls written as the primitives of the
// token machine. Regions are laid flat into the root: what a branch reads
// passes a Switch, what a loop reads enters its frame, results meet in Merges
// and leave by Exits. Calls are written out, recursive ones become functions
// that take what they capture as arguments.
//
// The lowered graph is wiring. What a node is, its name, line, key and what an
// error says of it, is found at the node it stands for, in the source graph,
// which must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/graph/effects.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// A source node, and the calls around it that were written out, innermost
// first.
struct Origin {
  const Node* node = nullptr;
  std::vector<const Node*> calls;
};

// A region op or call left whole for Bytecode: in the lowered graph a Call
// of no function, whose operands stand for these values of the source.
struct BytecodePiece {
  const Node* source = nullptr;
  std::unordered_map<Value, Value, ValueHash> values;
};

struct Lowered {
  std::unique_ptr<Graph> graph;
  // Order alone: `after` waits for `before`, dead or alive.
  std::vector<EffectEdge> order;
  std::unordered_map<const Node*, Origin> origins;
  std::unordered_map<std::string, Origin> frames;  // the loop of each frame
  std::unordered_map<const Node*, BytecodePiece> bytecodes;
  // The function each remaining call runs.
  std::unordered_map<const Node*, const Node*> callees;
  // Identities that stand for no node: they only pass a value on.
  std::unordered_set<const Node*> passes;
};

// Why a region op or call cannot be left whole; empty: it can, for Bytecode.
using WhyNotWhole = std::function<std::string(const Node&)>;

// Whether the graph has something to lower: what cannot be left whole.
bool NeedsLowering(const Graph& graph, const WhyNotWhole& why);

// `why` must outlive the call alone. Errors: a call of what is no function.
Result<Lowered> LowerControlFlow(const Graph& source, const WhyNotWhole& why);

}  // namespace sluice
