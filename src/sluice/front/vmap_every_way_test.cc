// vmap under every executor, in graphs whose sizes are known and not, in
// captured functions and imperatively.
#include "sluice/front/every_way_test_util.h"

namespace sluice {
namespace {

namespace sl = sluice;
using Floats = std::vector<float>;

Array Vector(std::initializer_list<float> v) {
  return Array::Of<float>({static_cast<int64_t>(v.size())}, v);
}

TEST(VmapEveryWay, Branches) {
  Fn f = [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    return {sl::vmap([](Tensor x) {
      return sl::cond(
          x > 0.f, [&] { return sl::sqrt(x); },
          [&] {
            return sl::cond(
                x < -2.f, [&] { return -x; }, [&] { return x * 3.f; });
          });
    })(in[0])};
  };
  EXPECT_EQ(Elements<float>(EveryWay(f, {Vector({4, -1, 9, -5})})[0]),
            (Floats{2, -3, 3, 5}));
  EXPECT_EQ(Elements<float>(EveryWay(f, {Vector({4, 9})})[0]), (Floats{2, 3}));
}

TEST(VmapEveryWay, LoopsOfDifferentLengthsWithCapturedLanes) {
  Fn f = [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    auto [n, v] = sl::vmap([](Tensor x, Tensor step) {
      return sl::while_loop([](Tensor, Tensor v) { return v > 0.f; },
                            [&](Tensor n, Tensor v) {
                              return std::tuple(n + int64_t{1}, v - step);
                            },
                            sl::constant(int64_t{0}), x);
    })(in[0], in[1]);
    return {n, v};
  };
  std::vector<Array> got =
      EveryWay(f, {Vector({5, 0, 1, 3}), Vector({2, 1, 1, 0.5f})});
  EXPECT_EQ(Elements<int64_t>(got[0]), (std::vector<int64_t>{3, 0, 1, 6}));
  EXPECT_EQ(Elements<float>(got[1]), (Floats{-1, 0, 0, 0}));
}

TEST(VmapEveryWay, NestedAndMatrices) {
  Fn f = [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    Tensor w = in[1];
    return {sl::vmap([&](Tensor row) {
      Tensor h = sl::matmul(sl::reshape(row, {1, 2}), w);
      return sl::vmap([](Tensor v) {
        return sl::while_loop([](Tensor v) { return v > 1.f; },
                              [](Tensor v) { return v / 2.f; }, v);
      })(sl::reshape(h, {-1}));
    })(in[0])};
  };
  Array x = Array::Of<float>({2, 2}, {1, 2, 3, 4});
  Array w = Array::Of<float>({2, 2}, {1, 0, 1, 1});
  // [3, 2] and [7, 4], halved until they are at most 1.
  EXPECT_EQ(Elements<float>(EveryWay(f, {x, w})[0]),
            (Floats{0.75f, 1, 0.875f, 1}));
}

TEST(VmapEveryWay, RecursionAndScan) {
  Fn f = [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    Tensor fib = sl::vmap([](Tensor n) {
      sl::Recursive<Tensor(Tensor)> fib([](const auto& self, Tensor n) {
        return sl::cond(
            n < 2.f, [&] { return n; },
            [&] { return self(n - 1.f) + self(n - 2.f); });
      });
      return fib(n);
    })(in[0]);
    Tensor sums = sl::vmap([](Tensor row) {
      return sl::scan([](Tensor sum,
                         Tensor x) { return std::pair(sum + x, sum + x); },
                      sl::constant(0.f), row)
          .first;
    })(in[1]);
    return {fib, sums};
  };
  std::vector<Array> got = EveryWay(
      f, {Vector({6, 0, 3}), Array::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(Elements<float>(got[0]), (Floats{8, 0, 2}));
  EXPECT_EQ(Elements<float>(got[1]), (Floats{1, 3, 6, 4, 9, 15}));
}

TEST(VmapEveryWay, AnErrorOfALaneNamesItsLine) {
  Fn f = [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    return {sl::vmap(
        [](Tensor x, Tensor table) {
          return sl::call("Gather", {table, sl::cast(x, sl::i64)})[0];
        },
        {.in_axes = {0, sl::unbatched}})(in[0], in[1])};
  };
  EveryWayFails(f, {Vector({0, 7}), Vector({1, 2, 3})},
                {"[Gather]", "vmap_every_way_test.cc"});
}

}  // namespace
}  // namespace sluice
