// A network over trees by recursion: the state of a node is computed from the
// sum of its children's, as in a child-sum tree LSTM, by a function that calls
// itself. It learns what logical expressions are worth.
//
//   sl::loops::Tree tree = sl::loops::random_tree(/*seed=*/1, /*depth=*/4);
//   auto weights = sl::loops::tree_weights(16, sl::f32, /*seed=*/1);
//   sl::loops::TreeValue value = sl::loops::evaluate(weights, tree);
//   value.loss.backward();
//
// In a captured function the recursion is part of the graph, which is as large
// as the code, whatever the trees are like; one trace serves all of them.
#pragma once

#include <sluice/sluice.h>

#include <vector>

namespace sluice::loops {

enum TreeSymbol : int64_t { kFalse, kTrue, kNot, kAnd, kOr, kNumSymbols };

// Nodes by number, the root first. Vectors of one length; a node's children by
// their numbers, -1 where there is none.
struct Tree {
  Tensor symbols, left, right;  // i64
  Tensor truth;                 // f32: 1 where the expression is true

  std::vector<Tensor> tensors() const { return {symbols, left, right, truth}; }
};

// The same for the same seed, everywhere.
Tree random_tree(uint64_t seed, int64_t depth);
// The truth of node `at`, by plain recursion.
bool truth_of(const std::vector<int64_t>& symbols,
              const std::vector<int64_t>& left,
              const std::vector<int64_t>& right, int64_t at = 0);

// Leaves that require gradients: embeddings of symbols, weights from children
// to gates and to what each forgets, biases, and those of the answer.
std::vector<Tensor> tree_weights(int64_t hidden, DType dtype, uint64_t seed);

struct TreeValue {
  Tensor logit;  // of the root: positive for true
  Tensor loss;   // mean over all nodes, each asked for its own truth
};
TreeValue evaluate(const std::vector<Tensor>& weights, const Tree& tree);

}  // namespace sluice::loops
