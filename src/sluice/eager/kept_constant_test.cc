// A graph keeps the value it was given, whatever is written to the tensor
// later.
#include "sluice/front/front_test_util.h"
#include "sluice/graph/text_printer.h"
#include "sluice/ops.h"

namespace sluice {
namespace {

TEST(KeptConstant, WritesAfterwardsChangeNoSessionAndNoText) {
  Tensor x = constant({1.0f, 2.0f});
  Array own = Array::Vector<float>({1, 2});
  Tensor shares = constant(own);  // imperative: the same elements
  Graph graph;
  Tensor y, z, fed, p;
  {
    GraphScope building(graph);
    y = x * 2;
    z = constant(own) * 2;
    p = placeholder(f32, {});
    fed = x * p;
  }
  std::string before = PrintGraph(graph);
  Session early(graph);
  EXPECT_EQ(Elements<float>(early.run(y)), (std::vector<float>{2, 4}));
  x.mul_(10);
  shares.mul_(10);
  for (int i = 0; i < 2; ++i) {
    Session late(graph);
    for (Session* session : {&early, &late}) {
      EXPECT_EQ(Elements<float>(session->run(y)), (std::vector<float>{2, 4}));
      EXPECT_EQ(Elements<float>(session->run(z)), (std::vector<float>{2, 4}));
      EXPECT_EQ(Elements<float>(session->run(fed, {{p, 1.0f}})),
                (std::vector<float>{1, 2}));
    }
  }
  EXPECT_EQ(PrintGraph(graph), before);
}

TEST(KeptConstant, LargeOnesAreCopiedOnceWhileTheyAreAsTheyWere) {
  Tensor x = ones({1000});
  Graph graph;
  GraphScope building(graph);
  auto value = [](const Tensor& y) {
    return ConstantValue(y.operation().node().input(0))->raw();
  };
  const void* first = value(-x);
  EXPECT_NE(first, x.array().raw());
  EXPECT_EQ(value(-x), first);
  {
    ImperativeScope now;
    x.mul_(2);
  }
  EXPECT_NE(value(-x), first);
}

}  // namespace
}  // namespace sluice
