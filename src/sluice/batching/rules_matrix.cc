// Products of matrices and vectors.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/batching/rules.h"

namespace sluice {

namespace {

Attrs Transposed(bool a, bool b) {
  return {{"transpose_a", a}, {"transpose_b", b}};
}

// One matrix for all lanes on the right: all rows of all lanes in one product.
// Else a stack of products.
bool MatMul(BatchContext& c) {
  bool a = c.attr<bool>("transpose_a"), b = c.attr<bool>("transpose_b");
  const PartialShape& right = c.example(1);
  // An inner size of 0 would leave the number of rows open.
  int64_t inner = right.rank() == 2 ? right[b ? 1 : 0] : -1;
  if (a || c.batched(1) || inner <= 0) {
    c.set(0, c.Call("BatchMatMul", {c.in(0), c.in(1)}, Transposed(a, b)));
    return true;
  }
  Value x = c.in(0);
  Value y = c.Call("MatMul", {c.Reshape(x, c.Ints({-1, inner})), c.in(1)},
                   Transposed(false, b));
  c.set(0, c.Reshape(y, c.Join({c.Sizes(x, 0, 2), c.Sizes(y, 1)})));
  return true;
}

// Axes before the matrices broadcast: those one side lacks go behind its lanes.
bool BatchMatMul(BatchContext& c) {
  int most = std::max(c.rank(0), c.rank(1));
  if (c.rank(0) < 2 || c.rank(1) < 2) return false;
  Emitter::Values inputs;
  for (int i : {0, 1}) {
    inputs.push_back(c.batched(i) ? c.Expand(c.in(i), 1, most - c.rank(i))
                                  : c.in(i));
  }
  return c.SetAll(inputs, c.attrs());
}

bool MatVec(BatchContext& c) {
  bool transpose = c.attr<bool>("transpose_a");
  if (!c.batched(0)) {
    c.set(0,
          c.Call("MatMul", {c.in(1), c.in(0)}, Transposed(false, !transpose)));
    return true;
  }
  Value column = c.batched(1) ? c.Expand(c.in(1), 2) : c.Expand(c.in(1), 1);
  Value y =
      c.Call("BatchMatMul", {c.in(0), column}, Transposed(transpose, false));
  c.set(0, c.Call("Squeeze", {y}, {{"axes", std::vector<int64_t>{2}}}));
  return true;
}

bool Dot(BatchContext& c) {
  Value y =
      c.Call("BatchMatMul", {c.Expand(c.full(0), 1), c.Expand(c.full(1), 2)},
             Transposed(false, false));
  c.set(0, c.Reshape(y, c.lanes()));
  return true;
}

bool Outer(BatchContext& c) {
  Value a = c.batched(0) ? c.Expand(c.in(0), 2) : c.Expand(c.in(0), 1);
  Value b = c.batched(1) ? c.Expand(c.in(1), 1) : c.in(1);
  c.set(0, c.Call("Mul", {a, b}));
  return true;
}

// One more letter, in front of the operands that have lanes and the result.
bool Einsum(BatchContext& c) {
  std::string equation = c.attr<std::string>("equation");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '),
                 equation.end());
  size_t arrow = equation.find("->");
  if (arrow == std::string::npos) return false;
  char lane = 'a';
  while (equation.find(lane) != std::string::npos) {
    if (lane == 'z') return false;
    ++lane;
  }
  std::string made;
  size_t from = 0;
  Emitter::Values inputs;
  for (int i = 0; i < c.num_inputs(); ++i) {
    size_t end = std::min(equation.find(',', from), arrow);
    if (c.batched(i)) made += lane;
    made += equation.substr(from, end - from);
    if (i + 1 < c.num_inputs()) made += ',';
    from = end + 1;
    inputs.push_back(c.in(i));
  }
  made += StrCat("->", std::string(1, lane), equation.substr(arrow + 2));
  return c.SetAll(inputs, {{"equation", made}});
}

// Queries, keys and values of each lane for themselves; masks may broadcast in
// ways that lanes in front would change.
bool Attention(BatchContext& c) {
  if (c.num_inputs() != 3) return false;
  return BatchLeading(c);
}
bool AttentionGrad(BatchContext& c) {
  if (c.num_inputs() != 6) return false;
  return c.rank(0) >= 2 && c.SetAll(c.all_full(), c.attrs());
}

}  // namespace

void AddMatrixRules(BatchRules& rules) {
  rules["MatMul"] = MatMul;
  rules["BatchMatMul"] = BatchMatMul;
  rules["MatVec"] = MatVec;
  rules["Dot"] = Dot;
  rules["Outer"] = Outer;
  rules["Einsum"] = Einsum;
  rules["Attention"] = Attention;
  rules["AttentionGrad"] = AttentionGrad;
}

}  // namespace sluice
