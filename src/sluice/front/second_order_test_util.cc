#include "sluice/front/second_order_test_util.h"

namespace sluice {

namespace {

// Tensors with these elements; gradients are asked for those of f64.
Tensors Leaves(const std::vector<Array>& args) {
  Tensors leaves;
  for (const Array& a : args) {
    leaves.push_back(Tensor(MakeRef<EagerValue>(a)));
    if (a.dtype() == DType::kF64) leaves.back().requires_grad_();
  }
  return leaves;
}

// The sum of the squares of gradients, as a function to be differentiated.
Tensor Squares(const Tensors& gradients) {
  Tensor total;
  for (const Tensor& g : gradients) {
    total = total.defined() ? total + sum(g * g) : sum(g * g);
  }
  return total;
}

// The gradients of sum(f) for all arguments of f64, then those of the sum of
// their squares.
Tensors Both(const Function1& f, const Tensors& x) {
  Tensors xs;
  for (const Tensor& t : x) {
    if (t.dtype() == DType::kF64) xs.push_back(t);
  }
  GradOptions options{
      .zeros_when_unconnected = true, .create_graph = true, .dense = true};
  Tensors found = gradients({sum(f(x))}, xs, options);
  Tensor squares = Squares(found);
  if (squares.symbolic() || squares.requires_grad()) {
    options.create_graph = false;
    Tensors second = gradients({squares}, xs, options);
    found.insert(found.end(), second.begin(), second.end());
  } else {
    for (const Tensor& t : xs) found.push_back(zeros_like(t));
  }
  return found;
}

// How a number computed from the arguments changes with one of their elements.
double Difference(const std::function<Tensor(const Tensors&)>& number,
                  const std::vector<Array>& args, size_t i, size_t k) {
  double moved[2];
  for (int side : {0, 1}) {
    std::vector<double> elements = Elements<double>(args[i]);
    elements[k] += side ? 1e-5 : -1e-5;
    std::vector<Array> changed = args;
    changed[i] = *Array::Make(DType::kF64, args[i].shape());
    std::copy(elements.begin(), elements.end(),
              changed[i].mutable_data<double>());
    moved[side] = *number(Leaves(changed)).array().data<double>();
  }
  return (moved[1] - moved[0]) / 2e-5;
}

void ExpectNear(const std::vector<Array>& found, const Tensors& expected,
                const char* how) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t n = 0; n < found.size(); ++n) {
    ASSERT_EQ(found[n].shape(), expected[n].array().shape()) << how;
    std::vector<double> a = Elements<double>(found[n]),
                        b = Elements<double>(expected[n].array());
    for (size_t k = 0; k < a.size(); ++k) {
      EXPECT_NEAR(a[k], b[k], 1e-10 * (1 + std::abs(b[k])))
          << how << ", gradient " << n << ", element " << k;
    }
  }
}

// Both as one graph, run by each executor.
void ExpectInGraphs(const Function1& f, const std::vector<Array>& args,
                    const Tensors& expected) {
  Graph graph;
  Tensors inputs, found;
  {
    GraphScope building(graph);
    for (const Array& a : args) {
      inputs.push_back(
          placeholder(a.dtype(), PartialShape::OfRank(a.shape().rank())));
    }
    found = Both(f, inputs);
  }
  std::vector<Feed> feeds;
  for (size_t i = 0; i < args.size(); ++i)
    feeds.push_back({inputs[i], args[i]});
  for (auto [name, executor] : {std::pair("tape", ExecutorChoice::kTape),
                                std::pair("tokens", ExecutorChoice::kTokens)}) {
    Session session(graph);
    RunOptions options;
    options.executor = executor;
    ExpectNear(session.run(std::vector<Fetch>(found.begin(), found.end()),
                           feeds, {}, options),
               expected, name);
  }
}

}  // namespace

void ExpectEveryWay(const Function1& f, const std::vector<Array>& args) {
  Fn first = [&](const Tensors& x) {
    Tensors xs, all;
    for (const Tensor& t : x) {
      bool point = t.dtype() == DType::kF64;
      all.push_back(point && t.traced() ? t.detach().requires_grad_() : t);
      if (point) xs.push_back(all.back());
    }
    return gradients({sum(f(all))}, xs,
                     {.zeros_when_unconnected = true, .dense = true});
  };
  Tensors expected = Both(f, Leaves(args));
  expected.resize(expected.size() / 2);
  ExpectNear(EveryGraphWay(first, args), expected, "every way");
}

void ExpectGradients(const Function1& f, const std::vector<Array>& args) {
  Tensors expected = Both(f, Leaves(args));
  std::function<Tensor(const Tensors&)> numbers[] = {
      [&](const Tensors& x) { return sum(f(x)); },
      [&](const Tensors& x) {
        Tensors found = Both(f, x);
        found.resize(found.size() / 2);
        return Squares(found);
      }};
  size_t next = 0;
  for (const auto& number : numbers) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i].dtype() != DType::kF64) continue;
      std::vector<double> found = Elements<double>(expected[next++].array());
      for (size_t k = 0; k < found.size(); ++k) {
        double change = Difference(number, args, i, k);
        EXPECT_NEAR(found[k], change, 1e-6 * (1 + std::abs(change)))
            << "gradient " << next - 1 << ", element " << k;
      }
    }
  }
  ExpectInGraphs(f, args, expected);
  auto captured = function([&](Tensors x) { return sum(f(x)); });
  std::vector<Array> found;
  for (const Tensor& t :
       Both([&](const Tensors& x) { return captured(x); }, Leaves(args))) {
    found.push_back(t.array());
  }
  ExpectNear(found, expected, "captured");
}

}  // namespace sluice
