// Structure: values made of tensors, as loops carry and branches return them:
// a Tensor, a std::pair, std::tuple, std::vector or std::map of structures, a
// plain struct of up to twelve of them, and what else says how it is taken
// apart (a specialisation of Structure).
//
// Flatten gives the tensors in order; Rebuild makes the same structure of
// others. Plain functions, thread safe.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sluice/eager/tensor.h"
#include "sluice/front/plain_struct.h"

namespace sluice {

template <class T>
struct Structure;  // not defined: T is nothing a loop can carry

// Takes tensors one by one off a list.
class TensorReader {
 public:
  explicit TensorReader(const std::vector<Tensor>& tensors)
      : next_(tensors.data()) {}
  const Tensor& Next() { return *next_++; }

 private:
  const Tensor* next_;
};

template <>
struct Structure<Tensor> {
  static void Flatten(const Tensor& t, std::vector<Tensor>& out) {
    out.push_back(t);
  }
  static Tensor Rebuild(const Tensor&, TensorReader& in) { return in.Next(); }
  static std::string Text(const Tensor&) { return "tensor"; }
};

template <class A, class B>
struct Structure<std::pair<A, B>> {
  using P = std::pair<A, B>;
  static void Flatten(const P& p, std::vector<Tensor>& out) {
    Structure<A>::Flatten(p.first, out);
    Structure<B>::Flatten(p.second, out);
  }
  static P Rebuild(const P& like, TensorReader& in) {
    // One after the other: arguments of a call have no order.
    A a = Structure<A>::Rebuild(like.first, in);
    B b = Structure<B>::Rebuild(like.second, in);
    return {std::move(a), std::move(b)};
  }
  static std::string Text(const P& p) {
    return "(" + Structure<A>::Text(p.first) + ", " +
           Structure<B>::Text(p.second) + ")";
  }
};

template <class... Ts>
struct Structure<std::tuple<Ts...>> {
  using Tuple = std::tuple<Ts...>;
  static void Flatten(const Tuple& t, std::vector<Tensor>& out) {
    std::apply([&](const Ts&... e) { (Structure<Ts>::Flatten(e, out), ...); },
               t);
  }
  static Tuple Rebuild(const Tuple& like, TensorReader& in) {
    return std::apply(
        [&](const Ts&... e) {
          // Braces keep the order.
          return Tuple{Structure<Ts>::Rebuild(e, in)...};
        },
        like);
  }
  static std::string Text(const Tuple& t) {
    std::string text = "(";
    std::apply(
        [&](const Ts&... e) {
          ((text += (text.size() > 1 ? ", " : "") + Structure<Ts>::Text(e)),
           ...);
        },
        t);
    return text + ")";
  }
};

template <class T>
struct Structure<std::vector<T>> {
  using V = std::vector<T>;
  static void Flatten(const V& v, std::vector<Tensor>& out) {
    for (const T& e : v) Structure<T>::Flatten(e, out);
  }
  static V Rebuild(const V& like, TensorReader& in) {
    V made;
    for (const T& e : like) made.push_back(Structure<T>::Rebuild(e, in));
    return made;
  }
  static std::string Text(const V& v) {
    std::string text = "[";
    for (const T& e : v) {
      text += (text.size() > 1 ? ", " : "") + Structure<T>::Text(e);
    }
    return text + "]";
  }
};

// std::map<std::string, T>, told by what it has: its header costs more than all
// of this.
template <class M>
  requires requires {
    typename M::key_compare;
    typename M::mapped_type;
  }
struct Structure<M> {
  using T = typename M::mapped_type;
  static void Flatten(const M& m, std::vector<Tensor>& out) {
    for (const auto& [key, e] : m) Structure<T>::Flatten(e, out);
  }
  static M Rebuild(const M& like, TensorReader& in) {
    M made;
    for (const auto& [key, e] : like) {
      made.emplace(key, Structure<T>::Rebuild(e, in));
    }
    return made;
  }
  static std::string Text(const M& m) {
    std::string text = "{";
    for (const auto& [key, e] : m) {
      text +=
          (text.size() > 1 ? ", " : "") + key + ": " + Structure<T>::Text(e);
    }
    return text + "}";
  }
};

template <class T>
concept IsStructure = requires(const T& t, std::vector<Tensor>& out) {
  Structure<T>::Flatten(t, out);
};

namespace front_internal {

// A struct of structures and nothing else, without constructors or bases.
template <class T>
constexpr bool IsPlainStruct() {
  if constexpr (std::is_class_v<T> && std::is_aggregate_v<T>) {
    if constexpr (HasMembers<T>()) {
      return []<class... M>(std::type_identity<std::tuple<M&...>>) {
        return (IsStructure<M> && ...);
      }(std::type_identity<decltype(Members(std::declval<T&>()))>());
    }
  }
  return false;
}

}  // namespace front_internal

template <class T>
  requires(front_internal::IsPlainStruct<T>())
struct Structure<T> {
  template <class M>
  using Of = Structure<std::remove_cvref_t<M>>;

  static void Flatten(const T& t, std::vector<Tensor>& out) {
    std::apply(
        [&](const auto&... m) { (Of<decltype(m)>::Flatten(m, out), ...); },
        front_internal::Members(t));
  }
  static T Rebuild(const T& like, TensorReader& in) {
    return std::apply(
        [&](const auto&... m) { return T{Of<decltype(m)>::Rebuild(m, in)...}; },
        front_internal::Members(like));
  }
  static std::string Text(const T& t) {
    std::string text = "{";
    std::apply(
        [&](const auto&... m) {
          ((text += (text.size() > 1 ? ", " : "") + Of<decltype(m)>::Text(m)),
           ...);
        },
        front_internal::Members(t));
    return text + "}";
  }
};

template <class T>
std::vector<Tensor> Flatten(const T& t) {
  std::vector<Tensor> out;
  Structure<T>::Flatten(t, out);
  return out;
}

template <class T>
T Rebuild(const T& like, const std::vector<Tensor>& tensors) {
  TensorReader reader(tensors);
  return Structure<T>::Rebuild(like, reader);
}

}  // namespace sluice
