// Functions of sequences: loops over axis 0 of tensors.
//
//   auto ys = sl::map_fn([](sl::Tensor x) { return x * x; }, xs);
//   auto [hs, last] = sl::scan(
//       [&](sl::Tensor h, sl::Tensor x) {
//         auto next = cell(h, x);
//         return std::pair(next, next);       // what is kept, what goes on
//       }, h0, xs);
//   auto total = sl::foldl([](sl::Tensor a, sl::Tensor x) { return a + x; },
//   xs);
//
// As in control_flow.h the code may read what is around it and carry and return
// any structure; a sequence may itself be a structure of tensors of equal
// length. What is collected is stacked along a new axis 0, so one shape each.
// Sequences of length zero are fine where there is something to start from.
#pragma once

#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "sluice/front/control_flow.h"

namespace sluice {

struct SequenceOptions {
  bool reverse = false;  // from the last element to the first
  LoopOptions loop{};
};

namespace front_internal {

// `step` takes what is carried and one element of each sequence, and gives what
// is carried next and what is to be collected.
struct SequenceCall {
  const char* what;  // "scan", for messages
  Code step;
  std::vector<Tensor> carried, sequences;
  bool reverse = false;
  LoopSettings settings;
  std::source_location where;
};
struct SequenceResult {
  std::vector<Tensor> carried, collected;
};
SequenceResult RunSequence(const SequenceCall& call);

// The first element of each (the last when reverse), and the rest of each.
std::pair<std::vector<Tensor>, std::vector<Tensor>> HeadAndRest(
    const char* what, const std::vector<Tensor>& sequences, bool reverse,
    std::source_location where);

inline std::vector<Tensor> Part(const std::vector<Tensor>& all, size_t begin,
                                size_t end) {
  return {all.begin() + static_cast<std::ptrdiff_t>(begin),
          all.begin() + static_cast<std::ptrdiff_t>(end)};
}

template <class F, class S, class X>
S Fold(const char* what, F& f, const S& init, const X& like,
       std::vector<Tensor> sequences, bool reverse, const LoopOptions& options,
       Where where) {
  std::vector<Tensor> start = Flatten(init);
  size_t n = start.size();
  std::string text = Structure<S>::Text(init);
  auto step = [&](const std::vector<Tensor>& in) -> CodeResult {
    S next =
        f(Rebuild(init, Part(in, 0, n)), Rebuild(like, Part(in, n, in.size())));
    return {Flatten(next), Structure<S>::Text(next)};
  };
  SequenceResult result =
      RunSequence({what, step, std::move(start), std::move(sequences), reverse,
                   SettingsOf(options), where});
  return Rebuild(init, result.carried);
}

}  // namespace front_internal

// f of each element, stacked. Elements may be computed at the same time.
template <class F, class X>
auto map_fn(F f, const X& xs, const LoopOptions& options = {},
            Where where = Where::current()) {
  using R = std::decay_t<std::invoke_result_t<F&, X>>;
  std::optional<R> like;
  auto step = [&](const std::vector<Tensor>& in) -> front_internal::CodeResult {
    like.emplace(f(Rebuild(xs, in)));
    return {Flatten(*like), Structure<R>::Text(*like)};
  };
  front_internal::SequenceResult result =
      front_internal::RunSequence({"map_fn",
                                   step,
                                   {},
                                   Flatten(xs),
                                   false,
                                   front_internal::SettingsOf(options),
                                   where});
  return Rebuild(*like, result.collected);
}

// f(state, x) for each element x in turn. It gives the next state, and then all
// states are returned, stacked; or a std::pair of what is to be stacked and the
// next state, and then a pair of the stacked and the last state is returned.
template <class F, class S, class X>
auto scan(F f, const S& init, const X& xs, const SequenceOptions& options = {},
          Where where = Where::current()) {
  using R = std::decay_t<std::invoke_result_t<F&, S, X>>;
  constexpr bool states_alone = std::is_same_v<R, S>;
  std::optional<R> like;
  std::vector<Tensor> start = Flatten(init);
  size_t n = start.size();
  auto step = [&](const std::vector<Tensor>& in) -> front_internal::CodeResult {
    like.emplace(f(Rebuild(init, front_internal::Part(in, 0, n)),
                   Rebuild(xs, front_internal::Part(in, n, in.size()))));
    std::vector<Tensor> out;
    if constexpr (states_alone) {
      out = Flatten(*like);
      std::vector<Tensor> again = out;
      out.insert(out.end(), again.begin(), again.end());
    } else {
      out = Flatten(like->second);
      std::vector<Tensor> kept = Flatten(like->first);
      out.insert(out.end(), kept.begin(), kept.end());
    }
    return {std::move(out), Structure<R>::Text(*like)};
  };
  front_internal::SequenceResult result = front_internal::RunSequence(
      {"scan", step, std::move(start), Flatten(xs), options.reverse,
       front_internal::SettingsOf(options.loop), where});
  if constexpr (states_alone) {
    return Rebuild(*like, result.collected);
  } else {
    return std::pair(Rebuild(like->first, result.collected),
                     Rebuild(init, result.carried));
  }
}

// f(f(f(init, x0), x1), x2)...; without init the first element takes its place.
template <class F, class X, class S>
  requires IsStructure<S>
S foldl(F f, const X& xs, const S& init, const LoopOptions& options = {},
        Where where = Where::current()) {
  return front_internal::Fold("foldl", f, init, xs, Flatten(xs), false, options,
                              where);
}
template <class F, class X>
X foldl(F f, const X& xs, const LoopOptions& options = {},
        Where where = Where::current()) {
  auto [head, rest] =
      front_internal::HeadAndRest("foldl", Flatten(xs), false, where);
  return front_internal::Fold("foldl", f, Rebuild(xs, head), xs,
                              std::move(rest), false, options, where);
}
// The same from the last element to the first.
template <class F, class X, class S>
  requires IsStructure<S>
S foldr(F f, const X& xs, const S& init, const LoopOptions& options = {},
        Where where = Where::current()) {
  return front_internal::Fold("foldr", f, init, xs, Flatten(xs), true, options,
                              where);
}
template <class F, class X>
X foldr(F f, const X& xs, const LoopOptions& options = {},
        Where where = Where::current()) {
  auto [head, rest] =
      front_internal::HeadAndRest("foldr", Flatten(xs), true, where);
  return front_internal::Fold("foldr", f, Rebuild(xs, head), xs,
                              std::move(rest), true, options, where);
}

}  // namespace sluice
