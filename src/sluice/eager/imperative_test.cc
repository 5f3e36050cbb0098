#include <gtest/gtest.h>

#include <sstream>

#include "sluice/front/front_test_util.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

Tensor Leaf(const Literal& value) { return constant(value).requires_grad_(); }

TEST(Imperative, CallsRunAtOnce) {
  Tensor x = constant({1.f, 2.f, 3.f});
  Tensor y = 2 * x + 1;
  EXPECT_FALSE(y.symbolic());
  EXPECT_EQ(y.to_vector<float>(), (Floats{3, 5, 7}));
  EXPECT_EQ(sum(y).item<float>(), 15);
  EXPECT_EQ(
      matmul(constant({{1.f, 2.f}}), constant({{3.f}, {4.f}})).item<float>(),
      11);
  std::ostringstream text;
  text << y;
  EXPECT_EQ(text.str(), "f32[3] [3 5 7]");
}

TEST(Imperative, GraphsStillRecord) {
  Graph graph;
  GraphScope building(graph);
  Tensor y = constant({1.f, 2.f}) * 2;
  EXPECT_TRUE(y.symbolic());
  EXPECT_THROW(y.item<float>(), Error);
}

TEST(Imperative, TensorsBecomeConstantsOfAGraph) {
  Tensor w = constant({1.f, 2.f});
  Graph graph;
  Tensor y;
  {
    GraphScope building(graph);
    y = w * 3;
  }
  Session session(graph);
  EXPECT_EQ(Tensor(MakeRef<EagerValue>(session.run(y))).to_vector<float>(),
            (Floats{3, 6}));
}

TEST(Imperative, ErrorsNameOpAndLine) {
  try {
    matmul(ones({2, 3}), ones({4, 5}));
    FAIL();
  } catch (const Error& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("[MatMul] inner sizes differ"), text.npos) << text;
    EXPECT_NE(text.find("imperative_test.cc:"), text.npos) << text;
  }
  EXPECT_THROW(Tensor() + 1, Error);
  EXPECT_THROW(placeholder(DType::kF32), Error);
}

TEST(Imperative, Indexing) {
  Tensor x = reshape(range(0.f, 24.f, 1.f), {2, 3, 4});
  EXPECT_EQ((x[{1, 2, 3}].item<float>()), 23);
  EXPECT_EQ((x[{-1, all, 0}].to_vector<float>()), (Floats{12, 16, 20}));
  EXPECT_EQ((x[{ellipsis, slice(0, 4, 2)}].shape()), (PartialShape{2, 3, 2}));
  EXPECT_EQ((x[{0, 0, slice_from(Index::kOpen, -1)}].to_vector<float>()),
            (Floats{3, 2, 1, 0}));
  EXPECT_EQ((x[{new_axis, 1}].shape()), (PartialShape{1, 3, 4}));
  EXPECT_EQ(x[1].shape(), (PartialShape{3, 4}));
  EXPECT_THROW(x[2], Error);
  EXPECT_THROW((x[{0, 0, 0, 0}]), Error);
}

TEST(Imperative, WritesAreSeenThroughViews) {
  Tensor x = zeros({2, 3}).clone();
  Tensor row = x[1];
  x.set({1, slice_from(1)}, 5);
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 0, 0, 0, 5, 5}));
  EXPECT_EQ(row.to_vector<float>(), (Floats{0, 5, 5}));
  row.add_(1);
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 0, 0, 1, 6, 6}));
  x.mul_(x[0] + 2);
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 0, 0, 2, 12, 12}));
  EXPECT_THROW(x.add_(ones({4, 2, 3})), Error);
  // A part of itself, which is written while it is read.
  Tensor y = constant({1.f, 2.f, 3.f, 4.f}).clone();
  y[{slice(1, 4)}].add_(y[{slice(0, 3)}]);
  EXPECT_EQ(y.to_vector<float>(), (Floats{1, 3, 5, 7}));
}

TEST(Backward, OfAChain) {
  Tensor x = Leaf({1.f, 2.f, 3.f});
  Tensor loss = sum(x * x * 2);
  loss.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{4, 8, 12}));
  sum(x).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{5, 9, 13})) << "adds up";
  x.zero_grad();
  EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, BroadcastsAreSummed) {
  Tensor w = Leaf({{1.f, 2.f}, {3.f, 4.f}}), b = Leaf({10.f, 20.f});
  sum((w + b) * 3).backward();
  EXPECT_EQ(b.grad().to_vector<float>(), (Floats{6, 6}));
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{3, 3, 3, 3}));
}

