// What cannot be differentiated in conditionals and loops says so: what stops
// the gradient, where it is, and what would help.
#include "sluice/front/every_way_test_util.h"

namespace sluice {
namespace {

using Tensors = std::vector<Tensor>;

// Builds a graph of f(x) and returns what asking for its gradient says.
std::string GradientError(const std::function<Tensor(const Tensor&)>& f,
                          std::string* why = nullptr) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(DType::kF32, {2}, "x");
  Tensor y = sum(f(x));
  if (why) *why = why_no_grad(y, x);
  return ErrorOf([&] { grad(y, x); });
}

void ContainsAll(const std::string& text,
                 const std::vector<std::string>& parts) {
  for (const std::string& part : parts) Contains(text, part);
}

TEST(LoopGradientErrors, AnIntegerCarrySaysWhereItBecameOne) {
  auto program = [](const Tensor& x) {
    auto [k, z] = while_loop(
        [](Tensor k, Tensor) { return sum(k) < int64_t{50}; },
        [](Tensor k, Tensor z) {
          return std::tuple(k * int64_t{2}, z + cast(k, DType::kF32));
        },
        cast(x, DType::kI64), zeros({2}));
    return z;
  };
  std::string why, text = GradientError(program, &why);
  ContainsAll(
      text,
      {"xs[0] (x) has no gradient", why, "the path ends at Cast",
       "which gives i64[2]", "only floating-point values carry gradients",
       "at loop_gradient_errors_test.cc:", "wanted it kept floating-point"});
}

TEST(LoopGradientErrors, AnIntegerInsideALoopNamesTheLoop) {
  auto program = [](const Tensor& x) {
    return for_loop(
        3,
        [&](Tensor, Tensor z) {
          return cast(cast(z + x, DType::kI32), DType::kF32);
        },
        zeros({2}));
  };
  std::string why, text = GradientError(program, &why);
  ContainsAll(text, {why, "the path ends at Cast", "which gives i32[2]",
                     "inside the loop at loop_gradient_errors_test.cc:"});
}

TEST(LoopGradientErrors, AnOpWithoutAGradientNamesEveryPlaceItIsIn) {
  auto program = [](const Tensor& x) {
    return for_loop(
        3,
        [&](Tensor, Tensor z) {
          return cond(
              sum(z) < 10.0f, [&] { return round(x * z); }, [&] { return z; });
        },
        ones({2}));
  };
  std::string why, text = GradientError(program, &why);
  ContainsAll(
      text, {why, "the path ends at Round", "which has no gradient: it rounds",
             "inside the conditional at loop_gradient_errors_test.cc:",
             "inside the loop at loop_gradient_errors_test.cc:",
             "wanted another op there, or a custom_gradient"});
}

TEST(LoopGradientErrors, WhatOnlyDecidesSaysSo) {
  std::string why;
  GradientError(
      [](const Tensor& x) {
        return cond(
            sum(x) > 0.0f, [] { return ones({2}); }, [] { return zeros({2}); });
      },
      &why);
  ContainsAll(why, {"it only decides which branch of If",
                    "at loop_gradient_errors_test.cc:"});
  GradientError(
      [](const Tensor& x) {
        return while_loop([&](Tensor z) { return sum(z) < sum(x); },
                          [](Tensor z) { return z + 1.0f; }, zeros({2}));
      },
      &why);
  ContainsAll(why, {"it only decides how often While",
                    "at loop_gradient_errors_test.cc:"});
}

TEST(LoopGradientErrors, AWayThroughAndOneThatEndsIsNoError) {
  std::string why,
      text = GradientError(
          [](const Tensor& x) {
            return for_loop(
                2, [&](Tensor, Tensor z) { return round(z) + x; }, x);
          },
          &why);
  EXPECT_EQ(text, "");
  EXPECT_EQ(why, "");
}

TEST(LoopGradientErrors, WhatIsNotConnectedAtAll) {
  std::string why;
  GradientError(
      [](const Tensor&) {
        return for_loop(
            2, [](Tensor, Tensor z) { return z * 2.0f; }, ones({2}));
      },
      &why);
  Contains(why, "is not computed from x");
}

TEST(LoopGradientErrors, AValueInsideALoopHasNoGradientOutside) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(DType::kF32, {2}, "x"), inner, read;
  Tensor y = for_loop(
      2,
      [&](Tensor, Tensor z) {
        inner = z * x;
        return cond(
            sum(z) > 0.0f,
            [&] {
              read = z + 1.0f;
              return read;
            },
            [&] { return inner; });
      },
      x);
  std::string text = ErrorOf([&] { grad(sum(y), inner); });
  ContainsAll(text, {"gradients: xs[0] (", "is inside a loop",
                     "wanted what the loop returns, or gradients taken inside",
                     "inside the loop at loop_gradient_errors_test.cc:"});
  text = ErrorOf([&] { grad(inner, x); });
  ContainsAll(text, {"gradients: ys[0] (", "is inside a loop"});
  Contains(ErrorOf([&] { grad(read, x); }), "is inside a loop");
  // Nothing of this has hurt the graph.
  Tensor gradient = grad(sum(y), x);
  Session session(graph);
  EXPECT_EQ(Elements<float>(
                session.run(gradient, {{x, Array::Vector<float>({1, 2})}})),
            (std::vector<float>{1, 1}));
}

TEST(LoopGradientErrors, StopGradientInALoopBodyStopsThatWayAlone) {
  Fn f = [](const Tensors& x) {
    Tensor start = x[0].symbolic() && !x[0].traced()
                       ? x[0]
                       : x[0].detach().requires_grad_();
    Tensor y = for_loop(
        3, [&](Tensor, Tensor z) { return stop_gradient(z) * start + z; },
        start);
    return gradients({sum(y)}, {start});
  };
  // z' = c x + z with c = z: 1 + x + (x^2 + x) + (x^3 + 2x^2 + x)
  std::vector<Array> got = EveryWay(f, {Array::Vector<float>({1, 2})});
  EXPECT_EQ(Elements<float>(got[0]), (std::vector<float>{8, 27}));
}

// What fails in the forward ops fails the same with gradients asked for.
TEST(LoopGradientErrors, ElementsThatDoNotFitNameTheListAndTheLine) {
  EveryWayFails(
      [](const Tensors& x) {
        Tensor start = x[0].symbolic() && !x[0].traced()
                           ? x[0]
                           : x[0].detach().requires_grad_();
        auto [i, z, seen] = while_loop(
            [](Tensor i, Tensor, List) { return i < int64_t{3}; },
            [](Tensor i, Tensor z, List l) {
              return std::tuple(i + int64_t{1}, concat({z, z}), l.append(z));
            },
            int64_t{0}, start, List(DType::kF32));
        return gradients({sum(seen.stack())}, {start});
      },
      {Array::Vector<float>({1, 2})},
      {"[ListStack]", "loop_gradient_errors_test.cc:"});
}

TEST(LoopGradientErrors, SequencesOfDifferentLengthsAreRefused) {
  EveryWayFails(
      [](const Tensors& x) {
        Tensor a = x[0].symbolic() && !x[0].traced()
                       ? x[0]
                       : x[0].detach().requires_grad_();
        Tensor y = foldl(
            [](Tensor s, std::pair<Tensor, Tensor> e) {
              return s + e.first * e.second;
            },
            std::pair(a, x[1]), constant(0.0f));
        return gradients({y}, {a}, {.dense = true});
      },
      {Array::Vector<float>({1, 2}), Array::Vector<float>({1, 2, 3})},
      {"foldl", "loop_gradient_errors_test.cc:"});
}

}  // namespace
}  // namespace sluice
