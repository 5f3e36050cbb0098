// The weights of a recurrent cell and what it computes of them, as cells and
// layers share it. Formulas, names and layouts are PyTorch's; peepholes, which
// it does not have, are those of Gers and Schmidhuber: the input and the forget
// gate see the old cell, the output gate the new one.
//
// Plain values of handles.
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include "sluice/nn/module.h"

namespace sluice::nn {

enum class CellKind { kTanh, kRelu, kLstm, kGru };

struct GateSizes {
  CellKind kind;
  int64_t input_size, hidden_size;
  int64_t proj_size = 0;  // of an LSTM's h, if it is not hidden_size
  bool bias = true, peepholes = false;
  DType dtype = DType::kF32;
};

struct GateWeights {
  CellKind kind = CellKind::kTanh;
  Tensor weight_ih;  // [gates hidden, input]
  Tensor weight_hh;  // [gates hidden, hidden or proj]
  Tensor bias_ih, bias_hh;
  Tensor weight_hr;                        // [proj, hidden]
  Tensor weight_ci, weight_cf, weight_co;  // [hidden]
};

// Throws when sizes make no cell of that type.
void CheckGateSizes(std::string_view type, const GateSizes& sizes,
                    std::source_location where);
// Parameters of the module, their names with a suffix.
GateWeights AddGateWeights(Module& module, const GateSizes& sizes,
                           const std::string& suffix);

// What the input has to say to the gates, for the rows of any number of steps.
Tensor InputGates(const GateWeights& w, const Tensor& x,
                  std::source_location where);
// The next state: h, and for an LSTM c. x_gates is what InputGates gave.
std::vector<Tensor> NextState(const GateWeights& w, const Tensor& x_gates,
                              const std::vector<Tensor>& state,
                              std::source_location where);
// A first state of zeros for rows like x [..., batch, input]: h, and c.
std::vector<Tensor> ZeroState(const GateWeights& w, const Tensor& x,
                              std::source_location where);
// The sizes of h and of c, as they follow from the weights.
std::vector<int64_t> StateSizes(const GateWeights& w);

}  // namespace sluice::nn
