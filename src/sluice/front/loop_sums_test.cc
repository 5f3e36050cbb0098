// Gradients of what loops read around them: summed after the backward loop or
// in it, they are the same but for rounding.
#include "sluice/front/loop_sums_test_util.h"
#include "sluice/tensor/allocator.h"

namespace sluice {
namespace {

// h = tanh(h w + b), n times.
const Function1 kRnn = [](const Tensors& x) {
  return for_loop(
      x[3], [&](Tensor, Tensor h) { return tanh(matmul(h, x[1]) + x[2]); },
      x[0]);
};
std::vector<Array> RnnArgs(int64_t rows, int64_t n) {
  return {Some({rows, 3}, 0), Some({3, 3}, 1), Some({3}, 2), I(n)};
}

TEST(LoopSums, OfWeightsAndBiasesAreOneProductAfterTheLoop) {
  Built hoisted(kRnn, RnnArgs(2, 5), true, true);
  EXPECT_EQ(CountOps(hoisted.Backwards(), "MatMul"), 1);  // for h alone
  EXPECT_EQ(CountOps(hoisted.Backwards(), "SumTo"), 0);
  EXPECT_EQ(CountOps(hoisted.graph.root(), "ListConcat"), 2);
  Built added(kRnn, RnnArgs(2, 5), false, true);
  EXPECT_EQ(CountOps(added.Backwards(), "MatMul"), 2);
  EXPECT_EQ(CountOps(added.graph.root(), "ListConcat"), 0);
  for (int64_t n : {0, 1, 5}) ExpectAgree(kRnn, RnnArgs(2, n));
  ExpectAgree(kRnn, RnnArgs(1, 4));
}

TEST(LoopSums, OfManyRowsAreAddedUp) {
  Built built(kRnn, RnnArgs(300, 5), true, true);
  EXPECT_EQ(CountOps(built.Backwards(), "MatMul"), 2);
  ExpectAgree(kRnn, RnnArgs(300, 3));
}

TEST(LoopSums, OfProductsOfAllForms) {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      Function1 f = [=](const Tensors& x) {
        return for_loop(
            x[2],
            [&](Tensor, Tensor h) {
              return tanh(
                  matmul(h, x[1], {.transpose_a = ta, .transpose_b = tb}));
            },
            x[0]);
      };
      std::vector<Array> args = {Some({3, 3}, 0), Some({3, 3}, 1), I(4)};
      ExpectAgree(f, args);
      Built built(f, args, true, true);
      EXPECT_EQ(CountOps(built.Backwards(), "MatMul"), 1) << ta << tb;
    }
  }
  // The weight on the left.
  Function1 left = [](const Tensors& x) {
    return for_loop(
        x[2], [&](Tensor, Tensor h) { return tanh(matmul(x[1], h)); }, x[0]);
  };
  ExpectAgree(left, {Some({3, 2}, 0), Some({3, 3}, 1), I(4)});
  // Of a vector.
  Function1 vector = [](const Tensors& x) {
    return for_loop(
        x[2],
        [&](Tensor, Tensor h) { return tanh(call("MatVec", {x[1], h})[0]); },
        x[0]);
  };
  std::vector<Array> args = {Some({3}, 0), Some({3, 3}, 1), I(4)};
  ExpectAgree(vector, args);
  EXPECT_EQ(CountOps(Built(vector, args, true, true).Backwards(), "Outer"), 0);
}

// The weights are changed on the way, and used twice.
TEST(LoopSums, OfWeightsThatAreCutTurnedAndScaledInTheLoop) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        x[3],
        [&](Tensor, Tensor h) {
          Tensor w = transpose(x[1]).at({slice(0, 3)}) * x[2];
          Tensor a = matmul(h, w), b = matmul(tanh(h), -w);
          return tanh(a + 0.5f * b) + matmul(x[0], w);
        },
        x[0]);
  };
  std::vector<Array> args = {Some({2, 3}, 0), Some({3, 5}, 1), F({2, 1, .5f}),
                             I(3)};
  ExpectAgree(f, args);
}

