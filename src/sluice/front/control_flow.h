// Conditionals and loops as functions of ordinary code:
//
//   auto y = sl::cond(sl::sum(x) > 0, [&] { return sl::sqrt(x); },
//                     [&] { return x; });
//   auto [steps, root] = sl::while_loop(
//       [&](sl::Tensor i, sl::Tensor z) { return sl::abs(z * z - a) > 1e-6f; },
//       [&](sl::Tensor i, sl::Tensor z) {
//         return std::tuple(i + 1, 0.5f * (z + a / z));
//       },
//       0, a);
//
// In a graph, and in a function being captured, they become nodes: only the
// branch taken runs, and a loop runs as often as its condition says. Else the
// code runs at once. The code may read whatever is around it, return what it
// was given, make constants, assert and change variables; there is nothing to
// declare. Results may be of any structure (front/structure.h); both branches
// give the same structure and types, of whatever sizes, and a loop's body gives
// the structure and types it was given, whose sizes may change as it runs.
//
// In a graph the code is called once while the graph is built, or again when
// sizes turn out to change. Errors throw sluice::Error. Thread safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "sluice/eager/operand.h"
#include "sluice/front/structure.h"
#include "sluice/trace/record_region.h"
#include "sluice/trace/save.h"

namespace sluice {

struct LoopOptions {
  // Iterations that may run at once in a graph. No result depends on it, only
  // time and memory.
  int64_t parallel_iterations = 10;
  // The loop ends after so many, whatever its condition says; -1: no limit.
  int64_t maximum_iterations = -1;
  std::string name{};
  // Kept for the gradient: "device", "host", "recompute" or budget(bytes).
  Save save{};
};

using Where = std::source_location;

namespace front_internal {

inline LoopSettings SettingsOf(const LoopOptions& options) {
  return {options.name, options.parallel_iterations, options.maximum_iterations,
          options.save};
}

// A tensor of what may be one: a tensor, a variable's value, a number.
Tensor AsTensor(const Operand& operand);
// The same for a number of iterations: a scalar of i64.
Tensor AsCount(const Operand& count);
Tensor ZeroLike(const Tensor& scalar, std::source_location where);
Tensor Below(const Tensor& i, const Tensor& n, std::source_location where);
Tensor PlusOne(const Tensor& i, std::source_location where);

// What a loop carries of an initial value: structures as they are, numbers and
// variables as tensors.
template <class T>
auto AsState(const T& value, std::source_location where) {
  if constexpr (IsStructure<T>) {
    return value;
  } else {
    return AsTensor(Operand(value, where));
  }
}

// User code without arguments, as the recorder calls it.
template <class F, class R>
Code BranchCode(F& f, std::optional<R>& like) {
  return [&](const std::vector<Tensor>&) -> CodeResult {
    like.emplace(f());
    return {Flatten(*like), Structure<R>::Text(*like)};
  };
}
template <class F>
Code VoidCode(F& f) {
  return [&](const std::vector<Tensor>&) -> CodeResult {
    f();
    return {{}, "nothing"};
  };
}

// What a body returns as the tuple of what is carried.
template <class State, class R>
State NextState(R result) {
  if constexpr (std::is_same_v<R, State>) {
    return result;
  } else if constexpr (std::tuple_size_v<State> == 1) {
    return State(std::move(result));
  } else {
    return std::apply([](auto&... e) { return State(std::move(e)...); },
                      result);
  }
}

template <class State>
auto UnlessAlone(State state) {
  if constexpr (std::tuple_size_v<State> == 1) {
    return std::get<0>(std::move(state));
  } else {
    return state;
  }
}

template <class State, class Cond, class Body>
State Loop(Cond& cond, Body& body, const State& init,
           const LoopOptions& options, std::source_location where) {
  State like = init;
  Code test = [&](const std::vector<Tensor>& carried) -> CodeResult {
    return {{AsTensor(std::apply(cond, Rebuild(like, carried)))}, "tensor"};
  };
  Code step = [&](const std::vector<Tensor>& carried) -> CodeResult {
    State next = NextState<State>(std::apply(body, Rebuild(like, carried)));
    return {Flatten(next), Structure<State>::Text(next)};
  };
  LoopSettings settings = SettingsOf(options);
  if constexpr (std::is_copy_constructible_v<Body>) {
    // Run at once it may be called again when this loop is long over.
    if (settings.save.how() != "device") {
      step = [own = std::make_shared<Body>(body),
              like](const std::vector<Tensor>& carried) -> CodeResult {
        State next = NextState<State>(std::apply(*own, Rebuild(like, carried)));
        return {Flatten(next), Structure<State>::Text(next)};
      };
      settings.repeatable = true;
    }
  }
  return Rebuild(like, RunLoop(test, step, Flatten(init),
                               Structure<State>::Text(init), settings, where));
}

template <class Cond, class Body, class... S>
auto LoopOf(Cond& cond, Body& body, const LoopOptions& options,
            std::source_location where, const S&... init) {
  // Spelled out: deduced, a single pair would become a tuple of its two.
  std::tuple<decltype(AsState(init, where))...> state(AsState(init, where)...);
  return UnlessAlone(Loop(cond, body, state, options, where));
}

template <class First, class... Rest>
std::tuple<Rest...> WithoutFirst(const std::tuple<First, Rest...>& all) {
  return std::apply(
      [](const First&, const Rest&... rest) {
        return std::tuple<Rest...>(rest...);
      },
      all);
}

}  // namespace front_internal

// on_true() or on_false(). Branches that return nothing give an Operation to
// be run for what they do; it holds nothing when they ran at once.
template <class T, class F>
auto cond(const Operand& pred, T on_true, F on_false,
          Where where = Where::current()) {
  using R = std::decay_t<std::invoke_result_t<T&>>;
  static_assert(std::is_same_v<R, std::decay_t<std::invoke_result_t<F&>>>,
                "both branches of a cond return the same type");
  Tensor chooser = front_internal::AsTensor(pred);
  if constexpr (std::is_void_v<R>) {
    return front_internal::RunBranch(chooser,
                                     {front_internal::VoidCode(on_true),
                                      front_internal::VoidCode(on_false)},
                                     false, where)
        .node;
  } else {
    std::optional<R> like;
    auto [results, node] =
        front_internal::RunBranch(chooser,
                                  {front_internal::BranchCode(on_true, like),
                                   front_internal::BranchCode(on_false, like)},
                                  false, where);
    return Rebuild(*like, results);
  }
}

// branches[index](); an index out of range is an error, or runs `otherwise`.
template <class R>
R switch_case(const Operand& index, std::vector<std::function<R()>> branches,
              std::function<R()> otherwise = nullptr,
              Where where = Where::current()) {
  bool has_default = static_cast<bool>(otherwise);
  if (has_default) branches.push_back(std::move(otherwise));
  std::vector<front_internal::Code> codes;
  std::optional<R> like;
  for (auto& branch : branches) {
    codes.push_back(front_internal::BranchCode(branch, like));
  }
  auto [results, node] = front_internal::RunBranch(
      front_internal::AsTensor(index), codes, has_default, where);
  return Rebuild(*like, results);
}
inline Tensor switch_case(const Operand& index,
                          std::vector<std::function<Tensor()>> branches,
                          std::function<Tensor()> otherwise = nullptr,
                          Where where = Where::current()) {
  return switch_case<Tensor>(index, std::move(branches), std::move(otherwise),
                             where);
}

// The values carried last: those given first, or of the last body(...) before
// cond(...) was false. One value comes back as it is, several as a std::tuple.
// More than six: carry a std::vector or another structure.
template <class Cond, class Body, class A>
auto while_loop(Cond cond, Body body, const A& a,
                const LoopOptions& options = {},
                Where where = Where::current()) {
  return front_internal::LoopOf(cond, body, options, where, a);
}
template <class Cond, class Body, class A, class B>
auto while_loop(Cond cond, Body body, const A& a, const B& b,
                const LoopOptions& options = {},
                Where where = Where::current()) {
  return front_internal::LoopOf(cond, body, options, where, a, b);
}
template <class Cond, class Body, class A, class B, class C>
auto while_loop(Cond cond, Body body, const A& a, const B& b, const C& c,
                const LoopOptions& options = {},
                Where where = Where::current()) {
  return front_internal::LoopOf(cond, body, options, where, a, b, c);
}
template <class Cond, class Body, class A, class B, class C, class D>
auto while_loop(Cond cond, Body body, const A& a, const B& b, const C& c,
                const D& d, const LoopOptions& options = {},
                Where where = Where::current()) {
  return front_internal::LoopOf(cond, body, options, where, a, b, c, d);
}
template <class Cond, class Body, class A, class B, class C, class D, class E>
auto while_loop(Cond cond, Body body, const A& a, const B& b, const C& c,
                const D& d, const E& e, const LoopOptions& options = {},
                Where where = Where::current()) {
  return front_internal::LoopOf(cond, body, options, where, a, b, c, d, e);
}
template <class Cond, class Body, class A, class B, class C, class D, class E,
          class F>
auto while_loop(Cond cond, Body body, const A& a, const B& b, const C& c,
                const D& d, const E& e, const F& f,
                const LoopOptions& options = {},
                Where where = Where::current()) {
  return front_internal::LoopOf(cond, body, options, where, a, b, c, d, e, f);
}

// body(i, carried...) for i = 0, 1, ..., count - 1; returns as while_loop does.
template <class Body, class... S>
  requires(sizeof...(S) >= 1)
auto for_loop_with(const LoopOptions& options, Where where,
                   const Operand& count, Body body, const S&... init) {
  Tensor n = front_internal::AsCount(count);
  auto test = [&](const Tensor& i, const auto&...) {
    return front_internal::Below(i, n, where);
  };
  auto step = [body = std::move(body), where](const Tensor& i,
                                              const auto&... carried) mutable {
    using State = std::tuple<std::decay_t<decltype(carried)>...>;
    return std::tuple_cat(
        std::tuple(front_internal::PlusOne(i, where)),
        front_internal::NextState<State>(body(i, carried...)));
  };
  auto all = front_internal::LoopOf(
      test, step, options, where, front_internal::ZeroLike(n, where), init...);
  return front_internal::UnlessAlone(front_internal::WithoutFirst(all));
}
template <class Body, class A>
auto for_loop(const Operand& count, Body body, const A& a,
              const LoopOptions& options = {}, Where where = Where::current()) {
  return for_loop_with(options, where, count, body, a);
}
template <class Body, class A, class B>
auto for_loop(const Operand& count, Body body, const A& a, const B& b,
              const LoopOptions& options = {}, Where where = Where::current()) {
  return for_loop_with(options, where, count, body, a, b);
}
template <class Body, class A, class B, class C>
auto for_loop(const Operand& count, Body body, const A& a, const B& b,
              const C& c, const LoopOptions& options = {},
              Where where = Where::current()) {
  return for_loop_with(options, where, count, body, a, b, c);
}

}  // namespace sluice
