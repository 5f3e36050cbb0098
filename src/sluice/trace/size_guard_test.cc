#include "sluice/trace/size_guard.h"

#include <gtest/gtest.h>

#include "sluice/sluice.h"

namespace sluice {
namespace {

// A graph of one argument x: f32[?,?], with nodes that a test adds.
struct Recorded {
  Graph graph;
  Tensor x;
  Recorded() {
    MutexLock lock(graph.mu());
    x = Tensor(graph, ValueOrThrow(graph.AddArg(
                          graph.root(), "arg_0",
                          {DType::kF32, PartialShape::OfRank(2)})));
  }
};

std::string ShapeText(KnownSizes& sizes, const Tensor& t) {
  return ValueOrThrow(sizes.ShapeOf(t.value())).ToString();
}

TEST(KnownSizes, FollowShapesAndSmallIntegers) {
  Recorded r;
  GraphScope open(r.graph);
  Tensor rows = gather(shape(r.x), 0), columns = gather(shape(r.x), 1);
  Tensor flat = reshape(r.x, stack({rows * columns}));
  Tensor twice = concat({r.x, r.x}, {.axis = 0});
  KnownSizes sizes(r.graph, {{3, 4}});
  EXPECT_EQ(ShapeText(sizes, flat), "[12]");
  EXPECT_EQ(ShapeText(sizes, twice), "[6,4]");
  EXPECT_EQ(*ValueOrThrow(sizes.NumberOf((rows + columns).value())), 7);
  EXPECT_EQ(*ValueOrThrow(sizes.NumberOf((rows < columns).value())), 1);
  // Nodes that are added later are known, too.
  EXPECT_EQ(ShapeText(sizes, transpose(twice)), "[4,6]");
}

TEST(KnownSizes, OfDataAreNotKnown) {
  Recorded r;
  GraphScope open(r.graph);
  Tensor places = non_zero(r.x > 0.0f);
  Tensor count = gather(shape(places), 0), width = gather(shape(places), 1);
  KnownSizes sizes(r.graph, {{3, 4}});
  EXPECT_EQ(ShapeText(sizes, places), "[?,2]");
  EXPECT_FALSE(ValueOrThrow(sizes.NumberOf(count.value())).has_value());
  EXPECT_EQ(*ValueOrThrow(sizes.NumberOf(width.value())), 2);
}

TEST(KnownSizes, ThatDoNotFitAreAnError) {
  Recorded r;
  GraphScope open(r.graph);
  Tensor sum = r.x + transpose(r.x);
  KnownSizes square(r.graph, {{3, 3}}), other(r.graph, {{3, 4}});
  EXPECT_EQ(ShapeText(square, sum), "[3,3]");
  EXPECT_FALSE(other.ShapeOf(sum.value()).ok());
}

TEST(KnownSizes, ThroughBranchesAndLoops) {
  Recorded r;
  GraphScope open(r.graph);
  Tensor either = cond(
      sum(r.x) > 0.0f, [&] { return r.x * 2.0f; }, [&] { return r.x - 1.0f; });
  Tensor one_of = cond(
      sum(r.x) > 0.0f, [&] { return r.x; },
      [&] { return concat({r.x, r.x}, {.axis = 0}); });
  Tensor same = while_loop([](Tensor v) { return sum(v) < 100.0f; },
                           [](Tensor v) { return v * 2.0f; }, r.x);
  Tensor grows =
      while_loop([](Tensor v) { return sum(v) < 100.0f; },
                 [](Tensor v) { return concat({v, v}, {.axis = 0}); }, r.x);
  KnownSizes sizes(r.graph, {{3, 4}});
  EXPECT_EQ(ShapeText(sizes, either), "[3,4]");
  EXPECT_EQ(ShapeText(sizes, one_of), "[?,4]");
  EXPECT_EQ(ShapeText(sizes, same), "[3,4]");
  EXPECT_EQ(ShapeText(sizes, grows), "[?,4]");
}

// An eager tensor, whatever graph is open.
Tensor Here(int64_t rows, int64_t columns) {
  ImperativeScope now;
  return ones({rows, columns});
}

TEST(SizeGuards, HoldWhereTheSameComesOut) {
  Recorded r;
  GraphScope open(r.graph);
  SizeGuards guards(r.graph, {Here(2, 6)}, {"x"});
  EXPECT_EQ(guards.NameOf(r.x.value(), 1), "x.shape[1]");
  Tensor large = gather(shape(r.x), 1) > 5;
  ASSERT_TRUE(guards.Require(large.value(), "x.shape[1] > 5").ok());
  EXPECT_TRUE(guards.Fit({Here(9, 7)}));
  EXPECT_TRUE(guards.Fit({Here(9, 7)}));
  EXPECT_FALSE(guards.Fit({Here(9, 5)}));
  EXPECT_EQ(guards.Why({Here(9, 5)}),
            "x.shape[1] > 5 is False; the last trace had True");
  EXPECT_EQ(guards.Why({Here(9, 7)}), "");
  Tensor data = gather(shape(non_zero(r.x)), 0) > 3;
  EXPECT_FALSE(guards.Require(data.value(), "how many").ok());
}

}  // namespace
}  // namespace sluice
