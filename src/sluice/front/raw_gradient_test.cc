// Gradients through control flow written with primitives: those of the
// conditional or loop it amounts to.
#include "sluice/front/every_way_test_util.h"
#include "sluice/front/raw_control_flow.h"

namespace sluice {
namespace {

using Tensors = std::vector<Tensor>;
using Function1 = std::function<Tensor(const Tensors&)>;

Array D(std::initializer_list<double> v) { return Array::Vector<double>(v); }

// First and second gradients of sum(f) with respect to all arguments.
Tensors Both(const Function1& f, const Tensors& x) {
  GradOptions options{.zeros_when_unconnected = true, .create_graph = true};
  Tensors found = gradients({sum(f(x))}, x, options);
  Tensor squares;
  for (const Tensor& g : found) {
    squares = squares.defined() ? squares + sum(g * g) : sum(g * g);
  }
  Tensors second = gradients({squares}, x, options);
  found.insert(found.end(), second.begin(), second.end());
  return found;
}

// What the primitives give, and what the structured function does.
void ExpectSame(const Function1& raw, const Function1& structured,
                const std::vector<Array>& args) {
  auto with_value = [](const Function1& f) -> Fn {
    return [&](const Tensors& x) {
      Tensors out = Both(f, x);
      out.push_back(f(x));
      return out;
    };
  };
  auto run = [&](const Function1& f, ExecutorChoice executor) {
    Graph graph;
    Tensors inputs, found;
    {
      GraphScope building(graph);
      for (const Array& a : args) {
        inputs.push_back(
            placeholder(f64, PartialShape::OfRank(a.shape().rank())));
      }
      found = with_value(f)(inputs);
    }
    std::vector<Feed> feeds;
    for (size_t i = 0; i < args.size(); ++i) {
      feeds.push_back({inputs[i], args[i]});
    }
    Session session(graph);
    RunOptions options;
    options.executor = executor;
    return session.run(std::vector<Fetch>(found.begin(), found.end()), feeds,
                       {}, options);
  };
  std::vector<Array> want = run(structured, ExecutorChoice::kAuto);
  for (ExecutorChoice executor :
       {ExecutorChoice::kAuto, ExecutorChoice::kTokens}) {
    std::vector<Array> got = run(raw, executor);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      std::vector<double> a = Elements<double>(got[i]),
                          b = Elements<double>(want[i]);
      ASSERT_EQ(a.size(), b.size());
      for (size_t k = 0; k < a.size(); ++k) {
        EXPECT_NEAR(a[k], b[k], 1e-12 * (1 + std::abs(b[k])))
            << "result " << i << ", element " << k;
      }
    }
  }
}

// h = sin(h * w) as long as the sum is above 0.5, at most five times.
Tensor RawLoop(const Tensor& start, const Tensor& w, const std::string& frame) {
  auto constant_in = [&](const Operand& v) {
    return raw::enter(v, frame, {.constant = true});
  };
  auto i = raw::loop_merge(raw::enter(constant(0.0), frame));
  auto h = raw::loop_merge(raw::enter(start, frame));
  Tensor inside = constant_in(w), most = constant_in(constant(5.0)),
         one = constant_in(constant(1.0)), low = constant_in(constant(0.5));
  Tensor go = raw::loop_cond(
      logical_and(less(i.value, most), greater(sum(h.value), low)));
  auto [i_done, i_go] = raw::switch_(i.value, go);
  auto [h_done, h_go] = raw::switch_(h.value, go);
  raw::set_next(i.value, raw::next_iteration(i_go + one));
  raw::set_next(h.value, raw::next_iteration(sin(h_go * inside)));
  return raw::exit(h_done);
}

Tensor Loop(const Tensor& start, const Tensor& w) {
  auto [i, h] = while_loop(
      [&](Tensor i, Tensor h) { return logical_and(i < 5.0, sum(h) > 0.5); },
      [&](Tensor i, Tensor h) { return std::tuple(i + 1.0, sin(h * w)); }, 0.0,
      start);
  return h;
}

TEST(RawGradient, OfALoop) {
  for (double start : {2.0, 0.1}) {
    ExpectSame(
        [](const Tensors& x) { return RawLoop(x[0] * x[1], x[1], "f") * x[0]; },
        [](const Tensors& x) { return Loop(x[0] * x[1], x[1]) * x[0]; },
        {D({start, .3}), D({.9, 1.1})});
  }
}

TEST(RawGradient, OfTwoLoopsOneAfterTheOther) {
  ExpectSame(
      [](const Tensors& x) {
        return RawLoop(RawLoop(x[0], x[1], "f") + x[0], x[0], "g");
      },
      [](const Tensors& x) { return Loop(Loop(x[0], x[1]) + x[0], x[0]); },
      {D({.7, .3}), D({.9, 1.1})});
}

Tensor RawBranch(const Tensor& x, const Tensor& y) {
  Tensor p = sum(x) > 1.0;
  raw::Switched a = raw::switch_(x, p), b = raw::switch_(y, p);
  return raw::merge(
             {exp(a.when_false), a.when_true * sin(b.when_true) + a.when_true})
      .value;
}
Tensor Branch(const Tensor& x, const Tensor& y) {
  return cond(
      sum(x) > 1.0, [&] { return x * sin(y) + x; }, [&] { return exp(x); });
}

TEST(RawGradient, OfAConditional) {
  for (double first : {2.0, 0.1}) {
    ExpectSame([](const Tensors& x) { return RawBranch(x[0], x[1]) * x[1]; },
               [](const Tensors& x) { return Branch(x[0], x[1]) * x[1]; },
               {D({first, .3}), D({.9, 1.1})});
  }
}

TEST(RawGradient, OfPrimitivesInsideRegions) {
  ExpectSame(
      [](const Tensors& x) {
        return for_loop(
            3, [&](Tensor, Tensor h) { return RawBranch(h, x[1]) + h; }, x[0]);
      },
      [](const Tensors& x) {
        return for_loop(
            3, [&](Tensor, Tensor h) { return Branch(h, x[1]) + h; }, x[0]);
      },
      {D({.1, .3}), D({.9, 1.1})});
}

TEST(RawGradient, TheValueOfTheLoopItselfIsStillFetched) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f64, std::vector<int64_t>{2}, "x");
  Tensor y = RawLoop(x, x, "f");
  Tensor after = y * 2.0;
  Tensor dx = grad(y, x);
  Tensor dy = grad(sum(after), y);
  Tensor later = grad(sum(y * 3.0), y);
  Session session(graph);
  std::vector<Array> out =
      session.run({y, after, dx, dy, later}, {{x, D({.8, .6})}}, {}, {});
  std::vector<double> a = Elements<double>(out[0]),
                      b = Elements<double>(out[1]);
  for (size_t k = 0; k < 2; ++k) EXPECT_EQ(2 * a[k], b[k]);
  EXPECT_EQ(Elements<double>(out[3]), (std::vector<double>{2, 2}));
  EXPECT_EQ(Elements<double>(out[4]), (std::vector<double>{3, 3}));
}

