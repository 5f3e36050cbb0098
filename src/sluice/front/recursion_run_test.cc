// Gradients through recursion as they run: with lists, variables and random
// numbers, thousands of calls deep, without leaving anything behind.
#include "sluice/front/second_order_test_util.h"
#include "sluice/tensor/allocator.h"

namespace sluice {
namespace {

Array D(std::initializer_list<double> v) { return Array::Vector<double>(v); }

// A tree in lists: child[k] are the places of the children of node k, none for
// a leaf, whose word is a row of the table.
TEST(RecursionGradient, OfATreeInAListWithATableOfRows) {
  Function1 f = [](const Tensors& x) {
    List words = List::of(x[0] * 2.0);
    Recursive<Tensor(Tensor, List)> node([&](const auto& self, Tensor k,
                                             List seen) {
      Tensor word = gather(x[1], mod(k, 3));
      return cond(
          k >= 3, [&] { return tanh(word + words[mod(k, 2)]); },
          [&] {
            List more = seen.append(word * x[0]);
            Tensor left = self(k * 2 + 1, more), right = self(k * 2 + 2, more);
            return tanh(left * x[0] + right + sum(more.stack(), {.axes = {0}}));
          });
    });
    return node(constant(int64_t{0}),
                List(f64, std::vector<int64_t>{2}).append(x[0]));
  };
  Array table = Array::Of<double>({3, 2}, {.1, .2, .3, .4, .5, .6});
  ExpectGradients(f, {D({.5, .7}), table});
}

TEST(RecursionGradient, OfAVariableReadAroundTheFunction) {
  Graph graph;
  Tensor n, dw;
  {
    GraphScope building(graph);
    Variable w = variable(constant({.5, .7}), "w");
    n = placeholder(i64, std::vector<int64_t>{}, "n");
    Recursive<Tensor(Tensor, Tensor)> deep(
        [&](const auto& self, Tensor k, Tensor h) {
          return cond(
              k <= 0, [&] { return h * w; },
              [&] { return self(k - 1, sin(h * w)) + w; });
        });
    dw = grad(sum(deep(n, w.read())), w);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  std::vector<double> found =
      Elements<double>(session.run({dw}, {{n, int64_t{3}}})[0]);

  Tensor leaf = constant({.5, .7}).requires_grad_();
  Tensor h = leaf;
  for (int k = 0; k < 3; ++k) h = sin(h * leaf);
  sum(h * leaf + 3.0 * leaf).backward();
  std::vector<double> expected = Elements<double>(leaf.grad().array());
  for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(found[k], expected[k], 1e-12);
}

// What is drawn in a call is what its gradient goes through.
TEST(RecursionGradient, OfRandomNumbersDrawnInCalls) {
  Graph graph;
  GraphScope building(graph);
  Tensor n = placeholder(i64, std::vector<int64_t>{}, "n");
  Tensor x = placeholder(f64, std::vector<int64_t>{2}, "x");
  Recursive<Tensor(Tensor, Tensor)> noisy(
      [&](const auto& self, Tensor k, Tensor h) {
        return cond(
            k <= 0, [&] { return h; },
            [&] {
              Tensor draw = random_normal({2}, {.dtype = f64});
              return self(k - 1, h * draw);
            });
      });
  Tensor y = noisy(n, x);
  Tensor dx = grad(sum(y), x);
  for (ExecutorChoice executor :
       {ExecutorChoice::kTape, ExecutorChoice::kTokens}) {
    Session session(graph);
    RunOptions options;
    options.executor = executor;
    // Linear in x: at ones the gradient is the value.
    std::vector<Array> out = session.run(
        {y, dx}, {{n, Array::Scalar<int64_t>(4)}, {x, D({1, 1})}}, {}, options);
    EXPECT_TRUE(out[0].BitEquals(out[1]))
        << out[0].ToString() << " and " << out[1].ToString();
  }
}

// As deep as a graph goes; what was kept is dropped again without as many calls
// of the program inside one another, and nothing is left.
TEST(RecursionGradient, ThousandsOfCallsDeep) {
  Graph graph;
  Tensor n, w, y, dw;
  {
    GraphScope building(graph);
    n = placeholder(i64, std::vector<int64_t>{}, "n");
    w = placeholder(f64, std::vector<int64_t>{2}, "w");
    Recursive<Tensor(Tensor, Tensor)> deep(
        [&](const auto& self, Tensor k, Tensor h) {
          return cond(
              k <= 0, [&] { return h; }, [&] { return self(k - 1, h * w); });
        });
    y = sum(deep(n, w));
    dw = grad(y, w);
  }
  for (ExecutorChoice executor :
       {ExecutorChoice::kTape, ExecutorChoice::kTokens}) {
    Session session(graph);
    RunOptions options;
    options.executor = executor;
    auto run = [&](int64_t calls) {
      return session.run({dw}, {{n, Array::Scalar(calls)}, {w, D({1, 1})}}, {},
                         options)[0];
    };
    EXPECT_EQ(Elements<double>(run(3999)), (std::vector<double>{4000, 4000}));
    int64_t before = HostAllocator().stats().bytes_in_use;
    EXPECT_EQ(Elements<double>(run(3000)), (std::vector<double>{3001, 3001}));
    EXPECT_EQ(HostAllocator().stats().bytes_in_use, before);
    Contains(ErrorOf([&] { run(4001); }),
             "more than 4000 calls inside one another");
    EXPECT_EQ(HostAllocator().stats().bytes_in_use, before);
  }
}

// Imperatively calls are ordinary code, recorded like any other.
TEST(RecursionGradient, ImperativelyAndCapturedAsDeepAsCodeRunsAtOnce) {
  Recursive<Tensor(Tensor, Tensor)> power([](const auto& self, Tensor k,
                                             Tensor x) {
    return cond(k <= 1, [&] { return x; }, [&] { return x * self(k - 1, x); });
  });
  auto captured =
      function([&](Tensor k, Tensor x) { return sum(power(k, x)); });
  for (bool capture : {false, true}) {
    Tensor x = constant({1.0, -1.0}).requires_grad_();
    Tensor k = constant(int64_t{900});
    Tensor y = capture ? captured(k, x) : sum(power(k, x));
    y.backward();
    EXPECT_EQ(Elements<double>(x.grad().array()),
              (std::vector<double>{900, -900}));
  }
}

// The work is in proportion to the number of calls: a tree's subtrees are not
// run again for their gradients.
TEST(RecursionGradient, OfATreeOfManyCallsRunsEachOnce) {
  Graph graph;
  Tensor n, w, dw;
  {
    GraphScope building(graph);
    n = placeholder(i64, std::vector<int64_t>{}, "n");
    w = placeholder(f64, std::vector<int64_t>{}, "w");
    Recursive<Tensor(Tensor)> tree([&](const auto& self, Tensor k) {
      return cond(
          k <= 0, [&] { return w; },
          [&] { return self(k - 1) * w + self(k - 1); });
    });
    dw = grad(tree(n), w);
  }
  // d/dw of w (w + 1)^k.
  Session session(graph);
  Array found = session.run(
      {dw}, {{n, Array::Scalar<int64_t>(14)}, {w, Array::Scalar(1.0)}})[0];
  EXPECT_EQ(*found.data<double>(), (1 << 14) + 14 * (1 << 13));
}

}  // namespace
}  // namespace sluice
