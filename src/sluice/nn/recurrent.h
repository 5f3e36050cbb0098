// dynamic_rnn: a cell run along a sequence, any cell and any state:
//
//   auto [ys, last] = sl::nn::dynamic_rnn(cell, xs, state);
//   auto [ys, last] = sl::nn::dynamic_rnn(
//       [&](sl::Tensor x, sl::Tensor h) {
//         auto next = sl::tanh(sl::matmul(x, w) + sl::matmul(h, u));
//         return std::pair(next, next);       // what it gives, what goes on
//       },
//       xs, h0, {.lengths = lengths});
//
// Sequences are [steps, batch, ...]; they, the state and what the cell gives
// may be of any structure (front/structure.h). In a graph it is one loop.
//
// With lengths, one for each example, what an example gives after its length is
// zeros and its last state is that of its last step. Steps it does not have are
// not computed: the batch shrinks, so time goes with the sum of lengths.
//
// A cell is a function of (x, state), or an object with
//   step(x, state)   the same, called instead;
//   prepare(xs)      optional: what becomes of inputs of many steps at once
//                    before step sees them; one product instead of many.
// The cells of nn/recurrent_cell.h have both.
#pragma once

#include <functional>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "sluice/front/control_flow.h"

namespace sluice::nn {

struct DynamicRnnOptions {
  Tensor lengths{};      // [batch], i32 or i64; holds nothing: all steps
  bool reverse = false;  // every example from its end to its beginning
  LoopOptions loop{};
};

namespace recurrent_internal {

using Tensors = std::vector<Tensor>;

struct RnnCall {
  const char* what;
  std::function<Tensors(const Tensors&)> prepare;
  // Takes state, then one step of the inputs; gives state, then outputs.
  front_internal::Code step;
  Tensors state, inputs;
  const DynamicRnnOptions& options;
  std::source_location where;
};
struct RnnOutcome {
  Tensors state, outputs;
};
RnnOutcome RunRnn(const RnnCall& call);

template <class Cell, class X, class S>
auto Stepped(Cell& cell, const X& x, const S& state, Where where) {
  if constexpr (requires { cell.step(x, state, where); }) {
    return cell.step(x, state, where);
  } else if constexpr (requires { cell.step(x, state); }) {
    return cell.step(x, state);
  } else {
    return cell(x, state);
  }
}

template <class Cell, class X>
auto Prepared(Cell& cell, const X& xs, Where where) {
  if constexpr (requires { cell.prepare(xs, where); }) {
    return cell.prepare(xs, where);
  } else if constexpr (requires { cell.prepare(xs); }) {
    return cell.prepare(xs);
  } else {
    return xs;
  }
}

}  // namespace recurrent_internal

// What the cell gave at each step, [steps, batch, ...], and the last state.
template <class Cell, class X, class S>
  requires IsStructure<X> && IsStructure<S>
auto dynamic_rnn(Cell&& cell, const X& inputs, const S& state,
                 const DynamicRnnOptions& options = {},
                 Where where = Where::current()) {
  namespace r = recurrent_internal;
  using P = std::decay_t<decltype(r::Prepared(cell, inputs, where))>;
  using R = std::decay_t<decltype(r::Stepped(cell, std::declval<P&>(), state,
                                             where))>;
  static_assert(std::is_same_v<typename R::second_type, S>,
                "a cell returns a std::pair of what it gives and its next "
                "state, of the type of the first one");
  std::optional<P> prepared;
  std::optional<R> like;
  auto prepare = [&](const r::Tensors& xs) {
    prepared.emplace(r::Prepared(cell, Rebuild(inputs, xs), where));
    return Flatten(*prepared);
  };
  r::Tensors start = Flatten(state);
  size_t n = start.size();
  auto step = [&](const r::Tensors& in) -> front_internal::CodeResult {
    auto middle = in.begin() + static_cast<std::ptrdiff_t>(n);
    like.emplace(
        r::Stepped(cell, Rebuild(*prepared, r::Tensors(middle, in.end())),
                   Rebuild(state, r::Tensors(in.begin(), middle)), where));
    r::Tensors out = Flatten(like->second);
    r::Tensors given = Flatten(like->first);
    out.insert(out.end(), given.begin(), given.end());
    return {std::move(out), Structure<R>::Text(*like)};
  };
  r::RnnOutcome outcome =
      r::RunRnn({"dynamic_rnn", prepare, step, std::move(start),
                 Flatten(inputs), options, where});
  return std::pair(Rebuild(like->first, outcome.outputs),
                   Rebuild(state, outcome.state));
}

// Two cells, one from each end of every example: the pair of what they gave,
// each in the order of the inputs, and the pair of their last states.
template <class Forward, class Backward, class X, class S, class S2>
  requires IsStructure<X>
auto bidirectional_rnn(Forward&& forward, Backward&& backward, const X& inputs,
                       const S& state, const S2& backward_state,
                       DynamicRnnOptions options = {},
                       Where where = Where::current()) {
  auto there = dynamic_rnn(forward, inputs, state, options, where);
  options.reverse = !options.reverse;
  auto back = dynamic_rnn(backward, inputs, backward_state, options, where);
  return std::pair(std::pair(std::move(there.first), std::move(back.first)),
                   std::pair(std::move(there.second), std::move(back.second)));
}

}  // namespace sluice::nn