// Two numbers of a vector: each is added up as a number, and put where it
// belongs once.
TEST(LoopSums, OfElementsAreAddedUpAsElements) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        x[2],
        [&](Tensor, Tensor h) {
          return h - 0.1f * (x[1].at({0}) * sin(h) + x[1].at({1}) * h);
        },
        x[0]);
  };
  for (int64_t n : {0, 1, 5}) {
    ExpectAgree(f, {Some({3}, 0), F({1, .5f}), I(n)});
  }
  std::vector<Array> args = {Some({3}, 0), F({1, .5f}), I(5)};
  for (bool sizes_known : {false, true}) {
    Built hoisted(f, args, true, sizes_known);
    EXPECT_EQ(CountOps(hoisted.Backwards(), "StridedSliceGrad"), 0);
    EXPECT_EQ(CountOps(hoisted.graph.root(), "StridedSliceGrad"), 2);
    Built added(f, args, false, sizes_known);
    EXPECT_EQ(CountOps(added.Backwards(), "StridedSliceGrad"), 2);
  }
}

// How many elements there are only the run knows: one, of which nobody asks for
// the second as long as the loop does not run.
TEST(LoopSums, OfElementsThatAreNotThereInALoopThatDoesNotRun) {
  Function1 f = [](const Tensors& x) {
    Tensor positive = masked_select(x[1], x[1] > 0.f);
    return for_loop(
        x[2], [&](Tensor, Tensor h) { return sin(h) * positive.at({1}); },
        x[0]);
  };
  ExpectAgree(f, {Some({3}, 0), F({1, -1}), I(0)});
  ExpectAgree(f, {Some({3}, 0), F({1, 2}), I(2)});
}

TEST(LoopSums, OfRowsThatBecomeMore) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        x[2],
        [&](Tensor, Tensor h) {
          return concat({tanh(matmul(h, x[1])), h}, {.axis = 0});
        },
        x[0]);
  };
  ExpectAgree(f, {Some({1, 3}, 0), Some({3, 3}, 1), I(4)});
}

// Row t of x in iteration t: every step backwards costs a row, not all of x.
// What flows into x is dense then, as it is imperatively.
TEST(LoopSums, OfRowsReadOneByOneCostARow) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        x[2],
        [&](Tensor i, Tensor h) {
          return tanh(h * call("Gather", {x[1], i})[0]);
        },
        x[0]);
  };
  std::vector<Array> args = {Some({3}, 0), Some({6, 3}, 1), I(5)};
  ExpectAgree(f, args);
  for (bool hoist : {true, false}) {
    Built built(f, args, hoist, true);
    EXPECT_EQ(CountOps(built.Backwards(), "GatherGrad"), 0);
    EXPECT_EQ(CountOps(built.Backwards(), "Fill"), 0);
    EXPECT_EQ(CountOps(built.Backwards(), "IndexAdd"), hoist ? 0 : 1);
    EXPECT_FALSE(built.gradients[1].is_sparse());
  }
}

// What is added up stays where it is: no array as large as x is made per
// iteration, only as many as before and after the loop.
TEST(LoopSums, OfRowsAreAddedInPlace) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        x[2],
        [&](Tensor i, Tensor h) {
          return tanh(h * call("Gather", {x[1], i})[0]);
        },
        x[0]);
  };
  std::vector<Array> args = {Some({8}, 0), Some({2000, 8}, 1), I(0)};
  Built built(f, args, false, true);
  auto large_arrays = [&](int64_t n) {
    args[2] = I(n);
    built.Run(args, ExecutorChoice::kTape);
    int64_t before = HostAllocator().stats().allocations;
    built.Run(args, ExecutorChoice::kTape);
    return HostAllocator().stats().allocations - before;
  };
  EXPECT_LE(large_arrays(60), large_arrays(20) + 10);
}

TEST(LoopSums, OfAnEmbeddingAreSparse) {
  Function1 f = [](const Tensors& x) {
    Tensor ids = constant({int64_t{4}, int64_t{1}, int64_t{4}});
    return for_loop(
        x[2],
        [&](Tensor i, Tensor h) {
          Tensor both = call("Gather", {x[1], mod(ids + i, int64_t{5})})[0];
          return tanh(h + both);
        },
        x[0]);
  };
  std::vector<Array> args = {Some({3, 2}, 0), Some({5, 2}, 1), I(3)};
  ExpectAgree(f, args);
  args[2] = I(0);
  ExpectAgree(f, args);
  EXPECT_TRUE(Built(f, args, true, false).gradients[1].is_sparse());
}

