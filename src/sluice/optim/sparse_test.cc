// Sparse gradients: rows that are touched follow the published rule, with the
// sum of what several uses of a row give; the others stay as they are.
#include "sluice/optim/optim_test_util.h"

namespace sluice::optim {
namespace {

constexpr int kSteps = 6;
constexpr int64_t kRows = 5, kColumns = 2;

// Row 4 is never used, row 1 twice in each step.
std::vector<int64_t> Ids(int t) { return {1, t % 2 == 0 ? 3 : 0, 1, 2}; }

// Untouched slots do not decay either; t counts all steps.
Doubles ByFormula(const Case& c) {
  Doubles p = Start(kRows * kColumns);
  std::vector<Cell> cells(p.size());
  for (size_t i = 0; i < p.size(); ++i) cells[i].p = p[i];
  for (int t = 1; t <= kSteps; ++t) {
    Doubles g = Gradient(4 * kColumns, t);
    std::map<size_t, double> sums;
    for (size_t i = 0; i < 4; ++i) {
      auto row = static_cast<size_t>(Ids(t)[i]);
      for (size_t k = 0; k < kColumns; ++k) {
        sums[row * kColumns + k] += g[i * kColumns + k];
      }
    }
    for (auto [at, sum] : sums) c.formula(cells[at], sum, t);
  }
  for (size_t i = 0; i < p.size(); ++i) p[i] = cells[i].p;
  return p;
}

Floats Train(const Case& c, bool captured) {
  Tensor p = TensorOf<float>({kRows, kColumns}, Start(kRows * kColumns));
  p.requires_grad_();
  auto optimizer = c.with({p});
  auto body = [&](Tensor ids, Tensor g) {
    optimizer->zero_grad();
    sum(gather(p, ids) * g).backward();
    EXPECT_TRUE(p.grad().is_sparse());
    optimizer->step();
  };
  auto recorded = function(body);
  for (int t = 1; t <= kSteps; ++t) {
    Tensor ids = constant(Array::Vector(std::span<const int64_t>(Ids(t))));
    Tensor g = TensorOf<float>({4, kColumns}, Gradient(4 * kColumns, t));
    captured ? recorded(ids, g) : body(ids, g);
  }
  return p.to_vector<float>();
}

Floats Deferred(const Case& c) {
  Graph graph;
  Tensor ids, g;
  Variable p;
  Operation train;
  {
    GraphScope building(graph);
    ids = placeholder(DType::kI64, {any});
    g = placeholder(DType::kF32, {any, kColumns});
    p = variable(TensorOf<float>({kRows, kColumns}, Start(kRows * kColumns)));
    auto optimizer = c.without();
    auto gradients = optimizer->compute_gradients(sum(gather(p, ids) * g));
    EXPECT_TRUE(gradients[0].grad.is_sparse());
    train = optimizer->apply_gradients(gradients);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  for (int t = 1; t <= kSteps; ++t) {
    session.run(train, {{ids, Array::Vector(std::span<const int64_t>(Ids(t)))},
                        {g, ArrayOf<float>({4, kColumns}, Gradient(8, t))}});
  }
  return Elements<float>(session.run(p));
}

TEST(SparseUpdates, Imperatively) {
  for (const Case& c : RowWiseCases()) {
    SCOPED_TRACE(c.name);
    ExpectNear(Train(c, false), ByFormula(c));
  }
}

TEST(SparseUpdates, OpByOp) {
  NanTrap trap;
  for (const Case& c : RowWiseCases()) {
    SCOPED_TRACE(c.name);
    ExpectNear(Train(c, false), ByFormula(c));
  }
}

TEST(SparseUpdates, Captured) {
  for (const Case& c : RowWiseCases()) {
    SCOPED_TRACE(c.name);
    ExpectNear(Train(c, true), ByFormula(c));
  }
}

TEST(SparseUpdates, InGraphs) {
  for (const Case& c : RowWiseCases()) {
    SCOPED_TRACE(c.name);
    ExpectNear(Deferred(c), ByFormula(c));
  }
}

TEST(SparseUpdates, LeaveOtherRowsAndSlotsAlone) {
  Tensor p = ones({4, 2}).clone().requires_grad_();
  Adagrad optimizer(
      {p}, {.lr = 0.5, .weight_decay = 0.1, .initial_accumulator_value = 2});
  sum(gather(p, constant({2, 2}))).backward();
  optimizer.step();
  Floats now = p.to_vector<float>();
  for (size_t i : {0u, 1u, 2u, 3u, 6u, 7u}) EXPECT_EQ(now[i], 1);
  EXPECT_LT(now[4], 1);
  Floats sums = optimizer.state_dict().at("0.sum").to_vector<float>();
  EXPECT_EQ(sums[0], 2);
  EXPECT_NEAR(sums[4], 2 + 2.1 * 2.1, 1e-5);
}

TEST(SparseUpdates, OfNoRowsAtAll) {
  for (const Case& c : RowWiseCases()) {
    SCOPED_TRACE(c.name);
    Tensor p = ones({4, 2}).clone().requires_grad_();
    auto optimizer = c.with({p});
    sum(gather(p, Tensor(MakeRef<EagerValue>(Array::Zeros(DType::kI64, {0})))))
        .backward();
    optimizer->step();
    EXPECT_EQ(p.to_vector<float>(), Floats(8, 1));
  }
}

TEST(SparseUpdates, AreDenseWhereRowsDependOnEachOther) {
  auto train = [](bool sparse) {
    Tensor p = TensorOf<float>({3, 2}, Start(6)).requires_grad_();
    Adafactor optimizer({p});
    Tensor ids = constant({0, 2});
    Tensor rows = gather(p, ids);
    Tensor g = grad(sum(rows * rows), p, {.dense = !sparse});
    p.set_grad(g);
    optimizer.step();
    return p.to_vector<float>();
  };
  EXPECT_EQ(train(true), train(false));
}

}  // namespace
}  // namespace sluice::optim
