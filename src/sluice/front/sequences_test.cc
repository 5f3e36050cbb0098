#include "sluice/front/sequences.h"

#include "sluice/front/every_way_test_util.h"
#include "sluice/front/function.h"

namespace sluice {
namespace {

using Tensors = std::vector<Tensor>;

Array F(std::initializer_list<float> v) { return Array::Vector<float>(v); }
Array Rows() { return Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}); }

TEST(MapFn, ElementsStructuresAndZeroLength) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [a, b] = map_fn(
        [](std::pair<Tensor, Tensor> e) {
          return std::pair(e.first * 2.0f, sum(e.second) + e.first);
        },
        std::pair(x[0], x[1]));
    return {a, b};
  };
  std::vector<Array> out = EveryWay(f, {F({1, 2, 3}), Rows()});
  EXPECT_EQ(Elements<float>(out[0]), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(Elements<float>(out[1]), (std::vector<float>{4, 9, 14}));
  out = EveryWay(f, {F({}), Array::Zeros(DType::kF32, {0, 2})});
  EXPECT_EQ(out[0].shape(), (Shape{0}));
  EXPECT_EQ(out[1].shape(), (Shape{0}));
}

TEST(MapFn, NestsAndMayChangeTypeAndShape) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {map_fn(
        [](Tensor row) {
          return map_fn([](Tensor e) { return stack({e, -e}) > 2.5f; }, row);
        },
        x[0])};
  };
  std::vector<Array> out = EveryWay(f, {Rows()});
  EXPECT_EQ(out[0].shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(out[0].dtype(), DType::kBool);
}

TEST(Scan, AllStatesStackedForwardAndBackward) {
  for (bool reverse : {false, true}) {
    Fn f = [&](const Tensors& x) -> Tensors {
      return {scan([](Tensor s, Tensor e) { return s + sum(e); }, x[1], x[0],
                   {.reverse = reverse})};
    };
    EXPECT_EQ(Elements<float>(EveryWay(f, {Rows(), Array::Scalar(0.0f)})[0]),
              reverse ? (std::vector<float>{21, 18, 11})
                      : (std::vector<float>{3, 10, 21}));
  }
}

TEST(Scan, OutputsAndStateApart) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [ys, last] = scan(
        [](std::pair<Tensor, Tensor> s, Tensor e) {
          auto next = std::pair(s.first + e, s.second * 2.0f);
          return std::pair(Tensors{next.first * next.second, e}, next);
        },
        std::pair(x[1], constant(1.0f)), x[0]);
    return {ys[0], ys[1], last.first, last.second};
  };
  std::vector<Array> out = EveryWay(f, {Rows(), F({0, 0})});
  EXPECT_EQ(Elements<float>(out[0]),
            (std::vector<float>{2, 4, 16, 24, 72, 96}));
  EXPECT_EQ(Elements<float>(out[2]), (std::vector<float>{9, 12}));
  EXPECT_EQ(Elements<float>(out[3]), std::vector<float>{8});
}

TEST(Fold, LeftRightWithAndWithoutInitialValue) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto minus = [](Tensor a, Tensor e) { return a * 2.0f - e; };
    return {foldl(minus, x[0]), foldr(minus, x[0]), foldl(minus, x[0], x[1]),
            foldr(minus, x[0], x[1])};
  };
  std::vector<Array> out = EveryWay(f, {F({1, 2, 4}), Array::Scalar(10.0f)});
  auto value = [&](size_t i) { return *out[i].data<float>(); };
  EXPECT_EQ(value(0), -4);  // (1*2 - 2)*2 - 4
  EXPECT_EQ(value(1), 11);  // (4*2 - 2)*2 - 1
  EXPECT_EQ(value(2), 68);
  EXPECT_EQ(value(3), 59);
  Fn empty = [](const Tensors& x) -> Tensors {
    return {foldl([](Tensor a, Tensor e) { return a + e; }, x[0], x[1])};
  };
  EXPECT_EQ(*EveryWay(empty, {F({}), Array::Scalar(10.0f)})[0].data<float>(),
            10);
}

TEST(Sequences, CodeThatGivesAnotherNumberOfTensorsEachTimeIsRefused) {
  int calls = 0;
  auto more = [&](Tensor e) {
    return Tensors(static_cast<size_t>(++calls), e);
  };
  Tensor x = constant({1.0f, 2.0f});
  auto text = "[map_fn] the function returns 2 tensors and has returned 1";
  Contains(ErrorOf([&] { map_fn(more, x); }), text);
  calls = 0;
  auto captured = function([&](Tensor e) { return map_fn(more, e)[0]; });
  Contains(ErrorOf([&] { captured(x); }), text);
}

TEST(Sequences, BadInput) {
  Tensors x{constant({1.0f, 2.0f}), constant({1.0f, 2.0f, 3.0f}),
            constant(1.0f)};
  auto add = [](std::pair<Tensor, Tensor> e) { return e.first + e.second; };
  Contains(ErrorOf([&] { map_fn(add, std::pair(x[0], x[1])); }),
           "[map_fn] sequences have 2 and 3 elements; wanted equal lengths");
  Contains(ErrorOf([&] { map_fn([](Tensor e) { return e; }, x[2]); }),
           "[map_fn] a sequence is f32[]; wanted at least one axis");
  Contains(ErrorOf([&] {
             foldl([](Tensor a, Tensor e) { return a + e; }, zeros({0}));
           }),
           "[foldl] the sequence is empty and there is no initial value");
  EveryWayFails(
      [](const Tensors& x) -> Tensors {
        return {map_fn([&](Tensor i) { return gather(x[1], i); }, x[0])};
      },
      {Array::Vector<int64_t>({0, 1, 5}), F({1, 2})},
      {"[Gather]", "in iteration 2 of the loop at "});
}

}  // namespace
}  // namespace sluice
