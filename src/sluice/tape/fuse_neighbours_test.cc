#include "sluice/tape/fuse_neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/step/executor_test_util.h"

namespace sluice {
namespace {

// y[i] = 2 x[i] + 1 by a kernel that supports loops on both sides, in stretches
// of odd lengths, over several threads.
Status TwicePlusOne(KernelContext& ctx) {
  int64_t n = ctx.out(0).num_elements();
  float* y = ctx.out(0).mutable_data<float>();
  ParallelFor(ctx.step().pool, n, 37, [&](int64_t begin, int64_t end) {
    float scratch[37];
    const float* x = ctx.Load(begin, end - begin, scratch);
    for (int64_t i = begin; i < end; ++i) y[i] = 2 * x[i - begin] + 1;
    ctx.Finish(begin, end - begin);
  });
  return OkStatus();
}

// The same with a second result: the number of elements.
Status TwicePlusOneAndCount(KernelContext& ctx) {
  *ctx.out(1).mutable_data<int64_t>() = ctx.out(0).num_elements();
  return TwicePlusOne(ctx);
}

// y[r, c] = sum over k of x[r, k], in tiles: reads its whole input before the
// first stretch is final, so the input must not be overwritten.
Status SpreadSums(KernelContext& ctx) {
  int64_t rows = ctx.in(0).dim(0), n = ctx.in(0).dim(1);
  const float* x = ctx.in(0).data<float>();
  float* y = ctx.out(0).mutable_data<float>();
  for (int64_t c = 0; c < n; c += 5) {
    int64_t w = std::min<int64_t>(5, n - c);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t j = c; j < c + w; ++j) {
        y[r * n + j] = 0;
        for (int64_t k = 0; k < n; ++k) y[r * n + j] += x[r * n + k];
      }
    }
    ctx.FinishTile(c, rows, n, w);
  }
  return OkStatus();
}

SL_OP(TestTwicePlusOne)
    .doc("For tests.")
    .input("x: f32")
    .output("y: f32")
    .shape(shapes::same_as_first)
    .cpu(TwicePlusOne)
    .fuse_input()
    .fuse_output();

Status SameAndScalar(ShapeContext& c) {
  c.set_out(0, c.in(0));
  c.set_out(1, Shape());
  return OkStatus();
}

SL_OP(TestTwicePlusOneAndCount)
    .doc("For tests.")
    .input("x: f32")
    .output("y: f32")
    .output("count: i64")
    .shape(SameAndScalar)
    .cpu(TwicePlusOneAndCount)
    .fuse_output();

SL_OP(TestSpreadSums)
    .doc("For tests.")
    .input("x: f32")
    .output("y: f32")
    .shape(shapes::same_as_first)
    .cpu(SpreadSums)
    .fuse_output();

Array Numbers(const Shape& shape, int salt) {
  Array a = *Array::Make(DType::kF32, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    a.mutable_data<float>()[i] =
        static_cast<float>((i * 7 + salt * 5) % 23) / 4 - 2.5f;
  }
  return a;
}

// Runs the graph under every executor and returns the text of its plan.
std::string Explained(const std::string& text) {
  auto graph = MustParse(text);
  std::vector<Array> args;
  for (int i = 0; i < graph->root().num_args(); ++i) {
    args.push_back(Numbers(graph->root().arg(i).shape().ToShape(), i));
  }
  ExpectAllAgree(*graph, args);
  auto plan = Plan::Build(graph->Clone(), PlanOptions());
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  return (*plan)->Explain();
}

void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), text.npos) << "no \"" << part << "\" in\n" << text;
}

TEST(FuseNeighbours, BiasAndActivationRunBehindTheKernel) {
  std::string plan = Explained(R"(graph g(%x: f32[40,50], %b: f32[50]) -> (%r) {
    %y = TestTwicePlusOne(%x)
    %s = Add(%y, %b)
    %r = Relu(%s)
  })");
  ExpectHas(plan, "fused behind it: Add Relu");
  ExpectHas(plan, "3 nodes in 1 instructions");
}

TEST(FuseNeighbours, ALoopBeforeTheKernelMakesItsInput) {
  std::string plan = Explained(R"(graph g(%x: f32[40,50], %b: f32[50]) -> (%y) {
    %s = Mul(%x, %b)
    %t = Tanh(%s)
    %y = TestTwicePlusOne(%t)
  })");
  ExpectHas(plan, "fused before it: Mul Tanh");
  ExpectHas(plan, "planned memory: 0 B");
}

TEST(FuseNeighbours, BothSidesAndSeveralKernels) {
  std::string plan = Explained(R"(graph g(%x: f32[33,50]) -> (%b) {
    %s = Square(%x)
    %y = TestTwicePlusOne(%s)
    %a = Neg(%y)
    %z = TestTwicePlusOne(%a)
    %b = Abs(%z)
  })");
  ExpectHas(plan, "fused before it: Square, fused behind it: Neg");
  ExpectHas(plan, "fused behind it: Abs");
  ExpectHas(plan, "5 nodes in 2 instructions");
}

// The reshapes in between keep the order of all elements.
TEST(FuseNeighbours, ReshapesStandInNobodysWay) {
  std::string plan = Explained(R"(graph g(%x: f32[12,10]) -> (%b) {
    %s = Square(%x)
    %t = ExpandDims(%s) [axis = 0]
    %y = TestTwicePlusOne(%t)
    %u = Squeeze(%y) [axes = {0}]
    %b = Neg(%u)
  })");
  ExpectHas(plan, "fused before it: Square, fused behind it: Neg");
}

