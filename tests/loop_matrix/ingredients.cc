#include "tests/loop_matrix/programs.h"

namespace sluice::loop_matrix {

namespace {

Tensor AsF64(const Tensor& n) { return cast(n, DType::kF64); }
Tensor Row(const Around& a, const Tensor& i) {
  return gather(a.w, reshape(i, {1}));
}
Tensor Sum(const Tensors& state) { return sum(state[0] * state[0]); }

Tensors WeightStep(const Around& a, const Tensors& s) {
  return {tanh(matmul(s[0], a.w)) + 0.5 * a.x};
}

// An integer that goes its own way and says which row of w is used.
Tensors IntegerStep(const Around& a, const Tensors& s) {
  Tensor k = mod(s[1] * 3 + 2, 5);
  Tensor z = sin(s[0]) * (1.0 + 0.1 * AsF64(k)) + Row(a, mod(k, 2)) * a.x;
  return {z, k};
}

// A list that grows, is read in the middle and written over.
Tensors ListStep(const Around& a, const Tensors& s) {
  List seen(s[1], DType::kF64, {1, 2});
  seen = seen.append(tanh(s[0]) * a.x);
  Tensor middle = seen.get(floor_div(seen.size(), int64_t{2}));
  Tensor z = 0.7 * s[0] + middle * matmul(a.x, a.w);
  seen = seen.set(int64_t{0}, sin(z) + seen.get(int64_t{0}));
  return {z, seen.tensor()};
}
Tensor ListSum(const Around&, const Tensors& s) {
  Tensor all = List(s[1], DType::kF64, {1, 2}).stack();
  return sum(all * all) + Sum(s);
}

Tensors RandomStep(const Around& a, const Tensors& s) {
  Tensor u = random_uniform({1, 2}, {.dtype = DType::kF64});
  return {tanh(matmul(s[0], a.w) + u) * (1.0 + 0.3 * u) + 0.2 * a.x};
}

// A variable that is read where it is used, and one that is written.
Tensors VariableStep(const Around& a, const Tensors& s) {
  Tensor z = tanh(matmul(s[0], a.v.read())) + 0.5 * a.x;
  if (!a.count.defined()) return {z};
  a.count.assign_add(int64_t{1});
  return {z * (1.0 + 0.1 * AsF64(a.count.read()))};
}

Tensors Nothing(const Around&) { return {}; }
Tensor SumOf(const Around&, const Tensors& s) { return Sum(s); }

}  // namespace

const std::vector<Ingredient>& Ingredients() {
  static const auto* all = new std::vector<Ingredient>{
      {"weights", Nothing, WeightStep, SumOf},
      {"integers", [](const Around&) { return Tensors{constant(int64_t{1})}; },
       IntegerStep, SumOf},
      {"lists",
       [](const Around&) {
         return Tensors{List(DType::kF64, {1, 2}).tensor()};
       },
       ListStep, ListSum},
      {"random", Nothing, RandomStep, SumOf},
      {"variables", Nothing, VariableStep, SumOf},
  };
  return *all;
}

std::vector<Cell> AllCells() {
  std::vector<Cell> cells;
  for (const Kind& kind : Kinds()) {
    for (const Ingredient& with : Ingredients()) cells.push_back({kind, with});
  }
  return cells;
}

void PrintTo(const Cell& cell, std::ostream* out) { *out << cell.name(); }

Tensor Cell::Run(const Around& around) const {
  Tensors state = with.start(around);
  state.insert(state.begin(), sin(around.x));
  return with.finish(around, kind.run(around, with, state));
}

std::vector<Arrays> Points() {
  Array w = Array::Of<double>({2, 2}, {.3, -.8, .6, .9});
  return {{Array::Of<double>({1, 2}, {.4, .7}), w},
          {Array::Of<double>({1, 2}, {-.9, .2}), w}};
}

}  // namespace sluice::loop_matrix
