#include <gtest/gtest.h>

#include "sluice/sluice.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

std::vector<Tensor> Body(const std::vector<Tensor>& x, const Tensor& w,
                         int* runs) {
  if (runs) ++*runs;
  Tensor y = x[0];
  for (int i = 0; i < 4; ++i) y = exp(sin(y * w));
  return {y};
}

TEST(Checkpoint, SameGradientsAndLessMemory) {
  auto run = [](bool spare, int* runs) {
    Tensor x = full({1 << 16}, 0.3f).clone().requires_grad_();
    Tensor w = constant(0.7f).requires_grad_();
    TensorFn f = [&](const std::vector<Tensor>& in) {
      return Body(in, w, runs);
    };
    HostAllocator().ResetPeak();
    int64_t before = HostAllocator().stats().bytes_in_use;
    Tensor y = (spare ? checkpoint(f) : f)({x * 1})[0];
    int64_t kept = HostAllocator().stats().bytes_in_use - before;
    sum(y).backward();
    return std::tuple(x.grad()[0].item<float>(), w.grad().item<float>(), kept);
  };
  int plain_runs = 0, spared_runs = 0;
  auto [dx, dw, kept] = run(false, &plain_runs);
  auto [dx2, dw2, kept2] = run(true, &spared_runs);
  EXPECT_EQ(dx, dx2);
  EXPECT_EQ(dw, dw2);
  EXPECT_EQ(plain_runs, 1);
  EXPECT_EQ(spared_runs, 2);
  EXPECT_LT(3 * kept2, kept) << "of " << (1 << 18) << " bytes per tensor";
}

TEST(Checkpoint, DrawsTheSameNumbersAgain) {
  Tensor x = ones({100}).clone().requires_grad_();
  TensorFn noisy = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] * in[0] * random_normal({100})};
  };
  manual_seed(3);
  sum(checkpoint(noisy)({x})[0]).backward();
  Floats spared = x.grad().to_vector<float>();
  Tensor next = random_normal({2});
  x.zero_grad();
  manual_seed(3);
  sum(noisy({x})[0]).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), spared);
  EXPECT_EQ(random_normal({2}).to_vector<float>(), next.to_vector<float>());
}

TEST(Checkpoint, InAGraphToo) {
  for (bool spare : {false, true}) {
    Graph graph;
    Tensor dx, dw;
    {
      GraphScope building(graph);
      Tensor x = constant({0.3f, 0.5f}), w = constant(0.7f);
      TensorFn f = [&](const std::vector<Tensor>& in) {
        return Body(in, w, nullptr);
      };
      Tensor y = (spare ? checkpoint(f) : f)({x})[0];
      std::vector<Tensor> g = grad(sum(y), {x, w});
      dx = g[0];
      dw = g[1];
    }
    Session session(graph);
    static Array first_dx, first_dw;
    Array got_dx = session.run(dx), got_dw = session.run(dw);
    if (!spare) {
      first_dx = got_dx;
      first_dw = got_dw;
    }
    EXPECT_TRUE(got_dx.BitEquals(first_dx)) << got_dx.ToString();
    EXPECT_TRUE(got_dw.BitEquals(first_dw)) << got_dw.ToString();
  }
}

TEST(Checkpoint, OfSecondOrder) {
  Tensor x = constant(0.5f).requires_grad_();
  TensorFn f = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{exp(in[0] * in[0])};
  };
  Tensor g = grad(checkpoint(f)({x})[0], x, {.create_graph = true});
  Tensor h = grad(f({x})[0], x, {.create_graph = true});
  EXPECT_EQ(grad(g, x).item<float>(), grad(h, x).item<float>());
}

// A variable is read anew wherever it is used; its gradient is that of all of
// these.
TEST(GraphGradients, OfVariables) {
  Graph graph;
  Tensor g;
  {
    GraphScope building(graph);
    Variable w = variable(constant({1.f, 2.f}), "w");
    Tensor y = sum(w * w) + sum(w * 10);
    g = grad(y, w);
    Variable unused = variable(constant(1.f), "unused");
    EXPECT_THROW(grad(y, unused), Error);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  EXPECT_TRUE(session.run(g).BitEquals(Array::Vector<float>({12, 14})));
}

TEST(GraphGradients, WhyNotNamesTheOpAndTheLine) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(DType::kF32, {2}, "x");
  Tensor y = sum(round(x) * 2);
  std::string why = why_no_grad(y, x);
  EXPECT_NE(why.find("Round"), why.npos) << why;
  EXPECT_NE(why.find("it rounds"), why.npos) << why;
  EXPECT_NE(why.find("checkpoint_test.cc:"), why.npos) << why;
  EXPECT_THROW(grad(y, x), Error);
  EXPECT_EQ(why_no_grad(sum(x), x), "");
}

}  // namespace
}  // namespace sluice