TEST(LoopSums, OfWhatBranchesReadAreAddedUp) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        x[2],
        [&](Tensor i, Tensor h) {
          return cond(
              mod(i, int64_t{2}) < int64_t{1},
              [&] { return tanh(matmul(h, x[1])); },
              [&] { return sin(h) + matmul(h, x[1]); });
        },
        x[0]);
  };
  ExpectAgree(f, {Some({2, 3}, 0), Some({3, 3}, 1), I(4)});
}

TEST(LoopSums, OfLoopsInLoops) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        x[2],
        [&](Tensor i, Tensor h) {
          Tensor inner = for_loop(
              i, [&](Tensor, Tensor z) { return tanh(matmul(z, x[1])); }, h);
          return inner + sin(matmul(h, x[1]));
        },
        x[0]);
  };
  std::vector<Array> args = {Some({2, 3}, 0), Some({3, 3}, 1), I(4)};
  ExpectAgree(f, args);
}

// One matrix by which all of a batch of matrices are multiplied.
TEST(LoopSums, OfBatchesOfProducts) {
  for (bool tb : {false, true}) {
    Function1 f = [=](const Tensors& x) {
      return for_loop(
          x[2],
          [&](Tensor, Tensor h) {
            return tanh(
                call("BatchMatMul", {h, x[1]}, {{"transpose_b", tb}})[0]);
          },
          x[0]);
    };
    std::vector<Array> args = {Some({2, 2, 3}, 0), Some({3, 3}, 1), I(3)};
    ExpectAgree(f, args);
    Built built(f, args, true, true);
    EXPECT_EQ(CountOps(built.Backwards(), "MatMul"), 0);
    EXPECT_EQ(CountOps(built.Backwards(), "BatchMatMul"), 1);
  }
}

// The squares of all gradients, summed.
Function1 Slopes(const Function1& f) {
  return [=](const Tensors& x) {
    Tensors xs;
    for (const Tensor& t : x) {
      if (t.dtype() == f32) xs.push_back(t);
    }
    Tensor total = constant(0.0f);
    for (const Tensor& g :
         gradients({sum(f(x))}, xs, {.create_graph = true, .dense = true})) {
      total = total + sum(g * g);
    }
    return total;
  };
}

TEST(LoopSums, HaveGradientsThemselves) {
  for (int64_t n : {1, 3}) ExpectAgree(Slopes(kRnn), RnnArgs(2, n));
  Function1 rows = [](const Tensors& x) {
    return for_loop(
        x[2],
        [&](Tensor i, Tensor h) {
          return tanh(h * call("Gather", {x[1], i})[0]);
        },
        x[0]);
  };
  ExpectAgree(Slopes(rows), {Some({3}, 0), Some({6, 3}, 1), I(4)});
}

TEST(LoopSums, OfLoopsThatComputeStretchesAgain) {
  Function1 f = [](const Tensors& x) {
    LoopOptions options;
    options.save = "recompute";
    return for_loop(
        x[2], [&](Tensor, Tensor h) { return tanh(matmul(h, x[1])); }, x[0],
        options);
  };
  ExpectAgree(f, {Some({2, 3}, 0), Some({3, 3}, 1), I(17)});
}

// Sums of halves stop growing at 256: they are added as floats, which is what
// the weights are.
TEST(LoopSums, OfWeightsUsedAsHalvesAreSumsOfFloats) {
  Function1 f = [](const Tensors& x) {
    Tensor h = for_loop(
        int64_t{1000},
        [&](Tensor, Tensor h) { return h + cast(x[0], DType::kBF16); },
        cast(x[0] * 0.0f, DType::kBF16));
    return cast(h, f32);
  };
  Built built(f, {F({1, 2})}, true, true);
  EXPECT_EQ(Elements<float>(built.Run({F({1, 2})}, ExecutorChoice::kAuto)[0]),
            (std::vector<float>{1000, 1000}));
}

}  // namespace
}  // namespace sluice
