#include "sluice/tensor/shape.h"

#include <gtest/gtest.h>

#include <vector>

namespace sluice {
namespace {

std::string Error(std::vector<int64_t> dims) {
  auto made = Shape::Make(dims);
  return made.ok() ? "" : made.status().message();
}

TEST(Shape, RefusesWhatCannotBe) {
  EXPECT_EQ(Error({2, 3}), "");
  EXPECT_EQ(Error({2, -3}), "shape [2,-3] has a size of -3; wanted sizes >= 0");
  EXPECT_NE(Error({int64_t{1} << 40, int64_t{1} << 40}), "");
  EXPECT_NE(Error({INT64_MAX, INT64_MAX, 0}),
            "");  // overflows but for the zero
  EXPECT_NE(Error(std::vector<int64_t>(9, 1)), "");
  EXPECT_EQ(Error(std::vector<int64_t>(8, 1)), "");
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape().num_elements(), 1);
  EXPECT_EQ(Shape({3, 0, 5}).num_elements(), 0);
  EXPECT_EQ(Shape({3, 4}).num_elements(), 12);
}

TEST(PartialShape, PrintsWhatIsKnown) {
  EXPECT_EQ(PartialShape().ToString(), "[...]");
  EXPECT_EQ((PartialShape{2, any, SymbolDim(0)}).ToString(), "[2,?,s0]");
  EXPECT_EQ(PartialShape::Scalar().ToString(), "[]");
}

TEST(PartialShape, MergesKnowledge) {
  auto merged = MergeShapes(PartialShape{2, any, SymbolDim(1)},
                            PartialShape{any, any, 5});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->ToString(), "[2,?,5]");
  EXPECT_FALSE(MergeShapes(PartialShape{2}, PartialShape{3}).ok());
  EXPECT_FALSE(MergeShapes(PartialShape{2}, PartialShape{2, 2}).ok());
  EXPECT_EQ(JoinShapes(PartialShape{2, 3}, PartialShape{2, 4}).ToString(),
            "[2,?]");
}

TEST(PartialShape, SymbolsStandForOneSize) {
  PartialShape square{SymbolDim(0), SymbolDim(0)};
  EXPECT_TRUE(square.Covers(Shape{3, 3}));
  EXPECT_FALSE(square.Covers(Shape{3, 4}));
}

TEST(Broadcast, FollowsNumpy) {
  auto text = [](PartialShape a, PartialShape b) {
    auto r = BroadcastShapes(a, b);
    return r.ok() ? r->ToString() : r.status().message();
  };
  EXPECT_EQ(text({3, 1, 5}, {4, 1}), "[3,4,5]");
  EXPECT_EQ(text({}, {2, 2}), "[...]");
  EXPECT_EQ(text(PartialShape::Scalar(), {2, 2}), "[2,2]");
  EXPECT_EQ(text({any, 3}, {1, 3}), "[?,3]");
  EXPECT_EQ(text({any}, {7}), "[7]");  // 1 or 7 on the left: 7 either way
  EXPECT_EQ(text({any}, {any}), "[?]");
  EXPECT_EQ(text({SymbolDim(0)}, {SymbolDim(0)}), "[s0]");
  EXPECT_EQ(text({0}, {1}), "[0]");
  EXPECT_EQ(text({2, 3}, {4, 3}),
            "shapes [2,3] and [4,3] do not broadcast: axis 0 is 2 and 4");
}

}  // namespace
}  // namespace sluice