// The loop that reads %s a second time has itself been fused with a kernel.
TEST(FuseNeighbours, AValueReadByALoopThatMovedIsStillReadTwice) {
  std::string plan =
      Explained(R"(graph g(%x: f32[6], %w: f32[4,6]) -> (%y, %z) {
    %s = Neg(%x)
    %a = Add(%s, %w)
    %z = TestTwicePlusOne(%a)
    %y = TestTwicePlusOne(%s)
  })");
  ExpectHas(plan, "fused before it: Add");
  ExpectHas(plan, "the value in between is read twice");
}

// A loop behind the kernel added the gradient of the scale before it was
// computed.
TEST(FuseNeighbours, ALoopThatReadsAnotherResultWaitsForTheKernelsEnd) {
  std::string plan =
      Explained(R"(graph g(%dy: f32[4], %x: f32[4], %s: f32[4], %r: f32[])
                   -> (%z) {
    %d = RmsNormGrad(%dy, %x, %s, %r)
    %z = Add(%d:0, %d:1)
  })");
  ExpectHas(plan, "the loop reads another of its results");
  Array row = Array::Vector<float>({1, -2, 3, 0.5f});
  ExpectAllAgree(*MustParse(R"(graph g(%dy: f32[4], %x: f32[4], %s: f32[4],
                                       %r: f32[]) -> (%z) {
    %d = RmsNormGrad(%dy, %x, %s, %r)
    %z = Add(%d:0, %d:1)
  })"),
                 {row, row, row, Array::Scalar(0.5f)});
}

TEST(FuseNeighbours, AResultReadAgainKeepsItsMemory) {
  std::string plan = Explained(R"(graph g(%x: f32[200]) -> (%z, %w) {
    %y = TestTwicePlusOne(%x)
    %z = Neg(%y)
    %w = TestTwicePlusOne(%y)
  })");
  ExpectHas(plan, "fused behind it: Neg");
  // The raw result itself is fetched.
  Explained(R"(graph g(%x: f32[200]) -> (%y, %z) {
    %y = TestTwicePlusOne(%x)
    %z = Neg(%y)
  })");
}

// Neg writes its result while the kernel still reads the sum that it is
// computed from.
TEST(FuseNeighbours, TheLoopBehindNeverWritesOverWhatTheKernelReads) {
  std::string plan = Explained(R"(graph g(%x: f32[9,23]) -> (%c, %e) {
    %a = TestTwicePlusOne(%x)
    %y = TestSpreadSums(%a)
    %b = Sub(%y, %a)
    %d = Neg(%b)
    %c = TestSpreadSums(%b)
    %e = TestSpreadSums(%d)
  })");
  ExpectHas(plan, "fused behind it: Sub Neg");
}

// Only the loop reads the residual, which ends there: it may be overwritten,
// but not by the raw result, which comes first.
TEST(FuseNeighbours, AResidualIsReadBeforeItIsOverwritten) {
  std::string plan =
      Explained(R"(graph g(%x: f32[9,23], %w: f32[9,23]) -> (%d) {
    %r = TestTwicePlusOne(%w)
    %y = TestSpreadSums(%x)
    %b = Mul(%y, %r)
    %c = Sub(%b, %r)
    %d = TestSpreadSums(%c)
  })");
  ExpectHas(plan, "fused behind it: Mul Sub");
}

TEST(FuseNeighbours, TheRawResultMayBeReadLate) {
  Explained(R"(graph g(%x: f32[9,23]) -> (%a, %c) {
    %y = TestSpreadSums(%x)
    %a = Neg(%y)
    %b = Square(%a)
    %c = Sub(%b, %y)
  })");
}

TEST(FuseNeighbours, SaysWhatStoppedIt) {
  ExpectHas(Explained(R"(graph g(%x: f32[6], %z: f32[4,6]) -> (%b) {
    %y = TestTwicePlusOne(%x)
    %b = Add(%y, %z)
  })"),
            "is spread or rearranged over the loop's [4,6]");
  ExpectHas(Explained(R"(graph g(%x: f32[6]) -> (%b, %y) {
    %s = Neg(%x)
    %y = TestTwicePlusOne(%s)
    %b = CumSum(%s)
  })"),
            "the value in between is read twice");
  ExpectHas(Explained(R"(graph g(%x: f32[6]) -> (%s, %y) {
    %s = Neg(%x)
    %y = TestTwicePlusOne(%s)
  })"),
            "the value in between is a result itself");
  ExpectHas(Explained(R"(graph g(%x: f32[6]) -> (%b) {
    %y = CumSum(%x)
    %b = Neg(%y)
  })"),
            "the kernel takes no loop behind it");
  ExpectHas(Explained(R"(graph g(%x: f32[6]) -> (%b) {
    %s = Neg(%x)
    %e = ExpandDims(%s) [axis = 0]
    %b = TestSpreadSums(%e)
  })"),
            "the kernel takes no loop before it");
}

TEST(FuseNeighbours, SaysWhyTwoLoopsStayedApart) {
  ExpectHas(Explained(R"(graph g(%x: f32[6], %z: f32[4,6]) -> (%b) {
    %y = Neg(%x)
    %b = Add(%y, %z)
  })"),
            "their spaces [6] and [4,6] differ");
  ExpectHas(Explained(R"(graph g(%x: f32[6]) -> (%b) {
    %y = Neg(%x)
    %c = CumSum(%y)
    %b = Add(%y, %c)
  })"),
            "something that stands between them needs the first");
}

TEST(FuseNeighbours, ASecondResultUsedInBetween) {
  std::string plan = Explained(R"(graph g(%x: f32[50]) -> (%b) {
    %y, %n = TestTwicePlusOneAndCount(%x)
    %f = Cast(%n) [dtype = f32]
    %e = ExpandDims(%f) [axis = 0]
    %c = CumSum(%e)
    %b = Mul(%y, %c)
  })");
  ExpectHas(plan, "needs the result before");
}

}  // namespace
}  // namespace sluice
