// How much loops keep, measured and reported, and what they refuse.
#include "sluice/front/loop_report.h"

#include "sluice/front/front_test_util.h"
#include "sluice/tensor/allocator.h"

namespace sluice {
namespace {

// A loop z = z + h (w - z z) of some iterations and its gradients.
struct Flow {
  Graph graph;
  Tensor z, w, count;
  std::vector<Tensor> found;

  explicit Flow(const Save& save) {
    GraphScope building(graph);
    z = placeholder(f32, {any});
    w = placeholder(f32, {});
    count = placeholder(i64, {});
    LoopOptions options;
    options.name = "flow";
    options.save = save;
    Tensor last = for_loop(
        count, [&](Tensor, Tensor z) { return z + 1e-3f * (w - z * z); }, z,
        options);
    found = gradients({sum(last)}, {z, w}, {.zeros_when_unconnected = true});
  }

  std::vector<Array> Run(int64_t trips, const Array& start,
                         RunMetadata* metadata = nullptr,
                         ExecutorChoice executor = ExecutorChoice::kAuto) {
    Session session(graph);
    RunOptions options;
    options.loops = metadata != nullptr;
    options.executor = executor;
    return session.run(
        std::vector<Fetch>(found.begin(), found.end()),
        {{z, start}, {w, Array::Scalar(1.5f)}, {count, Array::Scalar(trips)}},
        {}, options, metadata);
  }
  LoopUse Use(int64_t trips, const Array& start,
              ExecutorChoice executor = ExecutorChoice::kAuto) {
    RunMetadata metadata;
    Run(trips, start, &metadata, executor);
    EXPECT_EQ(metadata.loops.size(), 1u) << ToString(metadata.loops);
    return metadata.loops.empty() ? LoopUse() : metadata.loops[0];
  }
};

Array Start(int64_t elements) {
  std::vector<float> values;
  for (int64_t i = 0; i < elements; ++i) {
    values.push_back(.01f * static_cast<float>(i % 97));
  }
  return Array::Of<float>({elements}, std::span<const float>(values));
}

TEST(LoopReport, NumbersAreThoseThatCanBeCounted) {
  for (ExecutorChoice executor :
       {ExecutorChoice::kTape, ExecutorChoice::kTokens}) {
    LoopUse use = Flow("device").Use(100, Start(8), executor);
    EXPECT_EQ(use.name, "flow");
    EXPECT_TRUE(use.line.starts_with("loop_report_test.cc:")) << use.line;
    EXPECT_EQ(use.runs, 1);
    EXPECT_EQ(use.iterations, 100);
    EXPECT_EQ(use.recomputed, 0);
    EXPECT_EQ(use.peak_bytes, use.kept_bytes);
    EXPECT_GE(use.kept_bytes, 100 * 32);  // every z

    // Checkpoints at 0, 8, ..., 96: with those of k = 4 there were 9 > 8.
    use = Flow("recompute").Use(100, Start(8), executor);
    EXPECT_EQ(use.iterations, 100);
    EXPECT_EQ(use.recomputed, 100);
    EXPECT_EQ(use.kept_bytes, 13 * 32);
    EXPECT_GE(use.peak_bytes, use.kept_bytes + 8 * 32);
    EXPECT_LT(use.peak_bytes, 100 * 32);
  }
  std::string text = ToString({Flow("recompute").Use(100, Start(8))});
  Contains(text, "flow at loop_report_test.cc:");
  Contains(text, ": 100 iterations, 100 recomputed, 416 bytes kept, ");
}

TEST(LoopReport, MemoryGrowsAsTheSquareRoot) {
  Flow flow("recompute");
  LoopUse few = flow.Use(100, Start(64)), many = flow.Use(10000, Start(64));
  EXPECT_EQ(many.iterations, 10000);
  EXPECT_EQ(many.recomputed, 10000);
  // A hundred times as many iterations keep ten times as much, give or take the
  // factor of two between one doubling and the next.
  EXPECT_LE(many.peak_bytes, 20 * few.peak_bytes);
  EXPECT_GE(many.peak_bytes, 5 * few.peak_bytes);
}

TEST(LoopReport, ABudgetIsKept) {
  constexpr int64_t kBudget = 40000;  // of 256 bytes carried
  Flow bounded(budget(kBudget)), free("device");
  for (int64_t trips : {1, 50, 3000}) {
    RunMetadata metadata;
    std::vector<Array> got = bounded.Run(trips, Start(64), &metadata);
    std::vector<Array> want = free.Run(trips, Start(64));
    EXPECT_TRUE(got[0].BitEquals(want[0])) << trips;
    EXPECT_NEAR(*got[1].data<float>(), *want[1].data<float>(),
                1e-4 * std::abs(*want[1].data<float>()));
    ASSERT_EQ(metadata.loops.size(), 1u);
    EXPECT_LE(metadata.loops[0].peak_bytes, kBudget);
  }
}

// Ten thousand iterations that carry 16 KiB, within 4 MiB: what is measured of
// all memory stays below the budget. sluice-bench loops does it 64 times as
// large (budget_peak).
TEST(LoopReport, TenThousandIterationsWithinABudget) {
  constexpr int64_t kElements = 1 << 12, kTile = 1 << 8, kBudget = 4 << 20;
  std::vector<float> tile = Elements<float>(Start(kTile)), all;
  for (int64_t i = 0; i < kElements; ++i) {
    all.push_back(tile[static_cast<size_t>(i % kTile)]);
  }
  std::vector<Array> small = Flow("device").Run(10000, Start(kTile));
  Flow flow(budget("4MiB"));
  Array start = Array::Of<float>({kElements}, std::span<const float>(all));
  HostAllocator().ResetPeak();
  int64_t before = HostAllocator().stats().bytes_in_use;
  std::vector<Array> got = flow.Run(10000, start);
  EXPECT_LE(HostAllocator().stats().peak_bytes - before, kBudget);
  std::vector<float> dz = Elements<float>(got[0]);
  std::vector<float> want = Elements<float>(small[0]);
  for (size_t i = 0; i < dz.size(); ++i) {
    ASSERT_EQ(dz[i], want[i % want.size()]) << i;
  }
  float dw = *got[1].data<float>(),
        expected = *small[1].data<float>() * (kElements / kTile);
  EXPECT_NEAR(dw, expected, 1e-4 * expected);
}

TEST(LoopReport, WrongSavesAreRefusedWithTheLine) {
  auto text = [](const Save& save) {
    return ErrorOf([&] {
      LoopOptions options;
      options.save = save;
      for_loop(3, [](Tensor, Tensor z) { return z; }, 1.0f, options);
    });
  };
  Contains(text("disk"),
           "save is \"disk\"; wanted \"device\", \"host\", "
           "\"recompute\" or budget(bytes)");
  Contains(text("disk"), "loop_report_test.cc:");
  Contains(text("budget"), "save is \"budget\"; wanted");
  Contains(text(budget(0)), "save is a budget of 0; wanted a number of bytes");
  Contains(text(budget("lots")), "save is a budget of \"lots\"; wanted");
  EXPECT_EQ(budget("1.5 KiB").bytes(), 1536);
  EXPECT_EQ(budget("2MB").bytes(), 2000000);
  std::string scanned = ErrorOf([] {
    SequenceOptions options;
    options.loop.save = "swap";
    scan([](Tensor h, Tensor x) { return h + x; }, zeros({2}), ones({3, 2}),
         options);
  });
  Contains(scanned, "save is \"swap\"; wanted");
}

TEST(LoopReport, WhatCannotBeBoundedAtOnceIsRefused) {
  Tensor x = ones({2}).clone().requires_grad_();
  LoopOptions options;
  options.save = budget(1000);
  std::string text = ErrorOf(
      [&] { for_loop(3, [](Tensor, Tensor z) { return z * z; }, x, options); });
  Contains(text, "save is a budget and this loop runs at once");
  Contains(text, "wanted it in a captured function, or save = \"recompute\"");
  options.save = "recompute";
  text = ErrorOf([&] { map_fn([](Tensor e) { return e * e; }, x, options); });
  Contains(text, "save is \"recompute\" and this loop runs at once");
  Contains(text, "loop_report_test.cc:");
  NoGrad off;
  map_fn([](Tensor e) { return e * e; }, x, options);
}

TEST(LoopReport, ABudgetTooSmallForOneIterationSaysWhatItTakes) {
  for (ExecutorChoice executor :
       {ExecutorChoice::kTape, ExecutorChoice::kTokens}) {
    std::string text = ErrorOf(
        [&] { Flow(budget(700)).Run(5, Start(64), nullptr, executor); });
    Contains(text,
             "a budget of 700 bytes is too small for the gradient of the "
             "loop: it carries 256 bytes");
    Contains(text, "; wanted at least ");
    Contains(text, "loop_report_test.cc:");
    text =
        ErrorOf([&] { Flow(budget(10)).Run(5, Start(64), nullptr, executor); });
    Contains(text, "the loop carries 256 bytes");
    Contains(text, "and its budget is 10; wanted a budget for at least");
  }
}

TEST(LoopReport, ABodyThatWritesIsNotRunTwice) {
  std::string text = ErrorOf([] {
    Graph graph;
    GraphScope building(graph);
    Variable v = variable(2.0f, "v");
    Tensor x = constant(1.0f) * 1.0f;
    LoopOptions options;
    options.save = "recompute";
    Tensor y = for_loop(
        5,
        [&](Tensor, Tensor z) {
          ControlScope after({v.assign_add(1.0f)});
          return z * 2.0f;
        },
        x, options);
    gradients({y}, {x});
  });
  Contains(text, "changes state, and a loop with save = \"recompute\"");
  Contains(text, "wanted a body without such effects, or save = \"device\"");
  Contains(text, "loop_report_test.cc:");
}

}  // namespace
}  // namespace sluice
