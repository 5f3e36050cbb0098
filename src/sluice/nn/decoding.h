// greedy_decode and beam_search: sequences out of a model that says one step,
// in loops that stop when every sequence has ended.
//
//   auto step = [&](sl::Tensor tokens, sl::Tensor h) {     // [n], [n, size]
//     h = cell(embedding(tokens), h);
//     return std::pair(readout(h), h);                     // logits [n, vocab]
//   };
//   auto [tokens, lengths] = sl::nn::greedy_decode(
//       step, h0, {.start = 1, .end = 2, .max_length = 50});
//   auto best = sl::nn::beam_search(step, h0, {.start = 1, .end = 2,
//                                              .max_length = 50, .beams = 4});
//
// The state may be of any structure; each of its tensors is [batch, ...]. In a
// graph each is one loop, however many steps it turns out to take.
#pragma once

#include <optional>
#include <source_location>
#include <utility>
#include <vector>

#include "sluice/front/control_flow.h"

namespace sluice::nn {

struct DecodeOptions {
  int64_t start = 0;  // what the first step is given
  int64_t end = 0;    // what a sequence ends with
  int64_t max_length = 0;
  LoopOptions loop{};
};

struct Decoded {
  Tensor tokens;   // [batch, steps] i64, filled up with the end
  Tensor lengths;  // [batch] i64, without the end
};

struct BeamOptions {
  int64_t start = 0, end = 0;
  int64_t max_length = 0;
  int64_t beams = 1;  // kept at every step, and returned
  // Scores are divided by ((5 + length) / 6) to this power, the length with the
  // end: 0 compares probabilities, which favour what is short.
  double length_penalty = 0;
  LoopOptions loop{};
};

struct Beams {
  Tensor tokens;   // [batch, beams, steps] i64, filled up with the end
  Tensor scores;   // [batch, beams] f32, best first; -inf: there is none
  Tensor lengths;  // [batch, beams] i64, without the end
};

// x [batch, ...] with each example `beams` times in a row: what a step reads
// beside its state during a search, as the memory of an encoder.
Tensor repeat_for_beams(
    const Tensor& x, int64_t beams,
    std::source_location where = std::source_location::current());

namespace decoding_internal {

using Tensors = std::vector<Tensor>;
// Takes state, then tokens; gives state, then logits.
Decoded Greedy(const front_internal::Code& step, const Tensors& state,
               const DecodeOptions& options, std::source_location where);
Beams Search(const front_internal::Code& step, const Tensors& state,
             const BeamOptions& options, std::source_location where);

template <class Step, class S>
front_internal::Code CodeOf(Step& step, const S& like, size_t n) {
  return [&step, &like, n](const Tensors& in) -> front_internal::CodeResult {
    Tensors state(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n));
    auto [logits, next] = step(in[n], Rebuild(like, state));
    Tensors out = Flatten(next);
    out.push_back(logits);
    return {std::move(out), "state, logits"};
  };
}

}  // namespace decoding_internal

// The likeliest token at every step.
template <class Step, class S>
  requires IsStructure<S>
Decoded greedy_decode(Step step, const S& state, const DecodeOptions& options,
                      Where where = Where::current()) {
  std::vector<Tensor> start = Flatten(state);
  return decoding_internal::Greedy(
      decoding_internal::CodeOf(step, state, start.size()), start, options,
      where);
}

// The likeliest sequences among those that are among the best `beams` after
// each of their steps. The step is called with batch * beams rows.
template <class Step, class S>
  requires IsStructure<S>
Beams beam_search(Step step, const S& state, const BeamOptions& options,
                  Where where = Where::current()) {
  std::vector<Tensor> start = Flatten(state);
  return decoding_internal::Search(
      decoding_internal::CodeOf(step, state, start.size()), start, options,
      where);
}

}  // namespace sluice::nn
