// Gradients through conditionals and loops: in graphs and captured functions
// they are what the imperative run of the same code gives.
#include "sluice/front/control_flow.h"
#include "sluice/front/gradients_agree_test_util.h"

namespace sluice {
namespace {

Array F(std::initializer_list<float> v) { return Array::Vector<float>(v); }

TEST(LoopGradient, OfTheBranchThatRuns) {
  Function1 f = [](const Tensors& x) {
    return cond(
        sum(x[0]) > 1.0f, [&] { return tanh(x[0]) * x[1]; },
        [&] { return x[0] * x[0] * x[0]; });
  };
  ExpectGradientsAgree(f, {F({1, 2}), F({3, 4})});
  ExpectGradientsAgree(f, {F({-1, 2}), F({3, 4})});
}

TEST(LoopGradient, OfABranchThatGivesOnWhatItReads) {
  Function1 f = [](const Tensors& x) {
    return cond(
               sum(x[0]) > 1.0f, [&] { return x[0]; }, [&] { return x[1]; }) *
           x[0];
  };
  ExpectGradientsAgree(f, {F({1, 2}), F({3, 4})});
  ExpectGradientsAgree(f, {F({-1, 2}), F({3, 4})});
}

TEST(LoopGradient, OfALoopWithWeightsAround) {
  Array w = Array::Of<float>({2, 2}, {.3f, -.2f, .5f, .7f});
  for (int64_t trips : {0, 1, 5}) {
    Function1 f = [&](const Tensors& x) {
      return for_loop(
          trips, [&](Tensor, Tensor h) { return tanh(matmul(h, x[1]) + x[2]); },
          x[0]);
    };
    ExpectGradientsAgree(
        f, {Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), w, F({.1f, .2f})});
  }
}

TEST(LoopGradient, OfATripCountThatDependsOnValues) {
  Function1 f = [](const Tensors& x) {
    return while_loop([](Tensor z) { return sum(z) < 50.0f; },
                      [&](Tensor z) { return z * x[1] + x[0]; }, x[0]);
  };
  ExpectGradientsAgree(f, {F({1, 2}), F({1.5f, 2})});
  ExpectGradientsAgree(f, {F({100, 2}), F({1.5f, 2})});
}

TEST(LoopGradient, OfNestedLoopsWithInnerCountsThatDiffer) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        4,
        [&](Tensor i, Tensor h) {
          Tensor inner =
              std::get<1>(while_loop([&](Tensor k, Tensor) { return k < i; },
                                     [&](Tensor k, Tensor z) {
                                       return std::tuple(k + 1, sin(z * x[0]));
                                     },
                                     int64_t{0}, h));
          return cond(
              sum(h) > 0.5f, [&] { return inner * h; },
              [&] { return h + x[1] * inner; });
        },
        x[0]);
  };
  ExpectGradientsAgree(f, {F({.3f, .9f}), F({1, -2})});
  ExpectGradientsAgree(f, {F({-.3f, .2f}), F({1, -2})});
}

TEST(LoopGradient, OfShapesThatGrow) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        3,
        [&](Tensor, Tensor h) {
          return concat({h * x[1], sin(h)}, {.axis = 0});
        },
        x[0]);
  };
  ExpectGradientsAgree(f, {F({.3f, .9f}), Array::Scalar(1.5f)});
}

TEST(LoopGradient, OfASequenceReadOneByOneIsDense) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f32, {-1, 2});
  Tensor y = foldl([&](Tensor h, Tensor e) { return h * e; }, x);
  Tensor rows = for_loop(
      3,
      [&](Tensor i, Tensor h) {
        return h * gather(x, i) + gather(x, int64_t{0});
      },
      constant({1.0f, 1.0f}));
  EXPECT_FALSE(grad(sum(rows), x).is_sparse());
  EXPECT_FALSE(grad(sum(y), x).is_sparse());
}

TEST(LoopGradient, InsideALoop) {
  // Gradient descent on (z - x)^2, in the graph.
  Function1 f = [](const Tensors& x) {
    return for_loop(
        5,
        [&](Tensor, Tensor z) {
          Tensor loss = sum((z - x[0]) * (z - x[0]));
          Tensor step = z.symbolic()
                            ? gradients({loss}, {z}, {.create_graph = true})[0]
                            : 2.0f * (z - x[0]);
          return z - 0.25f * step;
        },
        x[1]);
  };
  ExpectGradientsAgree(f, {F({.3f, .9f}), F({4, 5})});
}

}  // namespace
}  // namespace sluice
