#include "sluice/front/gradients_agree_test_util.h"

#include "sluice/eager/recording.h"

namespace sluice {

namespace {

Tensors Leaves(const std::vector<Array>& args) {
  Tensors leaves;
  for (const Array& a : args) {
    leaves.push_back(Tensor(MakeRef<EagerValue>(a)).requires_grad_());
  }
  return leaves;
}

// First the gradients of f's sum, then those of the sum of their squares.
Tensors Both(const Function1& f, const Tensors& x, bool second_order) {
  GradOptions options{.zeros_when_unconnected = true, .create_graph = true};
  Tensors found = gradients({sum(f(x))}, x, options);
  for (Tensor& g : found) g = g.to_dense();
  if (!second_order) return found;
  Tensor squares;
  for (const Tensor& g : found) {
    Tensor part = sum(g * g);
    squares = squares.defined() ? squares + part : part;
  }
  options.create_graph = false;
  // A graph knows only what is asked of it; code knows what depends on what,
  // and asking for more is an error, recorded or not.
  bool graph = squares.symbolic() && !Recording::Current();
  if (graph || squares.requires_grad()) {
    Tensors second = gradients({squares}, x, options);
    for (const Tensor& g : second) found.push_back(g.to_dense());
  } else {
    for (const Tensor& t : x) found.push_back(zeros_like(t));
  }
  return found;
}

void ExpectNear(const Array& got, const Array& want, double tolerance,
                const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  std::vector<float> a = Elements<float>(got), b = Elements<float>(want);
  for (size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(a[k], b[k], tolerance * (1 + std::abs(b[k])))
        << what << ", element " << k;
  }
}

}  // namespace

void ExpectGradientsAgree(const Function1& f, const std::vector<Array>& args,
                          const AgreeOptions& options) {
  std::vector<Array> want;
  for (const Tensor& t : Both(f, Leaves(args), options.second_order)) {
    want.push_back(t.array());
  }
  auto expect = [&](size_t i, const Array& got, const std::string& how) {
    ExpectNear(got, want[i], options.tolerance,
               how + ", gradient " + std::to_string(i));
  };

  Graph graph;
  Tensors inputs, found;
  {
    GraphScope building(graph);
    for (const Array& a : args) {
      inputs.push_back(placeholder(f32, PartialShape::OfRank(a.rank())));
    }
    found = Both(f, inputs, options.second_order);
  }
  for (auto [name, executor] : {std::pair("auto", ExecutorChoice::kAuto),
                                std::pair("tape", ExecutorChoice::kTape),
                                std::pair("tokens", ExecutorChoice::kTokens)}) {
    Session session(graph);
    RunOptions run;
    run.executor = executor;
    std::vector<Feed> feeds;
    for (size_t i = 0; i < args.size(); ++i) {
      feeds.push_back({inputs[i], args[i]});
    }
    std::vector<Array> out = session.run(
        std::vector<Fetch>(found.begin(), found.end()), feeds, {}, run);
    for (size_t i = 0; i < out.size(); ++i) expect(i, out[i], name);
  }

  // Recorded, and differentiated by code around it; and by code inside it.
  auto outside = function([&](Tensors x) { return Tensors{sum(f(x))}; });
  Tensors got = Both([&](const Tensors& x) { return outside(x)[0]; },
                     Leaves(args), options.second_order);
  for (size_t i = 0; i < got.size(); ++i) {
    expect(i, got[i].array(), "captured, differentiated outside");
  }
  auto inside =
      function([&](Tensors x) { return Both(f, x, options.second_order); });
  got = inside(Leaves(args));
  for (size_t i = 0; i < got.size(); ++i) {
    expect(i, got[i].array(), "captured, differentiated inside");
  }
}

}  // namespace sluice
