// dynamic_rnn and recurrent layers against loops of cells written out, against
// every example alone, and in all the ways a program runs.
#include "sluice/nn/recurrent.h"

#include "sluice/front/every_way_test_util.h"
#include "sluice/front/gradients_agree_test_util.h"
#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {
namespace {

using Floats = std::vector<float>;

void ExpectNear(const Tensor& got, const Tensor& wanted,
                const std::string& what) {
  ASSERT_TRUE(got.defined() && wanted.defined()) << what;
  ASSERT_EQ(got.shape().ToString(), wanted.shape().ToString()) << what;
  Floats a = got.to_vector<float>(), b = wanted.to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i], b[i], 1e-5) << what << " element " << i;
  }
}

// The gradients of a weighted sum of all that f gives.
Tensors GradientsOf(const Tensors& results, const Tensors& xs) {
  Tensor total = constant(0.0f);
  int k = 3;
  for (const Tensor& y : results) {
    total = total + sum(y * KnownInput(y.shape().ToShape(), k++));
  }
  return gradients({total}, xs,
                   {.zeros_when_unconnected = true, .dense = true});
}

// What f gives, and its gradients, is the same as what g gives.
void ExpectSame(const std::function<Tensors()>& f,
                const std::function<Tensors()>& g, const Tensors& xs) {
  for (const Tensor& x : xs) x.requires_grad_();
  Tensors got = f(), wanted = g();
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ExpectNear(got[i], wanted[i], "result " + std::to_string(i));
  }
  Tensors got_grads = GradientsOf(got, xs);
  Tensors wanted_grads = GradientsOf(wanted, xs);
  for (size_t i = 0; i < xs.size(); ++i) {
    ExpectNear(got_grads[i], wanted_grads[i], "gradient " + std::to_string(i));
  }
}

