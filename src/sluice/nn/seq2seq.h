// Seq2Seq: one sequence of tokens said as another: a bidirectional GRU reads
// the source, an AttentionDecoder looks at what it has made of it.
//
//   sl::nn::Seq2Seq model{{.source_vocabulary = 5000, .target_vocabulary =
//   6000,
//                          .embedding_size = 128, .hidden_size = 256}};
//   auto logits = model(source, targets, lengths);         // training
//   auto said = model.greedy(source, lengths,
//                            {.start = 1, .end = 2, .max_length = 50});
//   auto best = model.beam_search(source, lengths, {..., .beams = 4});
//
// Sequences are [steps, batch]; targets begin with the start. lengths [batch]
// are those of the source and may hold nothing.
#pragma once

#include "sluice/nn/attention_decoder.h"
#include "sluice/nn/recurrent_layer.h"

namespace sluice::nn {

struct Seq2SeqOptions {
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  int64_t embedding_size = 0, hidden_size = 0;
  int64_t num_layers = 1;  // of the encoder
  double dropout = 0;      // between them
  AttentionDecoderOptions decoder{};
};

class Seq2Seq : public Module {
 public:
  explicit Seq2Seq(const Seq2SeqOptions& options,
                   Where where = Where::current());

  // What the decoder looks at, and its first state.
  struct Encoded {
    Memory memory;
    AttentionDecoder::State state;
  };
  Encoded encode(const Tensor& source, const Tensor& lengths = {},
                 Where where = Where::current());

  // Logits [steps, batch, target_vocabulary] of what follows each target.
  using Module::forward;
  Tensor forward(Tensor source, Tensor targets, const Tensor& lengths = {});
  Tensor operator()(Tensor source, Tensor targets, const Tensor& lengths = {},
                    Where where = Where::current()) {
    return noted(where, [&] { return forward(source, targets, lengths); });
  }
  Decoded greedy(const Tensor& source, const Tensor& lengths,
                 const DecodeOptions& options, Where where = Where::current());
  Beams beam_search(const Tensor& source, const Tensor& lengths,
                    const BeamOptions& options, Where where = Where::current());

  Embedding embedding;  // of the source
  GRU encoder;
  Linear bridge;  // from its last states to the decoder's first
  AttentionDecoder decoder;
};

}  // namespace sluice::nn