TEST(Backward, TwiceNeedsRetain) {
  Tensor x = Leaf(3.f);
  Tensor y = x * x;
  y.backward({}, {.retain_graph = true});
  y.backward();
  EXPECT_EQ(x.grad().item<float>(), 12);
  try {
    y.backward();
    FAIL();
  } catch (const Error& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("retain_graph"), text.npos) << text;
    EXPECT_NE(text.find("in the gradient of Mul at imperative_test.cc:"),
              text.npos)
        << text;
  }
  // Everything is still usable.
  (x * 2).backward();
  EXPECT_EQ(x.grad().item<float>(), 14);
}

TEST(Backward, OfWhatHasNone) {
  Tensor x = Leaf({1.f, 2.f});
  EXPECT_THROW((x * 2).backward(), Error) << "no scalar";
  EXPECT_THROW(constant(1.f).backward(), Error) << "no history";
  EXPECT_THROW(constant(1).requires_grad_(), Error) << "an integer";
  EXPECT_THROW(sum(x).backward(ones({2}), {}), Error) << "another shape";
  Tensor y = x * 2;
  y.backward(constant({1.f, 10.f}), {});
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 20}));
}

TEST(Backward, GradientsOfGradients) {
  Tensor x = Leaf(2.f);
  Tensor y = x * x * x;
  Tensor first = grad(y, x, {.create_graph = true});
  EXPECT_EQ(first.item<float>(), 12);
  Tensor second = grad(first, x, {.create_graph = true});
  EXPECT_EQ(second.item<float>(), 12);
  EXPECT_EQ(grad(second, x).item<float>(), 6);
  EXPECT_FALSE(x.grad().defined()) << "grad() leaves .grad alone";
}

TEST(Backward, ThroughSavedResults) {
  Tensor x = Leaf(0.5f);
  Tensor y = exp(x);
  Tensor first = grad(y, x, {.create_graph = true});
  EXPECT_FLOAT_EQ(grad(first, x).item<float>(), std::exp(0.5f));
}

TEST(Backward, OfAValueInTheMiddle) {
  Tensor x = Leaf(3.f);
  Tensor y = x * x;
  Tensor z = y * y;
  EXPECT_EQ(grad(z, y, {.retain_graph = true}).item<float>(), 18);
  auto both = gradients({z}, {x, y});
  EXPECT_EQ(both[0].item<float>(), 108);
  EXPECT_EQ(both[1].item<float>(), 18);
}

TEST(Backward, MissingWaysExplainThemselves) {
  Tensor x = Leaf(1.f), w = Leaf(2.f);
  Tensor y = x * x.detach();
  EXPECT_EQ(grad(y, x).item<float>(), 1);
  EXPECT_NE(why_no_grad(y, w).find("no recorded call leads"),
            std::string::npos);
  EXPECT_THROW(grad(x * 1, w), Error);
  EXPECT_EQ(grad(x * 1, w, {.zeros_when_unconnected = true}).item<float>(), 0);
}

TEST(Backward, NoGradRecordsNothing) {
  Tensor x = Leaf(1.f);
  NoGrad off;
  EXPECT_FALSE((x * 2).requires_grad());
  {
    EnableGrad on;
    EXPECT_TRUE((x * 2).requires_grad());
  }
}

TEST(Backward, OverwrittenValuesNameBothLines) {
  Tensor x = Leaf({1.f, 2.f});
  Tensor y = x * 1;
  Tensor z = y * y;
  y.add_(1);
  try {
    sum(z).backward();
    FAIL();
  } catch (const Error& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("[Mul] a (f32[2]) is needed for the gradient, but was "
                        "overwritten in place at imperative_test.cc:"),
              text.npos)
        << text;
    EXPECT_NE(text.find("wanted it as it was at imperative_test.cc:"),
              text.npos)
        << text;
  }
}

