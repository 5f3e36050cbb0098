#include "sluice/nn/seq2seq.h"

#include "sluice/eager/index.h"
#include "sluice/nn/checks.h"
#include "sluice/ops.h"

namespace sluice::nn {

using Where = std::source_location;

namespace {

const Seq2SeqOptions& Checked(const Seq2SeqOptions& o, Where where) {
  SL_WANT(o.source_vocabulary > 0 && o.target_vocabulary > 0 &&
              o.embedding_size > 0 && o.hidden_size > 0,
          where, "Seq2Seq: vocabularies are ", o.source_vocabulary, " and ",
          o.target_vocabulary, ", embedding_size is ", o.embedding_size,
          ", hidden_size is ", o.hidden_size, "; wanted all positive");
  return o;
}

}  // namespace

Seq2Seq::Seq2Seq(const Seq2SeqOptions& o, Where where)
    : embedding(Checked(o, where).source_vocabulary, o.embedding_size,
                {.dtype = o.decoder.dtype}, where),
      encoder(o.embedding_size, o.hidden_size,
              {.num_layers = o.num_layers,
               .dropout = o.dropout,
               .bidirectional = true,
               .dtype = o.decoder.dtype,
               .loop = o.decoder.loop},
              where),
      bridge(2 * o.hidden_size, o.hidden_size, {.dtype = o.decoder.dtype},
             where),
      decoder(o.target_vocabulary, o.embedding_size, o.hidden_size,
              2 * o.hidden_size, o.decoder, where) {
  add("embedding", embedding);
  add("encoder", encoder);
  add("bridge", bridge);
  add("decoder", decoder);
}

Seq2Seq::Encoded Seq2Seq::encode(const Tensor& source, const Tensor& lengths,
                                 Where where) {
  SL_WANT(source.rank() < 0 || source.rank() == 2, where,
          "Seq2Seq: the source is ", TypeText(source.dtype(), source.shape()),
          "; wanted [steps, batch]");
  auto [seen, last] =
      encoder(embedding(source, where), {.lengths = lengths}, where);
  // The last layer's, from both ends.
  Tensor ends = concat({last.at({-2}, where), last.at({-1}, where)},
                       {.axis = 1}, {}, where);
  Tensor h = tanh(bridge(ends, where), {}, where);
  Memory memory = decoder.remember(seen, lengths, where);
  return {memory, decoder.start(memory, h, where)};
}

Tensor Seq2Seq::forward(Tensor source, Tensor targets, const Tensor& lengths) {
  Encoded encoded = encode(source, lengths, line());
  return decoder(targets, encoded.memory, encoded.state, line());
}

Decoded Seq2Seq::greedy(const Tensor& source, const Tensor& lengths,
                        const DecodeOptions& options, Where where) {
  Encoded encoded = encode(source, lengths, where);
  return decoder.greedy(encoded.memory, encoded.state, options, where);
}

Beams Seq2Seq::beam_search(const Tensor& source, const Tensor& lengths,
                           const BeamOptions& options, Where where) {
  Encoded encoded = encode(source, lengths, where);
  return decoder.beam_search(encoded.memory, encoded.state, options, where);
}

}  // namespace sluice::nn
