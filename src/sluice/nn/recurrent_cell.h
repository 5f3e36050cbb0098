// RNNCell, LSTMCell, GRUCell: one step of a recurrent layer.
//
//   sl::nn::LSTMCell cell{64, 256};
//   auto state = cell.zero_state(x);
//   auto [h, c] = cell(x, state);
//   auto [ys, last] = sl::nn::dynamic_rnn(cell, xs, state);   // all steps
//
// x is [batch, input_size], a state [batch, hidden_size]. Names and layouts of
// weights are PyTorch's.
#pragma once

#include "sluice/nn/gates.h"

namespace sluice::nn {

struct CellOptions {
  bool bias = true;
  DType dtype = DType::kF32;
};

struct RNNCellOptions {
  bool bias = true;
  std::string nonlinearity = "tanh";  // or relu
  DType dtype = DType::kF32;
};

struct LSTMCellOptions {
  bool bias = true;
  int64_t proj_size = 0;   // h is a product of so many; 0: not
  bool peepholes = false;  // gates see the cell
  DType dtype = DType::kF32;
};

// What cells whose state is one tensor have in common.
class PlainCell : public Module {
 public:
  using Module::forward;
  // The next state.
  Tensor forward(Tensor x, Tensor h);
  Tensor operator()(Tensor x, Tensor h, Where where = Where::current()) {
    return noted(where, [&] { return forward(x, h); });
  }
  Tensor zero_state(const Tensor& x, Where where = Where::current()) const;
  std::string extra_repr() const override;

  // For dynamic_rnn.
  Tensor prepare(const Tensor& xs, Where where = Where::current()) const;
  std::pair<Tensor, Tensor> step(const Tensor& prepared, const Tensor& h,
                                 Where where = Where::current()) const;

  const int64_t input_size, hidden_size;
  GateWeights weights;

 protected:
  PlainCell(const char* type, const GateSizes& sizes, Where where);
};

class RNNCell : public PlainCell {
 public:
  RNNCell(int64_t input_size, int64_t hidden_size,
          const RNNCellOptions& options = {}, Where where = Where::current());
};

class GRUCell : public PlainCell {
 public:
  GRUCell(int64_t input_size, int64_t hidden_size,
          const CellOptions& options = {}, Where where = Where::current());
};

using LSTMState = std::pair<Tensor, Tensor>;  // h and c

class LSTMCell : public Module {
 public:
  LSTMCell(int64_t input_size, int64_t hidden_size,
           const LSTMCellOptions& options = {}, Where where = Where::current());

  using Module::forward;
  LSTMState forward(Tensor x, const LSTMState& state);
  LSTMState operator()(Tensor x, const LSTMState& state,
                       Where where = Where::current()) {
    return noted(where, [&] { return forward(x, state); });
  }
  LSTMState zero_state(const Tensor& x, Where where = Where::current()) const;
  std::string extra_repr() const override;

  // For dynamic_rnn.
  Tensor prepare(const Tensor& xs, Where where = Where::current()) const;
  std::pair<Tensor, LSTMState> step(const Tensor& prepared,
                                    const LSTMState& state,
                                    Where where = Where::current()) const;

  const int64_t input_size, hidden_size;
  GateWeights weights;
};

}  // namespace sluice::nn