Tensors Together(Tensors a, const Tensors& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(DynamicRnn, IsALoopOfCells) {
  LSTMCell lstm{4, 3, {.proj_size = 2}}, peeping{4, 3, {.peepholes = true}};
  for (LSTMCell* cell : {&lstm, &peeping}) {
    SetKnownParameters(*cell);
    int64_t out = cell == &lstm ? 2 : 3;
    Tensor xs = KnownInput({5, 2, 4}), h0 = KnownInput({2, out}, 1),
           c0 = KnownInput({2, 3}, 2);
    for (bool reverse : {false, true}) {
      auto at_once = [&]() -> Tensors {
        auto [ys, last] =
            dynamic_rnn(*cell, xs, std::pair(h0, c0), {.reverse = reverse});
        return {ys, last.first, last.second};
      };
      auto unrolled = [&]() -> Tensors {
        Tensors ys(5);
        LSTMState state{h0, c0};
        for (int k = 0; k < 5; ++k) {
          int t = reverse ? 4 - k : k;
          state = (*cell)(xs[t], state);
          ys[static_cast<size_t>(t)] = state.first;
        }
        return {stack(ys), state.first, state.second};
      };
      ExpectSame(at_once, unrolled, Together({xs, h0, c0}, cell->parameters()));
    }
  }
}

TEST(LSTMCell, PeepholesSeeTheCell) {
  LSTMCell cell{1, 1, {.bias = false, .peepholes = true}};
  SetKnownParameters(cell);
  auto w = [](const Tensor& t) { return t.to_vector<float>(); };
  const GateWeights& g = cell.weights;
  float x = 0.7f, h = -0.3f, c = 0.4f;
  auto gate = [&](size_t k) {
    return w(g.weight_ih)[k] * x + w(g.weight_hh)[k] * h;
  };
  auto s = [](double v) { return 1 / (1 + std::exp(-v)); };
  double i = s(gate(0) + w(g.weight_ci)[0] * c);
  double f = s(gate(1) + w(g.weight_cf)[0] * c);
  double c_new = f * c + i * std::tanh(gate(2));
  double o = s(gate(3) + w(g.weight_co)[0] * c_new);
  auto [h_got, c_got] =
      cell(constant({{x}}), {constant({{h}}), constant({{c}})});
  EXPECT_NEAR(c_got.item<float>(), c_new, 1e-6);
  EXPECT_NEAR(h_got.item<float>(), o * std::tanh(c_new), 1e-6);
}

// Rows of the examples computed alone, put together as dynamic_rnn does.
Tensors EachAlone(GRUCell& cell, const Tensor& xs, const Tensor& h0,
                  const std::vector<int>& lengths, bool reverse) {
  Tensors columns, states;
  int64_t steps = xs.dim(0);
  for (size_t b = 0; b < lengths.size(); ++b) {
    int row = static_cast<int>(b), n = lengths[b];
    Tensor h = h0[{slice(row, row + 1)}];
    Tensors ys(static_cast<size_t>(steps), zeros_like(h));
    for (int k = 0; k < n; ++k) {
      int t = reverse ? n - 1 - k : k;
      h = cell(xs[{t, slice(row, row + 1)}], h);
      ys[static_cast<size_t>(t)] = h;
    }
    columns.push_back(concat(ys));
    states.push_back(h);
  }
  return {stack(columns, {.axis = 1}), concat(states)};
}

TEST(DynamicRnn, WithLengthsIsEveryExampleAlone) {
  GRUCell cell{3, 2};
  SetKnownParameters(cell);
  const std::vector<std::vector<int>> cases = {
      {2, 5, 0, 1, 5}, {3, 3, 3, 3, 3}, {0, 0, 0, 0, 0}, {5, 4, 3, 2, 1}};
  for (const auto& lengths : cases) {
    Tensor xs = KnownInput({5, 5, 3}), h0 = KnownInput({5, 2}, 1);
    std::vector<int64_t> wide(lengths.begin(), lengths.end());
    Tensor given = constant(Array::Vector(std::span<const int64_t>(wide)));
    for (bool reverse : {false, true}) {
      SCOPED_TRACE(testing::PrintToString(lengths));
      ExpectSame(
          [&]() -> Tensors {
            auto [ys, last] = dynamic_rnn(
                cell, xs, h0, {.lengths = given, .reverse = reverse});
            return {ys, last};
          },
          [&] { return EachAlone(cell, xs, h0, lengths, reverse); }, {xs, h0});
    }
  }
}

// A cell of plain ops over a state of a map, which also tells how many examples
// it was called with.
using Both = std::map<std::string, Tensor>;
auto Counting(const Tensors& in) {
  return [in](const Tensor& x, const Both& s) {
    Tensor h = tanh(matmul(x, in[2]) + matmul(s.at("h"), in[3]));
    Tensor rows = cast(shape(x)[{slice(0, 1)}], DType::kF32) +
                  0.0f * sum(x, {.axes = {1}});
    Both next{{"h", h}, {"sum", s.at("sum") + h}};
    return std::pair(std::pair(h * s.at("sum"), rows), next);
  };
}

Array Known(const Sizes& shape, int k) { return KnownInput(shape, k).array(); }

Tensors RunCounting(const Tensors& in, const DynamicRnnOptions& options) {
  Both state{{"h", in[1]}, {"sum", in[1]}};
  auto [ys, last] = dynamic_rnn(Counting(in), in[0], state, options);
  return {ys.first, ys.second, last.at("h"), last.at("sum")};
}

std::vector<Array> CountingArgs() {
  return {Known({4, 3, 2}, 0), Known({3, 2}, 1), Known({2, 2}, 2),
          Known({2, 2}, 3)};
}

TEST(DynamicRnn, EveryWayOnlyExamplesThatRun) {
  for (bool reverse : {false, true}) {
    Fn f = [&](const Tensors& in) {
      return RunCounting(in, {.lengths = in[4], .reverse = reverse});
    };
    std::vector<Array> args = CountingArgs();
    args.push_back(Array::Vector<int64_t>({3, 0, 2}));
    std::vector<Array> out = EveryWay(f, args);
    EXPECT_EQ(Elements<float>(out[1]),
              reverse ? (Floats{1, 0, 2, 2, 0, 2, 2, 0, 0, 0, 0, 0})
                      : (Floats{2, 0, 2, 2, 0, 2, 1, 0, 0, 0, 0, 0}));
    args[4] = Array::Vector<int64_t>({0, 0, 0});
    out = EveryWay(f, args);
    EXPECT_EQ(Elements<float>(out[0]), Floats(24, 0));
    EXPECT_EQ(Elements<float>(out[2]), Elements<float>(args[1]));
  }
  EveryWay([](const Tensors& in) { return RunCounting(in, {}); },
           CountingArgs());
}

TEST(DynamicRnn, GradientsAgreeToSecondOrder) {
  for (bool reverse : {false, true}) {
    // The lengths are an argument, too: no plan knows them.
    Function1 f = [&](const Tensors& in) {
      DynamicRnnOptions options{.reverse = reverse};
      if (in.size() > 4) options.lengths = cast(in[4], DType::kI64);
      Tensors made = RunCounting(in, options);
      return sum(made[0] * made[0]) + sum(made[2]) + sum(made[3]);
    };
    std::vector<Array> args = CountingArgs();
    ExpectGradientsAgree(f, args, {.tolerance = 1e-4});
    args.push_back(Array::Vector<float>({3, 0, 2}));
    ExpectGradientsAgree(f, args, {.tolerance = 1e-4});
    args[4] = Array::Vector<float>({0, 0, 0});
    ExpectGradientsAgree(f, args, {.tolerance = 1e-4});
  }
}

TEST(BidirectionalRnn, IsTwoThatMeet) {
  GRUCell there{3, 2};
  RNNCell back{3, 4};
  SetKnownParameters(there);
  SetKnownParameters(back);
  Tensor xs = KnownInput({4, 2, 3}), lengths = constant({4, 2});
  DynamicRnnOptions options{.lengths = lengths};
  auto [ys, last] = bidirectional_rnn(there, back, xs, there.zero_state(xs),
                                      back.zero_state(xs), options);
  auto [y1, s1] = dynamic_rnn(there, xs, there.zero_state(xs), options);
  options.reverse = true;
  auto [y2, s2] = dynamic_rnn(back, xs, back.zero_state(xs), options);
  ExpectNear(ys.first, y1, "there");
  ExpectNear(ys.second, y2, "back");
  ExpectNear(last.first, s1, "state there");
  ExpectNear(last.second, s2, "state back");
}

}  // namespace
}  // namespace sluice::nn
