// Literal: a value written down in the user's program, such as 0.5f, {1, 2, 3}
// or an Array. It has the type C++ gives it, but where it meets a tensor it
// takes the tensor's type, if that can hold it: x * 2 works for every x. An
// Array has its type as a tensor has (eager/promote.h). A plain value; copying
// shares the elements.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/tensor/array.h"

namespace sluice {

namespace front_internal {

// The element type a C++ type is stored as: integers go by size, because
// long and long long are two types of one size.
template <class T>
auto ElementOf() {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, float> ||
                std::is_same_v<T, double> || std::is_same_v<T, f16> ||
                std::is_same_v<T, bf16> || std::is_same_v<T, complex64>) {
    return T();
  } else if constexpr (std::is_integral_v<T>) {
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) {
      return std::conditional_t<is_signed, int8_t, uint8_t>();
    } else if constexpr (sizeof(T) == 2) {
      return std::conditional_t<is_signed, int16_t, uint16_t>();
    } else if constexpr (sizeof(T) == 4) {
      return std::conditional_t<is_signed, int32_t, uint32_t>();
    } else {
      return std::conditional_t<is_signed, int64_t, uint64_t>();
    }
  } else if constexpr (std::is_convertible_v<T, std::string>) {
    return std::string();
  }
}
template <class T>
using Element = decltype(ElementOf<T>());

template <class T>
concept ElementLike = !std::is_void_v<Element<T>>;
template <class T>
concept NumberLike = ElementLike<T> && !std::is_same_v<Element<T>, std::string>;

[[noreturn]] void ThrowRagged(size_t row, size_t got, size_t wanted);

}  // namespace front_internal

class Literal {
 public:
  Literal(Array value) : value_(std::move(value)), own_type_(true) {}

  template <front_internal::NumberLike T>
  Literal(T value)
      : value_(Array::Scalar(static_cast<front_internal::Element<T>>(value))) {}
  Literal(const char* text) : value_(Array::Scalar(std::string(text))) {}
  Literal(std::string text) : value_(Array::Scalar(std::move(text))) {}

  // {1, 2, 3}: a vector. {{1, 2}, {3, 4}}: a matrix.
  template <front_internal::ElementLike T>
  Literal(std::initializer_list<T> values) : value_(Row(values)) {}
  template <front_internal::ElementLike T>
  Literal(std::initializer_list<std::initializer_list<T>> rows);
  // Sizes, some of which are variables: {batch, 10}.
  Literal(std::initializer_list<int64_t> values) : value_(Row(values)) {}

  template <front_internal::ElementLike T>
  Literal(const std::vector<T>& values) : value_(Row(values)) {}

  const Array& value() const { return value_; }
  // An Array, whose type is meant; else a number, which takes that of others.
  bool own_type() const { return own_type_; }
  DType dtype() const { return value_ ? value_.dtype() : DType::kInvalid; }

  // The value as that type. Errors: the type cannot hold it; an Array that is
  // of another type.
  Result<Array> As(DType dtype) const;

 private:
  template <class Values>
  static Array Row(const Values& values) {
    using T = front_internal::Element<typename Values::value_type>;
    Array a = *Array::Make(DTypeOf<T>::value,
                           Shape{static_cast<int64_t>(values.size())});
    T* out = a.mutable_data<T>();
    for (const auto& v : values) *out++ = static_cast<T>(v);
    return a;
  }

  Array value_;
  bool own_type_ = false;  // an Array: its type is meant
};

template <front_internal::ElementLike T>
Literal::Literal(std::initializer_list<std::initializer_list<T>> rows) {
  using E = front_internal::Element<T>;
  size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  value_ = *Array::Make(
      DTypeOf<E>::value,
      Shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)});
  E* out = value_.mutable_data<E>();
  size_t i = 0;
  for (const auto& row : rows) {
    if (row.size() != columns) {
      front_internal::ThrowRagged(i, row.size(), columns);
    }
    for (const T& v : row) *out++ = static_cast<E>(v);
    ++i;
  }
}

}  // namespace sluice
