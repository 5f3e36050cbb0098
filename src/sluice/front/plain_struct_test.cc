// Structs of the program as loops carry and branches return them.
#include "sluice/front/every_way_test_util.h"
#include "sluice/front/front_test_util.h"
#include "sluice/front/sequences.h"

namespace sluice {
namespace {

struct Walk {
  Tensor at, speed;
  std::vector<Tensor> seen;
};
struct Nested {
  Walk walk;
  std::pair<Tensor, List> rest;
};
struct WithNumber {
  Tensor at;
  int steps;
};
struct Many {
  Tensor a, b, c, d, e, f, g, h, i, j, k, l;
};
struct TooMany {
  Many many;
  Tensor a, b, c, d, e, f, g, h, i, j, k, l;
};

static_assert(IsStructure<Walk> && IsStructure<Nested> && IsStructure<Many>);
static_assert(!IsStructure<WithNumber>, "what is no tensor cannot be carried");
static_assert(!IsStructure<TooMany>);
static_assert(!IsStructure<LoopOptions> && !IsStructure<int> &&
              !IsStructure<std::string>);

TEST(PlainStruct, IsTakenApartAndPutTogetherInOrder) {
  Tensor a = constant(1), b = constant(2), c = constant(3), d = constant(4);
  Nested n{{a, b, {c, d}}, {a, List(i64)}};
  std::vector<Tensor> flat = Flatten(n);
  ASSERT_EQ(flat.size(), 6u);
  EXPECT_EQ(flat[3].item<int>(), 4);
  std::swap(flat[0], flat[3]);
  Nested again = Rebuild(n, flat);
  EXPECT_EQ(again.walk.at.item<int>(), 4);
  EXPECT_EQ(again.walk.seen[1].item<int>(), 1);
  EXPECT_EQ(Structure<Nested>::Text(n),
            "{{tensor, tensor, [tensor, tensor]}, (tensor, list of i64)}");
}

TEST(PlainStruct, IsCarriedByLoopsAndReturnedByBranches) {
  Fn f = [](const std::vector<Tensor>& x) {
    Walk end = while_loop(
        [](const Walk& w) { return sum(w.at) < 20.0f; },
        [](const Walk& w) {
          return cond(
              sum(w.speed) < 4.0f,
              [&] {
                return Walk{w.at + w.speed, w.speed * 2, {w.seen[0] + 1}};
              },
              [&] { return Walk{w.at + w.speed, w.speed, w.seen}; });
        },
        Walk{x[0], x[0], {constant(0)}});
    return std::vector<Tensor>{end.at, end.speed, end.seen[0]};
  };
  std::vector<Array> got = EveryWay(f, {Array::Vector<float>({1, 0.5f})});
  EXPECT_EQ(Elements<float>(got[1]), (std::vector<float>{4, 2}));
  EXPECT_EQ(got[2].data<int32_t>()[0], 2);
}

TEST(PlainStruct, IsTheStateOfAScan) {
  Fn f = [](const std::vector<Tensor>& x) {
    auto [kept, last] = scan(
        [](const Walk& w, const Tensor& push) {
          Walk next{w.at + w.speed, w.speed + push, {}};
          return std::pair(next.at, next);
        },
        Walk{constant(0.f), constant(1.f), {}}, x[0]);
    return std::vector<Tensor>{kept, last.speed};
  };
  std::vector<Array> got = EveryWay(f, {Array::Vector<float>({1, 1, 1})});
  EXPECT_EQ(Elements<float>(got[0]), (std::vector<float>{1, 3, 6}));
}

TEST(PlainStruct, OfAnotherShapeIsRefused) {
  EveryWayFails(
      [](const std::vector<Tensor>& x) {
        Walk end = while_loop(
            [](const Walk& w) { return sum(w.at) < 20.0f; },
            [](const Walk& w) { return Walk{w.at, w.speed, {w.at}}; },
            Walk{x[0], x[0], {}});
        return std::vector<Tensor>{end.at};
      },
      {Array::Vector<float>({1})}, {"{tensor, tensor, [tensor]}"});
}

}  // namespace
}  // namespace sluice
