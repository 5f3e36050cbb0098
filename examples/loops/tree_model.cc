#include <random>

#include "examples/loops/tree.h"

namespace sluice::loops {

namespace {

struct Nodes {
  std::vector<int64_t> symbols, left, right;

  // Appends an expression; returns its number. Only what the generator draws
  // itself is used of it, which is the same everywhere.
  int64_t Add(std::mt19937_64& draw, int64_t depth) {
    auto at = static_cast<int64_t>(symbols.size());
    bool leaf = depth <= 0 || draw() % 5 == 0;
    auto symbol = static_cast<int64_t>(leaf ? draw() % 2 : 2 + draw() % 3);
    symbols.push_back(symbol);
    left.push_back(-1);
    right.push_back(-1);
    if (leaf) return at;
    int64_t first = Add(draw, depth - 1);
    left[static_cast<size_t>(at)] = first;
    if (symbol == kNot) return at;
    int64_t second = Add(draw, depth - 1);
    right[static_cast<size_t>(at)] = second;
    return at;
  }
};

struct Weights {
  Tensor symbols;        // [kNumSymbols, 4 h]: gates before children are heard
  Tensor gates, forget;  // [h, 3 h], [h, h]
  Tensor answer, bias;   // [h, 1], []
  int64_t hidden;

  explicit Weights(const std::vector<Tensor>& w)
      : symbols(w[0]),
        gates(w[1]),
        forget(w[2]),
        answer(w[3]),
        bias(w[4]),
        hidden(w[2].dim(0)) {}
};

// What a node hands up: output, memory (both [1, h]), losses of it and all
// below.
using State = std::tuple<Tensor, Tensor, Tensor>;

}  // namespace

bool truth_of(const std::vector<int64_t>& symbols,
              const std::vector<int64_t>& left,
              const std::vector<int64_t>& right, int64_t at) {
  auto k = static_cast<size_t>(at);
  auto of = [&](int64_t child) {
    return truth_of(symbols, left, right, child);
  };
  switch (symbols[k]) {
    case kNot:
      return !of(left[k]);
    case kAnd:
      return of(left[k]) && of(right[k]);
    case kOr:
      return of(left[k]) || of(right[k]);
    default:
      return symbols[k] == kTrue;
  }
}

Tree random_tree(uint64_t seed, int64_t depth) {
  std::mt19937_64 draw(seed);
  Nodes nodes;
  nodes.Add(draw, depth);
  auto n = static_cast<int64_t>(nodes.symbols.size());
  std::vector<float> truth;
  for (int64_t i = 0; i < n; ++i) {
    truth.push_back(truth_of(nodes.symbols, nodes.left, nodes.right, i));
  }
  return {constant(Array::Vector(nodes.symbols)),
          constant(Array::Vector(nodes.left)),
          constant(Array::Vector(nodes.right)),
          constant(Array::Of<float>({n}, truth))};
}

std::vector<Tensor> tree_weights(int64_t hidden, DType dtype, uint64_t seed) {
  auto uniform = [&](const PartialSizes& shape, double reach, int64_t which) {
    Tensor unit = keyed_uniform(static_cast<int64_t>(seed), shape,
                                {.dtype = dtype, .seed = which});
    return (2 * reach * unit - reach).detach().clone().requires_grad_();
  };
  double reach = 1 / std::sqrt(static_cast<double>(hidden));
  return {uniform({kNumSymbols, 4 * hidden}, 1, 0),
          uniform({hidden, 3 * hidden}, reach, 1),
          uniform({hidden, hidden}, reach, 2), uniform({hidden, 1}, reach, 3),
          uniform(Shape(), 0.1, 4)};
}

TreeValue evaluate(const std::vector<Tensor>& weights, const Tree& tree) {
  const Weights w(weights);
  DType dtype = w.bias.dtype();
  Tensor truth = cast(tree.truth, dtype);
  auto answer = [&](const Tensor& output) {
    return reshape(matmul(output, w.answer), {}) + w.bias;
  };
  Recursive<State(Tensor)> visit([&](const auto& self, Tensor node) -> State {
    auto child = [&](const Tensor& links) -> State {
      Tensor to = gather(links, node);
      Tensor nothing = zeros({1, w.hidden}, dtype);
      return cond(
          to < 0, [&] { return State(nothing, nothing, zeros({}, dtype)); },
          [&] { return self(to); });
    };
    auto [h1, c1, loss1] = child(tree.left);
    auto [h2, c2, loss2] = child(tree.right);
    // Of the symbol: three gates, and what is added to those of children.
    std::vector<Tensor> own =
        split(reshape(gather(w.symbols, gather(tree.symbols, node)),
                      {1, 4 * w.hidden}),
              4, {.axis = 1});
    std::vector<Tensor> heard = split(matmul(h1 + h2, w.gates), 3, {.axis = 1});
    Tensor in = sigmoid(own[0] + heard[0]);
    Tensor out = sigmoid(own[1] + heard[1]);
    Tensor fresh = tanh(own[2] + heard[2]);
    Tensor memory = in * fresh + sigmoid(own[3] + matmul(h1, w.forget)) * c1 +
                    sigmoid(own[3] + matmul(h2, w.forget)) * c2;
    Tensor output = out * tanh(memory);
    Tensor loss = bce_with_logits_loss(answer(output), gather(truth, node));
    return State(output, memory, loss + loss1 + loss2);
  });
  auto [output, memory, losses] = visit(constant(int64_t{0}));
  Tensor count = cast(size(tree.symbols), dtype);
  return {answer(output), losses / count};
}

}  // namespace sluice::loops
