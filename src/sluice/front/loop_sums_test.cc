// Gradients of what loops read around them: summed after the backward loop or
// in it, they are the same but for rounding, and what the loops keep is no more
// than that needs.
#include "sluice/front/control_flow.h"
#include "sluice/front/front_test_util.h"
#include "sluice/graph/text_printer.h"
#include "sluice/tensor/allocator.h"

namespace sluice {
namespace {

using Tensors = std::vector<Tensor>;
using Function1 = std::function<Tensor(const Tensors&)>;

// A graph of f's gradients: arguments of known or unknown sizes.
struct Built {
  Graph graph;
  Tensors inputs, gradients;

  Built(const Function1& f, const std::vector<Array>& args, bool hoist,
        bool sizes_known) {
    GraphScope building(graph);
    for (const Array& a : args) {
      PartialShape shape = a.shape();
      inputs.push_back(placeholder(
          a.dtype(), sizes_known ? shape : PartialShape::OfRank(a.rank())));
    }
    Tensors xs;
    for (const Tensor& x : inputs) {
      if (x.dtype() == f32) xs.push_back(x);
    }
    gradients = sluice::gradients(
        {sum(f(inputs))}, xs, {.zeros_when_unconnected = true, .hoist = hoist});
  }

  std::vector<Array> Run(const std::vector<Array>& args,
                         ExecutorChoice executor) {
    Session session(graph);
    RunOptions options;
    options.executor = executor;
    std::vector<Feed> feeds;
    for (size_t i = 0; i < args.size(); ++i) {
      feeds.push_back({inputs[i], args[i]});
    }
    std::vector<Fetch> fetches;
    for (const Tensor& g : gradients) {
      fetches.push_back(g.is_sparse() ? g.to_dense() : g);
    }
    return session.run(fetches, feeds, {}, options);
  }

  // Loops of the graph itself, in program order.
  std::vector<Node*> Loops() {
    std::vector<Node*> loops;
    for (Node* node : graph.root().nodes()) {
      if (node->op().flow == Flow::kLoop) loops.push_back(node);
    }
    return loops;
  }
  Region& Backwards() { return *Loops().back()->regions()[1]; }
};

int CountOps(const Region& region, std::string_view op) {
  int found = 0;
  for (const Node* node : region.nodes()) {
    found += node->op().name == op;
    for (const auto& inner : node->regions()) found += CountOps(*inner, op);
  }
  return found;
}

int Lists(const Node& loop) {
  int found = 0;
  for (int i = 0; i < loop.num_inputs(); ++i) {
    found += loop.input(i).dtype() == DType::kList;
  }
  return found;
}

void ExpectNear(const std::vector<Array>& got, const std::vector<Array>& want,
                const std::string& how, float tolerance = 1e-5f) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].shape(), want[i].shape()) << how << ", gradient " << i;
    std::vector<float> a = Elements<float>(got[i]),
                       b = Elements<float>(want[i]);
    for (size_t k = 0; k < a.size(); ++k) {
      ASSERT_NEAR(a[k], b[k], tolerance * (1 + std::abs(b[k])))
          << how << ", gradient " << i << ", element " << k;
    }
  }
}

// Summed after the loop and in it, sizes known or not, by all executors: what
// the same code gives imperatively, without a loop.
void ExpectAgree(const Function1& f, const std::vector<Array>& args) {
  Tensors leaves;
  std::vector<Array> want;
  for (const Array& a : args) {
    leaves.push_back(Tensor(MakeRef<EagerValue>(a)));
    if (a.dtype() == f32) leaves.back().requires_grad_();
  }
  sum(f(leaves)).backward();
  for (const Tensor& x : leaves) {
    if (x.dtype() != f32) continue;
    Tensor g = x.grad();
    want.push_back(!g ? Array::Zeros(f32, x.array().shape())
                      : (g.is_sparse() ? g.to_dense() : g).array());
  }
  for (bool hoist : {true, false}) {
    for (bool sizes_known : {true, false}) {
      Built built(f, args, hoist, sizes_known);
      std::vector<Array> first;
      for (auto executor : {ExecutorChoice::kAuto, ExecutorChoice::kTape,
                            ExecutorChoice::kTokens}) {
        std::vector<Array> got = built.Run(args, executor);
        ExpectNear(got, want,
                   std::string(hoist ? "hoisted" : "added") +
                       (sizes_known ? "" : ", sizes unknown"));
        if (first.empty()) first = got;
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_EQ(Elements<float>(got[i]), Elements<float>(first[i]));
        }
      }
    }
  }
}

Array F(std::initializer_list<float> v) { return Array::Vector<float>(v); }
Array I(int64_t n) { return Array::Scalar<int64_t>(n); }

// Numbers that are all different and not large.
Array Some(Shape shape, float phase) {
  Array a = *Array::Make(DType::kF32, shape);
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    a.mutable_data<float>()[i] =
        0.6f * std::sin(phase + 1.7f * static_cast<float>(i));
  }
  return a;
}

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

// A stretch in the middle does not begin at the loop's own first number.
TEST(LoopResiduals, OfCountersOfLoopsThatComputeStretchesAgain) {
  for (Save save : {Save("recompute"), budget(2048)}) {
    Function1 f = [&](const Tensors& x) {
      LoopOptions options;
      options.save = save;
      return for_loop(
          x[1],
          [&](Tensor i, Tensor h) { return h * (1.0f + 0.01f * cast(i, f32)); },
          x[0], options);
    };
    ExpectAgree(f, {Some({3}, 0), I(17)});
    Function1 g = [&](const Tensors& x) {
      LoopOptions options;
      options.save = save;
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

// ---- What is kept ----------------------------------------------------------

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

}  // namespace
}  // namespace sluice