// A row is a view of a view, and lies in the memory that is written.
TEST(Imperative, AddingAMiddleRowToAllOfThem) {
  Tensor x = constant({{1.f, 2.f}, {10.f, 20.f}, {3.f, 4.f}}).clone();
  x.add_(x[1]);
  EXPECT_EQ(x.to_vector<float>(), (Floats{11, 22, 20, 40, 13, 24}));
}

TEST(Backward, WritesThroughViewsOfViewsAreNoticed) {
  Tensor x = Leaf({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  Tensor y = x * 1;
  Tensor z = y * y;
  {
    NoGrad off;
    y[1][{slice_from(1)}].add_(1);
  }
  EXPECT_EQ(y.to_vector<float>(), (Floats{1, 2, 3, 4, 6, 7}));
  EXPECT_THROW(sum(z).backward(), Error);
}

// Adding keeps nothing, so its operands may be overwritten.
TEST(Backward, WhatTheRuleDoesNotReadMayBeOverwritten) {
  Tensor x = Leaf({1.f, 2.f});
  Tensor y = x * 1;
  Tensor z = y + 3;
  y.mul_(0);
  sum(z).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 1}));
}

TEST(Backward, ThroughWritesInPlace) {
  Tensor x = Leaf({1.f, 2.f});
  Tensor y = x * 3;
  y.mul_(y.clone().detach());
  y.add_(x);
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{10, 19}));
  EXPECT_THROW(x.add_(1), Error) << "a leaf that is recorded";
  {
    NoGrad off;
    x.sub_(x.grad());
  }
  EXPECT_EQ(x.to_vector<float>(), (Floats{-9, -17}));
}

TEST(Backward, ThroughParts) {
  Tensor x = Leaf({1.f, 2.f, 3.f});
  Tensor y = x * 2;
  y.set({1}, x[0] * 10);
  sum(y * constant({1.f, 100.f, 1.f})).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1002, 0, 2}));
}

TEST(Backward, Hooks) {
  Tensor x = Leaf(2.f);
  Tensor y = x * 3;
  std::vector<float> seen;
  int id = y.register_hook([&](const Tensor& g) {
    seen.push_back(g.item<float>());
    return g * 10;
  });
  x.register_hook([&](const Tensor& g) {
    seen.push_back(g.item<float>());
    return Tensor();
  });
  y.retain_grad();
  (y * y).backward({}, {.retain_graph = true});
  EXPECT_EQ(seen, (Floats{12, 360}));
  EXPECT_EQ(x.grad().item<float>(), 360);
  EXPECT_EQ(y.grad().item<float>(), 120);
  y.remove_hook(id);
  x.zero_grad();
  (y * 1).backward();
  EXPECT_EQ(x.grad().item<float>(), 3);
}

// One stack frame per call would end the program.
TEST(Backward, AMillionCalls) {
  Tensor x = Leaf(1.f);
  Tensor y = x;
  for (int i = 0; i < 300'000; ++i) y = y + 1;
  y.backward();
  EXPECT_EQ(x.grad().item<float>(), 1);
  for (int i = 0; i < 300'000; ++i) y = y + 1;
}

TEST(Backward, WhereIsSafeFromNan) {
  Tensor x = Leaf({-1.f, 4.f});
  Tensor y = where(x > 0, sqrt(x), x);
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 0.25f}));
}

TEST(Autograd, ForwardModeAndHessians) {
  TensorFn cube = [](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{sum(x[0] * x[0] * x[0])};
  };
  Tensor x = constant({1.f, 2.f}), v = constant({1.f, 10.f});
  EXPECT_EQ(jvp(cube, {x}, {v}).tangents[0].item<float>(), 3 + 120);
  EXPECT_EQ(vjp(cube, {x}, {constant(2.f)}).gradients[0].to_vector<float>(),
            (Floats{6, 24}));
  EXPECT_EQ(hvp(cube, {x}, {v})[0].to_vector<float>(), (Floats{6, 120}));
}

