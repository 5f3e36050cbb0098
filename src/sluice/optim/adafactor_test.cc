// Adafactor against its published rule: factored for matrices, whole for
// vectors.
#include "sluice/optim/optim_test_util.h"

namespace sluice::optim {
namespace {

double Rms(const Doubles& x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return std::sqrt(sum / static_cast<double>(x.size()));
}

struct Rule {
  AdafactorOptions o;
  size_t rows, columns;  // rows 0: a vector
  double eps1 = std::numeric_limits<float>::epsilon();
  Doubles row, column, whole;

  void Step(Doubles& p, const Doubles& g, int t) {
    double fresh = std::pow(t, o.beta2_decay);
    double rate = std::min(o.lr, 1 / std::sqrt(t)) * std::max(o.eps2, Rms(p));
    Doubles v(p.size());
    if (rows == 0) {
      whole.resize(p.size());
      for (size_t i = 0; i < p.size(); ++i) {
        whole[i] += fresh * (g[i] * g[i] - whole[i]);
        v[i] = whole[i];
      }
    } else {
      row.resize(rows);
      column.resize(columns);
      Doubles of_row(rows), of_column(columns);
      for (size_t i = 0; i < p.size(); ++i) {
        of_row[i / columns] += g[i] * g[i] / static_cast<double>(columns);
        of_column[i % columns] += g[i] * g[i] / static_cast<double>(rows);
      }
      double mean = 0;
      for (size_t i = 0; i < rows; ++i) {
        row[i] += fresh * (of_row[i] - row[i]);
        mean += row[i] / static_cast<double>(rows);
      }
      for (size_t i = 0; i < columns; ++i) {
        column[i] += fresh * (of_column[i] - column[i]);
      }
      for (size_t i = 0; i < p.size(); ++i) {
        v[i] = row[i / columns] * column[i % columns] / std::max(mean, eps1);
      }
    }
    Doubles u(p.size());
    for (size_t i = 0; i < p.size(); ++i) {
      u[i] = g[i] / std::sqrt(std::max(v[i], eps1 * eps1));
    }
    double held = std::max(1.0, Rms(u) / o.clip_threshold);
    for (size_t i = 0; i < p.size(); ++i) {
      p[i] -= o.lr * o.weight_decay * p[i] + rate / held * u[i];
    }
  }
};

void Check(const AdafactorOptions& options, const Shape& shape) {
  bool matrix = shape.rank() == 2;
  Rule rule{.o = options,
            .rows = matrix ? static_cast<size_t>(shape.dim(0)) : 0,
            .columns = matrix ? static_cast<size_t>(shape.dim(1)) : 0,
            .row = {},
            .column = {},
            .whole = {}};
  Doubles wanted = Start(6);
  Tensor p = TensorOf<float>(shape, wanted).requires_grad_();
  Tensor q = TensorOf<float>(shape, wanted).requires_grad_();
  Adafactor one({p}, options), other({q}, options);
  auto recorded = function([&](Tensor g) {
    other.zero_grad();
    sum(q * g).backward();
    other.step();
  });
  Graph graph;
  Tensor g;
  Variable v;
  Operation train;
  {
    GraphScope building(graph);
    g = placeholder(DType::kF32, PartialShape(shape));
    v = variable(TensorOf<float>(shape, wanted), "v");
    train = Adafactor(options).minimize(sum(v * g));
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  for (int t = 1; t <= 10; ++t) {
    Doubles gradient = Gradient(6, t);
    rule.Step(wanted, gradient, t);
    p.set_grad(TensorOf<float>(shape, gradient));
    one.step();
    recorded(TensorOf<float>(shape, gradient));
    session.run(train, {{g, ArrayOf<float>(shape, gradient)}});
  }
  ExpectNear(p.to_vector<float>(), wanted);
  ExpectNear(q.to_vector<float>(), wanted);
  ExpectNear(Elements<float>(session.run(v)), wanted);
}

TEST(Adafactor, OfMatrices) {
  Check({.lr = 0.1}, {2, 3});
  Check({.lr = 0.1, .clip_threshold = 0.5, .weight_decay = 0.1}, {3, 2});
}

TEST(Adafactor, OfVectors) {
  Check({.lr = 0.1}, {6});
  Check({.lr = 0.02, .beta2_decay = -0.5, .weight_decay = 0.1}, {6});
}

TEST(Adafactor, KeepsOneNumberPerRowAndColumn) {
  Tensor p = ones({4, 100, 200}).clone().requires_grad_();
  Adafactor optimizer({p});
  p.set_grad(ones({4, 100, 200}));
  optimizer.step();
  StateDict state = optimizer.state_dict();
  EXPECT_EQ(state.at("0.row_var").shape(), PartialShape({4, 100, 1}));
  EXPECT_EQ(state.at("0.col_var").shape(), PartialShape({4, 1, 200}));
}

}  // namespace
}  // namespace sluice::optim
