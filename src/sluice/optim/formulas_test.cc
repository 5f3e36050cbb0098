// Every optimizer against its published rule, in every mode.
#include "sluice/optim/optim_test_util.h"

namespace sluice::optim {
namespace {

constexpr int kSteps = 10;
constexpr int64_t kSize = 6;

Doubles ByFormula(const Case& c) {
  Doubles p = Start(kSize);
  std::vector<Cell> cells(p.size());
  for (size_t i = 0; i < p.size(); ++i) cells[i].p = p[i];
  for (int t = 1; t <= kSteps; ++t) {
    Doubles g = Gradient(kSize, t);
    for (size_t i = 0; i < p.size(); ++i) c.formula(cells[i], g[i], t);
  }
  for (size_t i = 0; i < p.size(); ++i) p[i] = cells[i].p;
  return p;
}

template <class T>
std::vector<T> Train(const Case& c, bool captured) {
  Tensor p = TensorOf<T>({2, 3}, Start(kSize)).requires_grad_();
  auto optimizer = c.with({p});
  auto body = [&](Tensor g) {
    Tensor loss = sum(p * g);
    optimizer->zero_grad();
    loss.backward();
    optimizer->step();
    return loss;
  };
  auto recorded = function(body);
  for (int t = 1; t <= kSteps; ++t) {
    Tensor g = TensorOf<T>({2, 3}, Gradient(kSize, t));
    captured ? recorded(g) : body(g);
  }
  EXPECT_EQ(recorded.traces().size(), captured ? 1u : 0u) << c.name;
  return p.to_vector<T>();
}

Floats Deferred(const Case& c) {
  Graph graph;
  Tensor g;
  Variable p;
  Operation train;
  {
    GraphScope building(graph);
    g = placeholder(DType::kF32, {2, 3}, "g");
    p = variable(TensorOf<float>({2, 3}, Start(kSize)), "p");
    train = c.without()->minimize(sum(p * g));
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  for (int t = 1; t <= kSteps; ++t) {
    session.run(train, {{g, ArrayOf<float>({2, 3}, Gradient(kSize, t))}});
  }
  return Elements<float>(session.run(p));
}

TEST(Formulas, Imperatively) {
  for (const Case& c : AllCases()) {
    SCOPED_TRACE(c.name);
    ExpectNear(Train<float>(c, false), ByFormula(c));
  }
}

// A trap looks at every op, so that no plan is recorded.
TEST(Formulas, OpByOp) {
  NanTrap trap;
  for (const Case& c : AllCases()) {
    SCOPED_TRACE(c.name);
    ExpectNear(Train<float>(c, false), ByFormula(c));
  }
}

TEST(Formulas, InDouble) {
  for (const Case& c : AllCases()) {
    SCOPED_TRACE(c.name);
    Doubles got = Train<double>(c, false), wanted = ByFormula(c);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], wanted[i], 1e-12);
    }
  }
}

TEST(Formulas, Captured) {
  for (const Case& c : AllCases()) {
    SCOPED_TRACE(c.name);
    ExpectNear(Train<float>(c, true), ByFormula(c));
  }
}

TEST(Formulas, InGraphs) {
  for (const Case& c : AllCases()) {
    SCOPED_TRACE(c.name);
    ExpectNear(Deferred(c), ByFormula(c));
  }
}

// Values and slots are computed as f32 and rounded once per step.
TEST(Formulas, OfSixteenBits) {
  for (const Case& c : AllCases()) {
    SCOPED_TRACE(c.name);
    Tensor p = cast(TensorOf<float>({6}, Start(kSize)), DType::kBF16);
    p.requires_grad_();
    auto optimizer = c.with({p});
    for (int t = 1; t <= kSteps; ++t) {
      p.set_grad(cast(TensorOf<float>({6}, Gradient(kSize, t)), DType::kBF16));
      optimizer->step();
    }
    EXPECT_EQ(p.dtype(), DType::kBF16);
    ExpectNear(cast(p, DType::kF32).to_vector<float>(), ByFormula(c), 0.04);
    for (const auto& [key, tensor] : optimizer->state_dict()) {
      EXPECT_NE(tensor.dtype(), DType::kBF16) << key;
    }
  }
}

}  // namespace
}  // namespace sluice::optim
