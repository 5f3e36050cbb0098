// Gradients through functions that call themselves: in graphs and captured
// functions they are what the imperative run of the same code gives, and what
// finite differences say.
#include "sluice/front/second_order_test_util.h"

namespace sluice {
namespace {

Array D(std::initializer_list<double> v) { return Array::Vector<double>(v); }
Array I(int64_t v) { return Array::Scalar<int64_t>(v); }

TEST(RecursionGradient, OfAPowerByCalls) {
  Recursive<Tensor(Tensor, Tensor)> power(
      [](const auto& self, Tensor n, Tensor x) {
        return cond(
            n <= 0, [&] { return x * 0.0 + 1.0; },
            [&] { return x * self(n - 1, x); });
      });
  for (int64_t n : {0, 1, 5}) {
    ExpectGradients([&](const Tensors& x) { return power(x[0], x[1]); },
                    {I(n), D({1.5, 2})});
  }
}

TEST(RecursionGradient, OfWeightsAroundTheFunction) {
  Function1 f = [](const Tensors& x) {
    Recursive<Tensor(Tensor, Tensor)> deep(
        [&](const auto& self, Tensor n, Tensor h) {
          return cond(
              n <= 0, [&] { return h * x[2]; },
              [&] { return self(n - 1, tanh(h * x[1] + x[2])); });
        });
    return deep(x[0], x[3]);
  };
  for (int64_t n : {0, 1, 4}) {
    ExpectGradients(f, {I(n), D({.5, .7}), D({.1, .2}), D({1, 2})});
  }
  ExpectEveryWay(f, {I(4), D({.5, .7}), D({.1, .2}), D({1, 2})});
}

TEST(RecursionGradient, OfATreeOfCallsWithWeights) {
  // Like Fibonacci's numbers, with a cell where he has a sum.
  Function1 f = [](const Tensors& x) {
    Recursive<Tensor(Tensor)> tree([&](const auto& self, Tensor n) {
      return cond(
          n < 2, [&] { return x[1] * cast(n + 1, f64); },
          [&] { return sin(self(n - 1) * x[2] + self(n - 2)); });
    });
    return tree(x[0]);
  };
  for (int64_t n : {0, 1, 2, 6}) {
    ExpectGradients(f, {I(n), D({.5, .7}), D({.9, 1.2})});
  }
}

// One gives itself on to the other, which is made inside it.
TEST(RecursionGradient, OfTwoFunctionsThatCallEachOther) {
  Function1 f = [](const Tensors& x) {
    Recursive<Tensor(Tensor, Tensor)> even([&](const auto& again, Tensor n,
                                               Tensor h) {
      Recursive<Tensor(Tensor, Tensor)> odd([&](const auto& self, Tensor k,
                                                Tensor z) {
        return cond(
            equal(mod(k, 3), 0), [&] { return z * x[1] + h; },
            [&] {
              return cond(
                  equal(mod(k, 2), 0), [&] { return again(k - 1, sin(z * h)); },
                  [&] { return self(k - 1, z * x[2]); });
            });
      });
      return cond(
          n <= 0, [&] { return h * h; }, [&] { return odd(n - 1, cos(h)); });
    });
    return even(x[0], x[3]);
  };
  for (int64_t n : {0, 1, 3, 5, 6, 9, 12}) {
    ExpectGradients(f, {I(n), D({.5, .7}), D({.9, 1.2}), D({.3, .4})});
  }
}

TEST(RecursionGradient, OfALoopThatCallsAgain) {
  // A tree of depth n in which every node has n children, added with weights.
  Function1 f = [](const Tensors& x) {
    Recursive<Tensor(Tensor, Tensor)> node(
        [&](const auto& self, Tensor n, Tensor h) {
          return cond(
              n <= 0, [&] { return h * x[1]; },
              [&] {
                auto [i, total] = while_loop(
                    [&](Tensor i, Tensor) { return i < n; },
                    [&](Tensor i, Tensor total) {
                      Tensor child = self(n - 1, h * cast(i + 1, f64));
                      return std::tuple(i + 1, sin(total * x[2]) + child);
                    },
                    n * 0, h);
                return total;
              });
        });
    return node(x[0], x[3]);
  };
  for (int64_t n : {0, 1, 3}) {
    ExpectGradients(f, {I(n), D({.5, .7}), D({.9, 1.2}), D({.3, .4})});
  }
}

TEST(RecursionGradient, OfCallsInALoop) {
  for (bool made_inside : {false, true}) {
    Function1 f = [&](const Tensors& x) {
      auto body = [&](const auto& self, Tensor n, Tensor h) {
        return cond(
            n <= 0, [&] { return h; },
            [&] { return tanh(self(n - 1, h * x[1])); });
      };
      using Function = Recursive<Tensor(Tensor, Tensor)>;
      Function outer([&](const auto& self, Tensor n, Tensor h) {
        return cond(
            n <= 0, [&] { return h; },
            [&] {
              Tensor z = for_loop(
                  n,
                  [&](Tensor i, Tensor z) {
                    return (made_inside ? Function(body)(i, z) : self(i, z)) *
                           x[2];
                  },
                  h);
              return self(n - 1, sin(z));
            });
      });
      return for_loop(
          3,
          [&](Tensor i, Tensor h) {
            // Constants of the loop's body that the function reads.
            Tensor k = h * x[2];
            Function here([&](const auto& self, Tensor n, Tensor z) {
              return cond(
                  n <= 0, [&] { return z * k; },
                  [&] { return self(n - 1, z + k * x[1]); });
            });
            return sin(here(i, h)) + outer(mod(i, 3), h);
          },
          x[0]);
    };
    ExpectGradients(f, {D({.3, .4}), D({.5, .7}), D({.9, 1.2})});
  }
}

TEST(RecursionGradient, OfSeveralResultsOfWhichSomeAreUsed) {
  using Pair = std::pair<Tensor, Tensor>;
  Function1 f = [](const Tensors& x) {
    Recursive<Pair(Tensor, Pair)> walk([&](const auto& self, Tensor n, Pair s) {
      return cond(
          n <= 0, [&] { return s; },
          [&] {
            Pair deeper = self(n - 1, Pair(s.second * x[1], s.first + x[2]));
            return Pair(deeper.second * s.first, deeper.first);
          });
    });
    return walk(x[0], Pair(x[1], x[3])).first;
  };
  for (int64_t n : {0, 1, 2, 5}) {
    ExpectGradients(f, {I(n), D({.5, .7}), D({.9, 1.2}), D({.3, .4})});
  }
}

TEST(RecursionGradient, CallsThatNoGradientGoesThrough) {
  Function1 f = [](const Tensors& x) {
    Recursive<Tensor(Tensor, Tensor)> walk(
        [&](const auto& self, Tensor n, Tensor h) {
          return cond(
              n <= 0, [&] { return h * x[1]; },
              [&] {
                Tensor still = self(n - 2, constant({2.0, 3.0}));
                return self(n - 1, h * x[1]) *
                       cast(cast(still * 0.0 + 1.0, i64), f64);
              });
        });
    return walk(x[0], x[2]) + walk(x[0] * 0 + 2, x[1]);
  };
  ExpectGradients(f, {I(4), D({.5, .7}), D({.9, 1.2})});
}

TEST(RecursionGradient, OfSizesThatGrow) {
  Function1 f = [](const Tensors& x) {
    Recursive<Tensor(Tensor, Tensor)> grow([&](const auto& self, Tensor n,
                                               Tensor v) {
      return cond(
          n <= 0, [&] { return v * x[1]; },
          [&] { return self(n - 1, concat({v * x[1], sin(v)}, {.axis = 0})); });
    });
    return grow(x[0], x[2]);
  };
  ExpectGradients(f, {I(0), Array::Scalar(1.5), D({.9, 1.2})});
  ExpectGradients(f, {I(3), Array::Scalar(1.5), D({.9, 1.2})});
}

TEST(RecursionGradient, OfCallsInConditionalsAndTwice) {
  Function1 f = [](const Tensors& x) {
    Recursive<Tensor(Tensor, Tensor)> half(
        [&](const auto& self, Tensor n, Tensor h) {
          return cond(
              sum(h) < 1.0, [&] { return h + x[1]; },
              [&] {
                return cond(
                    equal(mod(n, 2), 0),
                    [&] { return self(floor_div(n, 2), h * 0.5); },
                    [&] { return self(floor_div(n, 2), h * x[1]) * h; });
              });
        });
    return cond(
        x[0] > 3, [&] { return half(x[0], x[2]) * half(x[0] + 1, x[2] * 2.0); },
        [&] { return x[1]; });
  };
  ExpectGradients(f, {I(2), D({.5, .7}), D({3, 5})});
  ExpectGradients(f, {I(12), D({.5, .7}), D({3, 5})});
}

}  // namespace
}  // namespace sluice
