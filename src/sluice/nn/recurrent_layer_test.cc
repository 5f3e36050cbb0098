// What recurrent layers do beyond computing: modes, text, training, and what
// they refuse.
#include "sluice/nn/recurrent_layer.h"

#include "sluice/front/front_test_util.h"
#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {
namespace {

using Floats = std::vector<float>;

TEST(RecurrentLayer, DropsBetweenLayersInTrainingOnly) {
  LSTM lstm{4, 8, {.num_layers = 2, .dropout = 0.5}};
  Tensor x = KnownInput({5, 2, 4});
  auto y = [&] { return lstm(x).first.to_vector<float>(); };
  EXPECT_NE(y(), y());
  lstm.eval();
  EXPECT_EQ(y(), y());
  // Not behind the last.
  LSTM flat{4, 8, {.dropout = 0.5}};
  EXPECT_EQ(flat(x).first.to_vector<float>(), flat(x).first.to_vector<float>());
}

TEST(RecurrentLayer, TellsWhatItIs) {
  LSTM lstm{4, 3, {.num_layers = 2, .bidirectional = true, .proj_size = 2}};
  EXPECT_EQ(lstm.describe(),
            "LSTM(4, 3, num_layers=2, bidirectional=true, proj_size=2)");
  EXPECT_EQ(RNN(4, 3, {.nonlinearity = "relu"}).describe(),
            "RNN(4, 3, nonlinearity=relu)");
  EXPECT_EQ(GRUCell(4, 3).describe(), "GRUCell(4, 3)");
  EXPECT_EQ(LSTMCell(4, 3, {.peepholes = true}).describe(),
            "LSTMCell(4, 3, peepholes=true)");
  Sequential net{make<GRU>(4, 3), make<Linear>(3, 2)};
  Summary table = summary(net, {{5, 2, 4}});
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[1].type, "GRU");
  EXPECT_EQ(table.rows[1].shape, "[5,2,3]");
  EXPECT_EQ(table.rows[1].parameters, 9 * 4 + 9 * 3 + 18);
  // All inputs at once, then the state five times.
  EXPECT_EQ(table.rows[1].flops, 2 * 10 * 4 * 9 + 5 * (2 * 2 * 3 * 9));
  EXPECT_EQ(table.rows[2].shape, "[5,2,2]");
}

// One step of training is recorded once for all lengths of sequences.
TEST(RecurrentLayer, TrainsTheSameRecorded) {
  auto losses = [](bool recorded) {
    manual_seed(3);
    LSTM lstm{3, 8, {.num_layers = 2, .bidirectional = true}};
    Linear head{16, 2};
    std::vector<Tensor> parameters = lstm.parameters();
    for (const Tensor& p : head.parameters()) parameters.push_back(p);
    auto body = [&](Tensor x, Tensor lengths, Tensor y) {
      auto [ys, state] = lstm(x, {.lengths = lengths});
      Tensor ends = concat({state.first[2], state.first[3]}, {.axis = 1});
      Tensor loss = cross_entropy(head(ends), y);
      for (const Tensor& p : parameters) p.zero_grad();
      loss.backward();
      NoGrad off;
      for (const Tensor& p : parameters) p.sub_(0.5f * p.grad());
      return loss;
    };
    auto step = function(body);
    Floats seen;
    for (int i = 0; i < 6; ++i) {
      Tensor x = KnownInput({4 + i % 3, 4, 3});
      Tensor lengths = constant({4, 1, 3, 2}), y = constant({0, 1, 1, 0});
      Tensor loss = recorded ? step(x, lengths, y) : body(x, lengths, y);
      seen.push_back(loss.item<float>());
    }
    EXPECT_EQ(step.traces().size(), recorded ? 1u : 0u);
    return seen;
  };
  Floats once = losses(false), again = losses(true);
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_NEAR(once[i], again[i], 2e-5) << i;
  }
  EXPECT_LT(once[3], once[0]);
}

TEST(RecurrentLayer, Refuses) {
  Contains(ErrorOf([] { LSTM(0, 3); }),
           "LSTM: input_size is 0, hidden_size is 3; wanted both positive");
  Contains(ErrorOf([] { GRU(4, 3, {.num_layers = 0}); }),
           "GRU: num_layers is 0; wanted at least 1");
  Contains(ErrorOf([] { GRU(4, 3, {.proj_size = 2}); }),
           "GRU: proj_size and peepholes are options of an LSTM");
  Contains(ErrorOf([] { LSTM(4, 3, {.proj_size = 3}); }),
           "proj_size is 3; wanted less than hidden_size 3");
  Contains(ErrorOf([] { LSTM(4, 3, {.nonlinearity = "relu"}); }),
           "nonlinearity is \"relu\"; wanted none, which only an RNN has");
  Contains(ErrorOf([] { RNNCell(4, 3, {.nonlinearity = "gelu"}); }),
           "nonlinearity is \"gelu\"; wanted tanh or relu");
  Contains(ErrorOf([] { RNN(4, 3, {.dropout = 2}); }), "dropout is 2");
  LSTM lstm{4, 3};
  Tensor x = ones({5, 2, 4});
  Contains(ErrorOf([&] { lstm(ones({5, 2, 3})); }),
           "LSTM: x is f32[5,2,3]; wanted [steps, batch, 4] or [steps, 4]");
  Contains(
      ErrorOf([&] { lstm(x, {.state = {ones({1, 2, 3}), ones({2, 2, 3})}}); }),
      "LSTM: c of the state is f32[2,2,3]; wanted [1, batch, 3]");
  Contains(ErrorOf([&] { lstm(x, {.lengths = ones({2})}); }),
           "lengths is f32[2]; wanted one integer for each example of x");
  Contains(ErrorOf([&] { lstm(x, {.lengths = constant({1, 2, 3})}); }),
           "wanted one integer for each example of x, f32[5,2,4]");
  Contains(ErrorOf([&] { lstm(x, {.lengths = constant({1, 6})}); }),
           "lengths of sequences; wanted 0 <= length <= steps");
  Contains(ErrorOf([&] { lstm(x, {.lengths = constant({1, -1})}); }),
           "recurrent_layer_test.cc:");
  auto captured = function(
      [&](Tensor in, Tensor n) { return lstm(in, {.lengths = n}).first; });
  Contains(ErrorOf([&] { captured(x, constant({1, 6})); }),
           "lengths of sequences; wanted 0 <= length <= steps");
  EXPECT_EQ(captured(x, constant({1, 5})).shape().ToString(), "[5,2,3]");
  GRUCell cell{4, 3};
  Contains(ErrorOf([&] { cell(ones({2, 5}), ones({2, 3})); }),
           "x is f32[2,5]; wanted [batch, 4]");
  Contains(ErrorOf([&] { cell(ones({2, 4}), ones({3})); }),
           "the state is f32[3]; wanted [batch, 3]");
  auto count = [](Tensor in, Tensor s) { return std::pair(in, s + 1.0f); };
  Contains(ErrorOf([&] { dynamic_rnn(count, ones({4}), ones({1})); }),
           "dynamic_rnn: an input is f32[4]; wanted [steps, batch, ...]");
  Contains(ErrorOf([&] {
             dynamic_rnn(count, x, constant(1.0f),
                         {.lengths = constant({1, 2})});
           }),
           "dynamic_rnn: a state is a scalar; wanted [batch, ...]");
}

}  // namespace
}  // namespace sluice::nn