TEST(Autograd, GradcheckFindsWrongGradients) {
  Tensor x = constant(Array::Vector<double>({0.3, -0.7, 1.1}));
  gradcheck(
      [](const std::vector<Tensor>& x) {
        return std::vector<Tensor>{exp(x[0]) * x[0]};
      },
      {x}, {.second_order = true});
  auto wrong = [](const std::vector<Tensor>& x) {
    return custom_gradient(
        [](const std::vector<Tensor>& x) {
          return std::vector<Tensor>{x[0] * x[0]};
        },
        [](const std::vector<Tensor>& in, const std::vector<Tensor>&,
           const std::vector<Tensor>& dy) {
          return std::vector<Tensor>{dy[0] * in[0]};
        },
        x);
  };
  EXPECT_THROW(gradcheck(wrong, {x}), Error);
  EXPECT_THROW(gradcheck(wrong, {constant({1.f})}), Error) << "f32";
}

TEST(Autograd, CustomGradients) {
  auto twice = [](const Tensor& x, int returned) {
    return custom_gradient(
        [](const std::vector<Tensor>& x) {
          return std::vector<Tensor>{x[0] * 2};
        },
        [returned](const std::vector<Tensor>& in, const std::vector<Tensor>&,
                   const std::vector<Tensor>& dy) {
          std::vector<Tensor> all(static_cast<size_t>(returned),
                                  dy[0] * 7 * in[0]);
          return all;
        },
        {x})[0];
  };
  Tensor x = Leaf({1.f, 2.f});
  sum(twice(x, 1)).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{7, 14}));
  try {
    sum(twice(x, 2)).backward();
    FAIL();
  } catch (const Error& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("returned 2 gradients; wanted 1"), text.npos) << text;
    EXPECT_NE(text.find("imperative_test.cc:"), text.npos) << text;
  }
  // In a graph the same function builds nodes.
  Graph graph;
  Tensor g;
  {
    GraphScope building(graph);
    Tensor y = constant({1.f, 2.f});
    g = grad(sum(twice(y, 1)), y);
  }
  Session session(graph);
  EXPECT_EQ(Tensor(MakeRef<EagerValue>(session.run(g))).to_vector<float>(),
            (Floats{7, 14}));
}

TEST(Autograd, NanTrapNamesOpLineAndInputs) {
  NanTrap trap;
  Tensor x = constant({1.f, -4.f});
  try {
    log(x);
    FAIL();
  } catch (const Error& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("[Log] element 1 of the result is"), text.npos) << text;
    EXPECT_NE(text.find("x is f32[2] from -4 to 1"), text.npos) << text;
    EXPECT_NE(text.find("imperative_test.cc:"), text.npos) << text;
  }
}

TEST(Imperative, RandomNumbersFollowTheSeed) {
  manual_seed(7);
  Tensor a = random_normal({4}), b = random_normal({4});
  manual_seed(7);
  EXPECT_EQ(random_normal({4}).to_vector<float>(), a.to_vector<float>());
  EXPECT_NE(a.to_vector<float>(), b.to_vector<float>());
}

TEST(Imperative, FilledTensorsHaveElementsOfTheirOwn) {
  Tensor z = zeros({3});
  z.add_(constant({1.f, 2.f, 3.f}));
  EXPECT_EQ(z.to_vector<float>(), (Floats{1, 2, 3}));
}

TEST(Imperative, BroadcastTensorsAreNotWrittenInPlace) {
  Tensor b = broadcast_to(constant({1.f}), {3});
  try {
    b.add_(constant({1.f, 2.f, 3.f}));
    FAIL();
  } catch (const Error& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("is the same elements seen 3 times along axis 0"),
              text.npos)
        << text;
  }
  auto write = function([&](Tensor x) { b.add_(x); });
  EXPECT_THROW(write(constant({1.f, 2.f, 3.f})), Error);
}

TEST(Imperative, GradientsOfSumsAreNotAddedToInPlace) {
  // Rows long enough to be in memory of their own.
  Array rows = Array::Zeros(DType::kF32, {2, 2048});
  for (int64_t i = 0; i < rows.num_elements(); ++i) {
    rows.mutable_data<float>()[i] = static_cast<float>(i);
  }
  Tensor x = constant(rows).requires_grad_();
  Tensor c = full({2048}, 3.f);
  Tensor first = sum(x * x);
  (first + sum(sum(x, {.axes = {0}}) * c * c)).backward();
  Floats g = x.grad().to_vector<float>();
  for (size_t i = 0; i < g.size(); ++i) {
    ASSERT_EQ(g[i], 2 * static_cast<float>(i) + 9) << i;
  }
}

}  // namespace
}  // namespace sluice
