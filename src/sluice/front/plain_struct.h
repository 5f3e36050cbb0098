// Members of a plain struct, by their places: so that loops carry and branches
// return the program's own structs of tensors without a word more (front/
// structure.h).
//
//   struct State { sl::Tensor t, y; };
//   State last = sl::while_loop([](State s) { return s.t < 1; },
//                               [](State s) { ... return s; }, State{t, y});
//
// C++ does not tell how many members a struct has; how many values it can be
// made of does. Nothing here exists when the program runs.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sluice::front_internal {

// Stands for a member of whatever type.
struct AnyMember {
  template <class T>
  operator T() const;  // never defined, never called
};

template <size_t>
using AnyMemberAt = AnyMember;

template <class T, size_t... I>
constexpr bool MadeOf(std::index_sequence<I...>) {
  return requires { T{AnyMemberAt<I>{}...}; };
}

inline constexpr size_t kMostMembers = 12;

// One more than kMostMembers stands for any number above it.
template <class T, size_t N = kMostMembers + 1>
constexpr size_t CountMembers() {
  if constexpr (N == 0 || MadeOf<T>(std::make_index_sequence<N>())) {
    return N;
  } else {
    return CountMembers<T, N - 1>();
  }
}
template <class T>
constexpr bool HasMembers() {
  return CountMembers<T>() > 0 && CountMembers<T>() <= kMostMembers;
}

// References to all members.
template <class T>
constexpr auto Members(T& t) {
  constexpr size_t n = CountMembers<std::remove_const_t<T>>();
  if constexpr (n == 1) {
    auto& [a] = t;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = t;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = t;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = t;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = t;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = t;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = t;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, f, g, h] = t;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = t;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = t;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = t;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = t;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  }
}

}  // namespace sluice::front_internal
