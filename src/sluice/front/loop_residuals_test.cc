// What a loop keeps for its gradient: no more than cannot be computed again
// cheaply, and each value once.
#include "sluice/front/loop_sums_test_util.h"
#include "sluice/graph/text_printer.h"

namespace sluice {
namespace {

TEST(LoopResiduals, OfAnLstmAreActivationsCellAndState) {
  Function1 f = [](const Tensors& x) {
    auto [h, c] = for_loop(
        x[4],
        [&](Tensor i, Tensor h, Tensor c) {
          Tensor gates = matmul(h, x[2]) + call("Gather", {x[3], i})[0];
          auto cell = call("LstmCell", {gates, c});
          return std::tuple(cell[0], cell[1]);
        },
        x[0], x[1]);
    return h;
  };
  std::vector<Array> args = {Some({2, 3}, 0), Some({2, 3}, 1), Some({3, 12}, 2),
                             Some({6, 2, 12}, 3), I(5)};
  Built built(f, args, true, true);
  // The old cell state and the new one are one list; no counter is kept.
  EXPECT_EQ(Lists(*built.Loops()[0]), 3)
      << PrintGraph(built.graph, {.lines = false});
  EXPECT_EQ(CountOps(built.Backwards(), "MatMul"), 1);
  ExpectAgree(f, args);
}

TEST(LoopResiduals, OfArithmeticAreComputedAgain) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        x[2],
        [&](Tensor i, Tensor h) {
          Tensor k = cast(i, f32) + 1.0f;
          Tensor a = h * x[1] + k;      // from h, which is kept
          Tensor e = exp(x[1] * 0.1f);  // the same each time
          return a * a * e * 0.1f + maximum(a, h);
        },
        x[0]);
  };
  std::vector<Array> args = {Some({3}, 0), Some({3}, 1), I(4)};
  Built built(f, args, true, true);
  EXPECT_EQ(Lists(*built.Loops()[0]), 1)
      << PrintGraph(built.graph, {.lines = false});
  ExpectAgree(f, args);
}

TEST(LoopResiduals, OfCountersComeFromTheIteration) {
  Function1 f = [](const Tensors& x) {
    auto [i, k, h] = while_loop(
        [&](Tensor i, Tensor, Tensor) { return i < 20; },
        [&](Tensor i, Tensor k, Tensor h) {
          Tensor scale = cast(i, f32) * 0.1f - cast(k, f32);
          return std::tuple(i + 3, k - int64_t{2}, sin(h * scale) * x[0]);
        },
        5, int64_t{7}, x[0]);
    return h;
  };
  std::vector<Array> args = {Some({3}, 0)};
  Built built(f, args, true, true);
  EXPECT_EQ(Lists(*built.Loops()[0]), 2)  // h and the sine
      << PrintGraph(built.graph, {.lines = false});
  ExpectAgree(f, args);
}

TEST(LoopResiduals, OfSizesAreSizes) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        x[1],
        [&](Tensor, Tensor h) { return concat({h + sum(h), h}, {.axis = 0}); },
        x[0]);
  };
  std::vector<Array> args = {Some({3}, 0), I(3)};
  Built built(f, args, true, false);
  for (Node* node : built.Loops()[0]->regions()[1]->nodes()) {
    if (node->op().name != "ListAppend") continue;
    EXPECT_FALSE(kFloats.contains(node->input(1).dtype())) << PrintNode(*node);
  }
  ExpectAgree(f, args);
}

// A stretch in the middle does not begin at the loop's own first number.
TEST(LoopResiduals, OfCountersOfLoopsThatComputeStretchesAgain) {
  for (Save save : {Save("recompute"), budget(2048)}) {
    Function1 f = [&](const Tensors& x) {
      LoopOptions options;
      // At once there is nothing that could be counted.
      if (x[0].symbolic()) options.save = save;
      return for_loop(
          x[1],
          [&](Tensor i, Tensor h) { return h * (1.0f + 0.01f * cast(i, f32)); },
          x[0], options);
    };
    ExpectAgree(f, {Some({3}, 0), I(17)});
    Function1 g = [&](const Tensors& x) {
      LoopOptions options;
      // At once there is nothing that could be counted.
      if (x[0].symbolic()) options.save = save;
      return for_loop(
          x[1],
          [&](Tensor i, Tensor h) {
            return sin(h) * (1.0f + 0.01f * cast(i, f32));
          },
          x[0], options);
    };
    ExpectAgree(g, {Some({3}, 0), I(40)});
  }
}

}  // namespace
}  // namespace sluice