TEST(RawGradient, OfWhatHasAnEffectIsAnErrorWithTheLine) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f64, std::vector<int64_t>{2}, "x");
  raw::Switched s = raw::switch_(x, sum(x) > 1.0);
  Tensor y = raw::merge({s.when_false, print(s.when_true) * 2.0}).value;
  std::string text = ErrorOf([&] { grad(sum(y), x); });
  Contains(
      text,
      "[Print] has an effect among primitives that gradients pass through");
  Contains(text, "raw_gradient_test.cc:");
}

TEST(RawGradient, WhatIsNoLoopIsAnErrorWithTheLine) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f64, std::vector<int64_t>{2}, "x");
  Tensor p = sum(x) > 1.0;
  raw::Switched s = raw::switch_(x, p);
  Tensor crossed = raw::merge({s.when_false, s.when_false + s.when_true}).value;
  std::string text = ErrorOf([&] { grad(crossed, x); });
  Contains(text,
           "gradients pass through primitives only where they have the "
           "form of a conditional or a loop; wanted cond or while_loop");
  Contains(text, "raw_gradient_test.cc:");

  raw::Switched t = raw::switch_(x * 2.0, p);
  Tensor z = raw::merge({t.when_false, t.when_true * 2.0}).value;
  Contains(ErrorOf([&] { grad(z, t.when_true); }),
           "stands among primitives of control flow; wanted a value from "
           "around them");
}

}  // namespace
}  // namespace sluice
