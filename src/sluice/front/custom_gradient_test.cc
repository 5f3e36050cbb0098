// Gradients the program brings along live as long as the graphs that use them:
// they were never forgotten.
#include "sluice/op/custom_gradient.h"

#include <memory>

#include "sluice/front/front_test_util.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"

namespace sluice {
namespace {

using Kept = std::shared_ptr<int>;

// x with the gradient 3, by a function that keeps `kept`.
Tensor Tripled(const Tensor& x, const Kept& kept) {
  return custom_gradient(
      [](const std::vector<Tensor>& xs) {
        return std::vector<Tensor>{xs[0] * 1.0f};
      },
      [kept](const std::vector<Tensor>&, const std::vector<Tensor>&,
             const std::vector<Tensor>& dy) {
        return std::vector<Tensor>{dy[0] * 3.0f};
      },
      {x})[0];
}

TEST(CustomGradient, GoesWithItsGraph) {
  Kept kept = std::make_shared<int>();
  const int64_t before = NumCustomGradients();
  for (int round = 0; round < 5; ++round) {
    Graph graph;
    GraphScope building(graph);
    Tensor x = placeholder(DType::kF32, std::vector<int64_t>{2}, "x");
    Tensor y = Tripled(x, kept);
    EXPECT_EQ(NumCustomGradients(), before + 1);
    Tensor dx = gradients({sum(y)}, {x})[0];
    Session session(graph);
    EXPECT_EQ(Elements<float>(session.run(dx, {{x, {1.0f, 2.0f}}})),
              (std::vector<float>{3, 3}));
    EXPECT_EQ(NumCustomGradients(), before + 1);
  }
  EXPECT_EQ(NumCustomGradients(), before);
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(CustomGradient, StaysWithACopyOfItsGraph) {
  Kept kept = std::make_shared<int>();
  const int64_t before = NumCustomGradients();
  std::unique_ptr<Graph> copy;
  std::string text;
  {
    Graph graph;
    GraphScope building(graph);
    Tensor x = placeholder(DType::kF32, std::vector<int64_t>{2}, "x");
    Tensor y = Tripled(x, kept);
    copy = graph.Clone();
    text = PrintGraph(graph);
  }
  EXPECT_EQ(NumCustomGradients(), before + 1);
  // Text names it by a number, and finds it while it is there.
  auto differentiated = [&] {
    std::unique_ptr<Graph> read = ValueOrThrow(ParseGraph(text));
    GraphScope building(*read);
    Tensor x = find_tensor(*read, "x");
    Tensor y = find_tensor(*read, "CustomGradient");
    return gradients({y}, {x})[0];
  };
  (void)differentiated();
  copy.reset();
  EXPECT_EQ(NumCustomGradients(), before);
  EXPECT_EQ(kept.use_count(), 1);
  Contains(ErrorOf(differentiated), "is not known to this process");
}

TEST(CustomGradient, GoesWithTheFunctionItWasRecordedIn) {
  Kept kept = std::make_shared<int>();
  const int64_t before = NumCustomGradients();
  for (int round = 0; round < 5; ++round) {
    auto step = function([&](Tensor x) {
      Tensor y = Tripled(x, kept) * x;
      y.register_hook([kept](const Tensor& g) { return g * 2.0f; });
      return sum(y);
    });
    for (int calls = 0; calls < 3; ++calls) {
      Tensor x = constant({1.0f, 2.0f}).clone().requires_grad_();
      step(x).backward();
      EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{8, 16}));
    }
    EXPECT_EQ(NumCustomGradients(), before + 2);
  }
  EXPECT_EQ(NumCustomGradients(), before);
  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace
}  // namespace sluice
