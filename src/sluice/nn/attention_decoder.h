// AttentionDecoder: says a sequence of tokens while looking at a remembered
// one.
//
//   auto memory = decoder.remember(encoded, lengths);
//   auto state = decoder.start(memory, h0);
//   auto logits = decoder(tokens, memory, state);          // teacher forcing
//   auto said = decoder.greedy(memory, state, {...});      // until the end
//   auto best = decoder.beam_search(memory, state, {...});
//
// At every step the cell sees the token and what was looked at last; its new h
// looks at the memory; h and what it sees give the logits. In training, where
// all tokens are known, products with tokens and the readout are made for all
// steps at once, and the rest is one loop.
#pragma once

#include "sluice/nn/decoding.h"
#include "sluice/nn/embedding.h"
#include "sluice/nn/gates.h"
#include "sluice/nn/sequence_attention.h"

namespace sluice::nn {

struct AttentionDecoderOptions {
  std::string cell = "gru";            // or lstm
  std::string attention = "additive";  // or multiplicative
  int64_t attention_size = 0;          // of an additive one; 0: hidden_size
  DType dtype = DType::kF32;
  LoopOptions loop{};
};

class AttentionDecoder : public Module {
 public:
  AttentionDecoder(int64_t vocabulary, int64_t embedding_size,
                   int64_t hidden_size, int64_t memory_size,
                   const AttentionDecoderOptions& options = {},
                   Where where = Where::current());

  // What the cell carries: h, c of an LSTM, and what was looked at last.
  using State = std::vector<Tensor>;

  Memory remember(const Tensor& sequence, const Tensor& lengths = {},
                  Where where = Where::current()) {
    return attention->remember(sequence, lengths, where);
  }
  // h [batch, hidden_size]; none: zeros.
  State start(const Memory& memory, const Tensor& h = {},
              Where where = Where::current()) const;

  // Logits [steps, batch, vocabulary] of what follows each of the tokens
  // [steps, batch].
  using Module::forward;
  Tensor forward(Tensor tokens, const Memory& memory, const State& state);
  Tensor operator()(Tensor tokens, const Memory& memory, const State& state,
                    Where where = Where::current()) {
    return noted(where, [&] { return forward(tokens, memory, state); });
  }

  // One step: logits [batch, vocabulary] after tokens [batch].
  std::pair<Tensor, State> step(const Tensor& tokens, const Memory& memory,
                                const State& state,
                                Where where = Where::current());
  Decoded greedy(const Memory& memory, const State& state,
                 const DecodeOptions& options, Where where = Where::current());
  Beams beam_search(const Memory& memory, const State& state,
                    const BeamOptions& options, Where where = Where::current());
  std::string extra_repr() const override;

  Embedding embedding;
  std::shared_ptr<SequenceAttention> attention;
  GateWeights weights;   // of tokens and of h
  Linear context_layer;  // what was looked at last, for the gates
  Linear readout;

 private:
  // h and what it sees, [batch, hidden_size + memory_size], and the next state.
  std::pair<Tensor, State> Attend(const Tensor& x_gates, const Memory& memory,
                                  const State& state, Where where);

  int64_t vocabulary_, hidden_size_;
  AttentionDecoderOptions options_;
};

}  // namespace sluice::nn
