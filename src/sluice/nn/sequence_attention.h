// Attention of one state over a remembered sequence, as decoders use it at
// every step: AdditiveAttention (Bahdanau et al.) and MultiplicativeAttention
// (Luong et al.).
//
//   sl::nn::AdditiveAttention attention{/*query=*/256, /*memory=*/512, 128};
//   auto memory = attention.remember(encoded, lengths);   // once
//   auto [context, weights] = attention(h, memory);       // at every step
#pragma once

#include "sluice/nn/linear.h"
#include "sluice/nn/module.h"

namespace sluice::nn {

// What is looked at, as far as it does not depend on who looks. Handles.
struct Memory {
  Tensor values;  // [batch, length, memory_size]
  Tensor keys;    // [batch, length, ...] what queries are compared with
  Tensor seen;    // [batch, length] bool; holds nothing: all
  // Each example `beams` times in a row, for a search.
  Memory repeated(int64_t beams, std::source_location where =
                                     std::source_location::current()) const;
};

class SequenceAttention : public Module {
 public:
  // sequence [length, batch, memory_size], of which examples may have but the
  // first `lengths` [batch].
  Memory remember(const Tensor& sequence, const Tensor& lengths = {},
                  Where where = Where::current());
  // The mean of the values [batch, memory_size] by weights [batch, length]. Who
  // has nothing to look at gets zeros.
  using Module::forward;
  std::pair<Tensor, Tensor> forward(Tensor query, const Memory& memory);
  std::pair<Tensor, Tensor> operator()(Tensor query, const Memory& memory,
                                       Where where = Where::current()) {
    return noted(where, [&] { return forward(query, memory); });
  }

  const int64_t query_size, memory_size;

 protected:
  SequenceAttention(const char* type, int64_t query_size, int64_t memory_size,
                    Where where);
  virtual Tensor Keys(const Tensor& values, Where where) = 0;
  // How well each key answers a query: [batch, length].
  virtual Tensor Scores(const Tensor& query, const Tensor& keys,
                        Where where) = 0;
};

// v' tanh(W query + U value)
class AdditiveAttention : public SequenceAttention {
 public:
  AdditiveAttention(int64_t query_size, int64_t memory_size, int64_t size,
                    DType dtype = DType::kF32, Where where = Where::current());

  Linear query_layer, memory_layer;
  Tensor v;  // [size]

 protected:
  Tensor Keys(const Tensor& values, Where where) override;
  Tensor Scores(const Tensor& query, const Tensor& keys, Where where) override;
};

// query' W value
class MultiplicativeAttention : public SequenceAttention {
 public:
  MultiplicativeAttention(int64_t query_size, int64_t memory_size,
                          DType dtype = DType::kF32,
                          Where where = Where::current());

  Linear memory_layer;

 protected:
  Tensor Keys(const Tensor& values, Where where) override;
  Tensor Scores(const Tensor& query, const Tensor& keys, Where where) override;
};

}  // namespace sluice::nn
