// RNN, LSTM, GRU: recurrent layers over sequences [steps, batch, input_size],
// or [batch, steps, input_size] with batch_first, or [steps, input_size] alone.
//
//   sl::nn::LSTM lstm{64, 256, {.num_layers = 2, .bidirectional = true}};
//   auto [ys, state] = lstm(xs);
//   auto [h, c] = state;                  // [layers * directions, batch, size]
//   auto [ys, state] = lstm(xs, {.state = {h0, c0}, .lengths = lengths});
//
// With lengths [batch] an example ends after its length: zeros behind it, its
// own last state, no work for steps it does not have. Names, layouts and
// meaning are PyTorch's; peepholes are ours (nn/gates.h). In a graph each layer
// is one loop for each direction, with all inputs multiplied before it.
#pragma once

#include "sluice/front/control_flow.h"
#include "sluice/nn/gates.h"

namespace sluice::nn {

struct RecurrentOptions {
  int64_t num_layers = 1;
  bool bias = true;
  bool batch_first = false;
  double dropout = 0;  // of what each layer but the last gives, in training
  bool bidirectional = false;
  std::string nonlinearity = "tanh";  // of an RNN, or relu
  int64_t proj_size = 0;              // of an LSTM: the size of h; 0: hidden
  bool peepholes = false;             // of an LSTM
  DType dtype = DType::kF32;
  LoopOptions loop{};
};

// The layers as a function of weights, by layer, then direction. A state that
// holds nothing is zeros: h, and c of an LSTM.
struct RecurrentOutcome {
  Tensor y;
  std::vector<Tensor> state;
};
struct RecurrentCall {
  const char* type;  // "LSTM", for messages
  const RecurrentOptions& options;
  const std::vector<GateWeights>& weights;
  bool training;
  std::source_location where = std::source_location::current();
};
RecurrentOutcome RunRecurrent(const RecurrentCall& call, Tensor x,
                              std::vector<Tensor> state, const Tensor& lengths);

// What the three have in common.
class RecurrentLayer : public Module {
 public:
  // What the last layer gives at each step.
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  const int64_t input_size, hidden_size;

 protected:
  RecurrentLayer(const char* type, CellKind kind, int64_t input_size,
                 int64_t hidden_size, const RecurrentOptions& options,
                 Where where);
  RecurrentOutcome Run(Tensor x, std::vector<Tensor> state,
                       const Tensor& lengths);

 private:
  const char* type_;
  RecurrentOptions options_;
  std::vector<GateWeights> weights_;  // by layer, then direction
};

struct RecurrentInputs {
  Tensor state{};    // [layers * directions, batch, hidden_size]; none: zeros
  Tensor lengths{};  // [batch]; none: all have all steps
};

class RNN : public RecurrentLayer {
 public:
  RNN(int64_t input_size, int64_t hidden_size,
      const RecurrentOptions& options = {}, Where where = Where::current());

  using RecurrentLayer::forward;
  std::pair<Tensor, Tensor> forward(Tensor x, const RecurrentInputs& more);
  std::pair<Tensor, Tensor> operator()(Tensor x,
                                       const RecurrentInputs& more = {},
                                       Where where = Where::current()) {
    return noted(where, [&] { return forward(x, more); });
  }
};

class GRU : public RecurrentLayer {
 public:
  GRU(int64_t input_size, int64_t hidden_size,
      const RecurrentOptions& options = {}, Where where = Where::current());

  using RecurrentLayer::forward;
  std::pair<Tensor, Tensor> forward(Tensor x, const RecurrentInputs& more);
  std::pair<Tensor, Tensor> operator()(Tensor x,
                                       const RecurrentInputs& more = {},
                                       Where where = Where::current()) {
    return noted(where, [&] { return forward(x, more); });
  }
};

struct LSTMInputs {
  std::pair<Tensor, Tensor> state{};  // h and c, as above
  Tensor lengths{};
};

class LSTM : public RecurrentLayer {
 public:
  LSTM(int64_t input_size, int64_t hidden_size,
       const RecurrentOptions& options = {}, Where where = Where::current());

  using Result = std::pair<Tensor, std::pair<Tensor, Tensor>>;
  using RecurrentLayer::forward;
  Result forward(Tensor x, const LSTMInputs& more);
  Result operator()(Tensor x, const LSTMInputs& more = {},
                    Where where = Where::current()) {
    return noted(where, [&] { return forward(x, more); });
  }
};

}  // namespace sluice::nn
