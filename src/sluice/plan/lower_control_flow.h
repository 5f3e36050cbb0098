// Lowering rewrites conditionals, loops and calls as the primitives of the
// token machine. Regions are flattened into the root: values that a branch
// reads pass a Switch, values that a loop reads enter its frame, results meet
// in Merges and leave through Exits. Calls are inlined. Recursive functions
// remain functions and take their captures as arguments.
//
// The lowered graph holds only the wiring. The name, line, key and error
// context of a node are those of its origin in the source graph, which must
// outlive the lowered graph. Plain functions and values, used by the thread
// that builds a plan.
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

// A source node and the inlined calls around it, innermost first.
struct Origin {
  const Node* node = nullptr;
  std::vector<const Node*> calls;
};

// A region op or call that is kept whole for Bytecode. In the lowered graph it
// is a Call without a function, whose operands stand for these source values.
struct BytecodePiece {
  const Node* source = nullptr;
  std::unordered_map<Value, Value, ValueHash> values;
};

struct Lowered {
  std::unique_ptr<Graph> graph;
  // Pure ordering: `after` waits for `before`, dead or alive.
  std::vector<EffectEdge> order;
  std::unordered_map<const Node*, Origin> origins;
  std::unordered_map<std::string, Origin> frames;  // the loop of each frame
  std::unordered_map<const Node*, BytecodePiece> bytecodes;
  // The function that each remaining call runs.
  std::unordered_map<const Node*, const Node*> callees;
  // Identities without an origin: they only pass a value on.
  std::unordered_set<const Node*> passes;
};

// Why a region op or call cannot be kept whole for Bytecode; empty if it can.
using WhyNotWhole = std::function<std::string(const Node&)>;

// Whether the graph has region ops or calls that cannot be kept whole.
bool NeedsLowering(const Graph& graph, const WhyNotWhole& why);

// `why` needs to outlive only the call. Error: a call whose callee is not a
// function.
Result<Lowered> LowerControlFlow(const Graph& source, const WhyNotWhole& why);

}  // namespace sluice
