// ShapeContext: the interface of a shape function. The same function runs when
// a graph is built (dimensions may be unknown or symbols, values are mostly
// unknown), when a plan is made, and before a kernel is launched (everything is
// known). It must never claim more than its inputs allow.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sluice/base/status.h"
#include "sluice/op/attr.h"

namespace sluice {

struct OpRecord;

class ShapeContext {
 public:
  // All spans must outlive the context.
  ShapeContext(const OpRecord& op, const Attrs& attrs,
               std::span<const DType> in_dtypes,
               std::span<const PartialShape> in_shapes,
               std::span<const Array* const> in_values,
               std::span<const DType> out_dtypes,
               std::span<PartialShape> out_shapes)
      : op_(op),
        attrs_(attrs),
        in_dtypes_(in_dtypes),
        in_shapes_(in_shapes),
        in_values_(in_values),
        out_dtypes_(out_dtypes),
        out_shapes_(out_shapes) {}

  const OpRecord& op() const { return op_; }
  int num_inputs() const { return static_cast<int>(in_shapes_.size()); }
  int num_outputs() const { return static_cast<int>(out_shapes_.size()); }
  const PartialShape& in(int i) const {
    return in_shapes_[static_cast<size_t>(i)];
  }
  DType in_dtype(int i) const { return in_dtypes_[static_cast<size_t>(i)]; }
  DType out_dtype(int i) const { return out_dtypes_[static_cast<size_t>(i)]; }
  // The input's elements if they are already known, else null.
  const Array* value(int i) const {
    auto k = static_cast<size_t>(i);
    const Array* known = k < in_values_.size() ? in_values_[k] : nullptr;
    missed_value_ |= known == nullptr;
    asked_ |= uint64_t{1} << (k & 63);
    return known;
  }
  // Bit i: the value of input i was requested, known or not.
  uint64_t asked() const { return asked_; }
  // Whether an unknown value was requested: the function's result may then
  // depend on it.
  bool missed_value() const { return missed_value_; }
  template <class T>
  const T& attr(std::string_view name) const {
    return attrs_.get<T>(name);
  }
  const Attrs& attrs() const { return attrs_; }

  // Outputs that are not set have unknown rank.
  void set_out(int i, PartialShape shape) {
    out_shapes_[static_cast<size_t>(i)] = std::move(shape);
  }
  const PartialShape& out(int i) const {
    return out_shapes_[static_cast<size_t>(i)];
  }

  // "a is f32[2,3]": input i by its declared name, for messages.
  std::string Describe(int i) const;
  // InvalidArgument "[Op] ...".
  Status Error(std::string_view message) const;

  // Checks that input i has this rank (or an unknown one); otherwise the error
  // is "[Op] x is f32[2]; wanted rank 2".
  Status WantRank(int i, int rank) const;
  Status WantRankAtLeast(int i, int rank) const;

  // An axis attribute or value as 0..rank-1; negative ones count from the end.
  Result<int> ResolveAxis(int64_t axis, int rank) const;

 private:
  const OpRecord& op_;
  const Attrs& attrs_;
  std::span<const DType> in_dtypes_;
  std::span<const PartialShape> in_shapes_;
  std::span<const Array* const> in_values_;
  std::span<const DType> out_dtypes_;
  std::span<PartialShape> out_shapes_;
  mutable bool missed_value_ = false;
  mutable uint64_t asked_ = 0;
};

using ShapeFn = Status (*)(ShapeContext&);

// Shape functions that many ops share.
namespace shapes {
Status same_as_first(ShapeContext& c);  // every output like input 0
Status broadcast(ShapeContext& c);      // output 0: all inputs broadcast
Status scalar(ShapeContext& c);         // every output a scalar
Status unknown(ShapeContext& c);        // nothing is known before the run
Status none(ShapeContext& c);           // for ops without outputs
// All inputs have the same shape, and so has output 0.
Status all_same(ShapeContext& c);
// Attributes "axes" (list(int); empty means all) and "keep_dims".
Status reduce(ShapeContext& c);
}  // namespace shapes

}  // namespace sluice
