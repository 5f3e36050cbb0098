// List: tensors of one type in order, read and written at any time, growing:
//
//   sl::List out(sl::i64);
//   out = out.append(token);                  // another list
//   auto all = out.stack();                   // i64[n, ...]
//
// A value: every call gives a new list and leaves this one as it was. What
// nobody else sees is written where it lies, so that a list carried by a loop
// of a graph costs no copies; imperatively that needs std::move(out).append(x).
// Part of a graph or imperative like the tensors it is made of; loops carry it
// and branches return it like a tensor.
//
// A handle of a few words, copied freely. A default-made one holds nothing.
// Errors throw sluice::Error.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/eager/operand.h"
#include "sluice/eager/sizes.h"
#include "sluice/front/structure.h"

namespace sluice {

class List {
 public:
  using Where = std::source_location;

  List() = default;
  // An empty list. `shape` is what is known of every element: others are
  // refused, and in a graph what is read has it.
  explicit List(DType dtype, const PartialSizes& shape = {},
                Where where = Where::current());
  // What a tensor of type `list` refers to.
  List(Tensor list, DType dtype, const PartialSizes& shape = {})
      : list_(std::move(list)), dtype_(dtype), shape_(shape.shape()) {}
  // A list of `size` elements, none of which is written; it never comes to
  // have more than `max_size`, if that is given.
  static List sized(DType dtype, const Operand& size,
                    const PartialSizes& shape = {}, int64_t max_size = -1,
                    Where where = Where::current());
  // The slices of x along its first axis; stretches of it.
  static List of(const Operand& x, Where where = Where::current());
  static List split(const Operand& x, const Operand& lengths,
                    Where where = Where::current());

  bool defined() const { return list_.defined(); }
  DType dtype() const { return dtype_; }                // of the elements
  const PartialShape& shape() const { return shape_; }  // of every element
  const Tensor& tensor() const { return list_; }

  Tensor size(Where where = Where::current()) const;  // i64
  // An element that was never written is zeros, if its shape is known.
  Tensor get(const Operand& index, Where where = Where::current()) const;
  Tensor operator[](const Operand& index) const {
    return get(index, index.where());
  }
  // An element that is a list itself, of elements of that type.
  List get_list(const Operand& index, DType dtype,
                const PartialSizes& shape = {},
                Where where = Where::current()) const;

  List append(const Operand& x, Where where = Where::current()) const&;
  List append(const Operand& x, Where where = Where::current()) &&;
  List append(const List& inner, Where where = Where::current()) const&;
  List append(const List& inner, Where where = Where::current()) &&;
  // An index beyond the end makes the list longer.
  List set(const Operand& index, const Operand& x,
           Where where = Where::current()) const&;
  List set(const Operand& index, const Operand& x,
           Where where = Where::current()) &&;
  // The list without its last element, and that element.
  std::pair<List, Tensor> pop(Where where = Where::current()) const&;
  std::pair<List, Tensor> pop(Where where = Where::current()) &&;
  // Cut off, or with unwritten elements behind it.
  List resize(const Operand& size, Where where = Where::current()) const&;
  List resize(const Operand& size, Where where = Where::current()) &&;
  // Slice k of xs as element indices[k].
  List scatter(const Operand& indices, const Operand& xs,
               Where where = Where::current()) const&;
  List scatter(const Operand& indices, const Operand& xs,
               Where where = Where::current()) &&;
  List zeros_like(Where where = Where::current()) const;

  // Elements of one shape along a new first axis: all, and those of a vector
  // of indices.
  Tensor stack(Where where = Where::current()) const;
  Tensor gather(const Operand& indices, Where where = Where::current()) const;
  // All elements one after the other along their first axis, and their
  // lengths.
  struct Joined {
    Tensor values, lengths;
  };
  Joined concat(Where where = Where::current()) const;

 private:
  List With(Tensor list) const { return {std::move(list), dtype_, shape_}; }
  List Write(std::string_view op, std::span<const Operand> operands,
             Where where) const&;
  List Write(std::string_view op, std::span<const Operand> operands,
             Where where) &&;

  Tensor list_;
  DType dtype_ = DType::kInvalid;
  PartialShape shape_;
};

template <>
struct Structure<List> {
  static void Flatten(const List& l, std::vector<Tensor>& out) {
    out.push_back(l.tensor());
  }
  static List Rebuild(const List& like, TensorReader& in) {
    return List(in.Next(), like.dtype(), like.shape());
  }
  static std::string Text(const List& l) {
    return "list of " + std::string(DTypeName(l.dtype()));
  }
};

}  // namespace sluice
