// Shared by the tests of loops' gradients: a function's gradients in a graph,
// the contents of that graph, and a comparison with the same code run at once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/front/control_flow.h"
#include "sluice/front/front_test_util.h"

namespace sluice {

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

inline int CountOps(const Region& region, std::string_view op) {
  int found = 0;
  for (const Node* node : region.nodes()) {
    found += node->op().name == op;
    for (const auto& inner : node->regions()) found += CountOps(*inner, op);
  }
  return found;
}

inline int Lists(const Node& loop) {
  int found = 0;
  for (int i = 0; i < loop.num_inputs(); ++i) {
    found += loop.input(i).dtype() == DType::kList;
  }
  return found;
}

inline void ExpectNear(const std::vector<Array>& got,
                       const std::vector<Array>& want, const std::string& how,
                       float tolerance = 1e-5f) {
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
inline void ExpectAgree(const Function1& f, const std::vector<Array>& args) {
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
    want.push_back(!g.defined() ? Array::Zeros(f32, x.array().shape())
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

inline Array F(std::initializer_list<float> v) {
  return Array::Vector<float>(v);
}
inline Array I(int64_t n) { return Array::Scalar<int64_t>(n); }

// Numbers that are all different and not large.
inline Array Some(Shape shape, float phase) {
  Array a = *Array::Make(DType::kF32, shape);
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    a.mutable_data<float>()[i] =
        0.6f * std::sin(phase + 1.7f * static_cast<float>(i));
  }
  return a;
}

}  // namespace sluice
