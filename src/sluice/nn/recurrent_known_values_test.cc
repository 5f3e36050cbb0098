// Recurrent cells and layers compute what PyTorch's do, and so do all their
// gradients; what comes back is looked at as one row of numbers.
#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {
namespace {

// Gradients in graphs pass through the lists that loops collect in.
constexpr bool kRecorded = true;

Tensor Row(const std::vector<Tensor>& parts) {
  std::vector<Tensor> rows;
  for (const Tensor& t : parts) rows.push_back(reshape(t, {-1}));
  return concat(rows);
}

// Of a layer that gives outputs and one state, and of an LSTM.
auto Plain(auto& layer, Tensor lengths = {}) {
  return [&layer, lengths](const Inputs& in) {
    auto [y, h] = layer(
        in[0], {.state = in.size() > 1 ? in[1] : Tensor(), .lengths = lengths});
    return Row({y, h});
  };
}
auto WithCell(LSTM& layer, Tensor lengths = {}) {
  return [&layer, lengths](const Inputs& in) {
    LSTMInputs more{.state = {}, .lengths = lengths};
    if (in.size() > 1) more.state = {in[1], in[2]};
    auto [y, state] = layer(in[0], more);
    return Row({y, state.first, state.second});
  };
}

TEST(RecurrentKnownValues, Cells) {
  auto inputs = [] {
    return Inputs{KnownInput({2, 4}), KnownInput({2, 3}, 1)};
  };
  auto next = [](auto& cell) {
    return [&cell](const Inputs& in) { return cell(in[0], in[1]); };
  };
  RNNCell rnn{4, 3}, relu{4, 3, {.bias = false, .nonlinearity = "relu"}};
  CheckKnownCall("RNNCell", rnn, inputs(), next(rnn));
  CheckKnownCall("RNNCellRelu", relu, inputs(), next(relu));
  GRUCell gru{4, 3}, plain{4, 3, {.bias = false}};
  CheckKnownCall("GRUCell", gru, inputs(), next(gru));
  CheckKnownCall("GRUCellPlain", plain, inputs(), next(plain));
  LSTMCell lstm{4, 3};
  CheckKnownCall(
      "LSTMCell", lstm,
      {KnownInput({2, 4}), KnownInput({2, 3}, 1), KnownInput({2, 3}, 2)},
      [&](const Inputs& in) {
        auto [h, c] = lstm(in[0], {in[1], in[2]});
        return Row({h, c});
      });
}

TEST(RecurrentKnownValues, PlainLayers) {
  RNN rnn{4, 3};
  CheckKnownCall("RNN", rnn, {KnownInput({5, 2, 4})}, Plain(rnn), kRecorded);
  RNN deep{4,
           3,
           {.num_layers = 2,
            .bias = false,
            .batch_first = true,
            .bidirectional = true,
            .nonlinearity = "relu"}};
  CheckKnownCall("RNNDeep", deep,
                 {KnownInput({2, 5, 4}), KnownInput({4, 2, 3}, 1)}, Plain(deep),
                 kRecorded);
  CheckKnownCall("RNNAlone", rnn, {KnownInput({5, 4}), KnownInput({1, 3}, 1)},
                 Plain(rnn), kRecorded);
  GRU gru{4, 3}, deep_gru{4, 3, {.num_layers = 2, .bidirectional = true}};
  CheckKnownCall("GRU", gru, {KnownInput({5, 2, 4}), KnownInput({1, 2, 3}, 1)},
                 Plain(gru), kRecorded);
  CheckKnownCall("GRUDeep", deep_gru,
                 {KnownInput({5, 2, 4}), KnownInput({4, 2, 3}, 1)},
                 Plain(deep_gru), kRecorded);
}

TEST(RecurrentKnownValues, LstmLayers) {
  LSTM lstm{4, 3}, plain{4, 3, {.bias = false}};
  CheckKnownCall("LSTM", lstm, {KnownInput({5, 2, 4})}, WithCell(lstm),
                 kRecorded);
  CheckKnownCall("LSTMState", plain,
                 {KnownInput({5, 2, 4}), KnownInput({1, 2, 3}, 1),
                  KnownInput({1, 2, 3}, 2)},
                 WithCell(plain), kRecorded);
  LSTM deep{
      4, 3, {.num_layers = 2, .batch_first = true, .bidirectional = true}};
  CheckKnownCall("LSTMDeep", deep,
                 {KnownInput({2, 5, 4}), KnownInput({4, 2, 3}, 1),
                  KnownInput({4, 2, 3}, 2)},
                 WithCell(deep), kRecorded);
  LSTM projected{
      4, 3, {.num_layers = 2, .bidirectional = true, .proj_size = 2}};
  CheckKnownCall("LSTMProjected", projected,
                 {KnownInput({5, 2, 4}), KnownInput({4, 2, 2}, 1),
                  KnownInput({4, 2, 3}, 2)},
                 WithCell(projected), kRecorded);
}

TEST(RecurrentKnownValues, Lengths) {
  Tensor lengths = constant({2, 5, 1, 2}, DType::kI64);
  LSTM lstm{4, 3, {.num_layers = 2, .bidirectional = true}};
  CheckKnownCall("LSTMLengths", lstm,
                 {KnownInput({6, 4, 4}), KnownInput({4, 4, 3}, 1),
                  KnownInput({4, 4, 3}, 2)},
                 WithCell(lstm, lengths), kRecorded);
  GRU gru{4, 3};
  CheckKnownCall("GRULengths", gru,
                 {KnownInput({6, 4, 4}), KnownInput({1, 4, 3}, 1)},
                 Plain(gru, lengths), kRecorded);
}

}  // namespace
}  // namespace sluice::nn
