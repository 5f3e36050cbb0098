// Shape: the sizes of an existing array. PartialShape: what is known of the
// shape of an array that does not exist yet. Both are plain values of rank <=
// kMaxRank, stored inline; a Shape is only created by one overflow-checked
// function.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "sluice/base/status.h"

namespace sluice {

inline constexpr int kMaxRank = 8;
// The maximum number of elements of an array: sizes in bytes then never
// overflow.
inline constexpr int64_t kMaxElements = int64_t{1} << 48;

using Dims = std::span<const int64_t>;

class Shape {
 public:
  Shape() = default;  // a scalar
  // Errors: rank above kMaxRank, negative size, product above kMaxElements.
  static Result<Shape> Make(Dims dims);
  // For sizes written in the source; throws sluice::Error if Make fails.
  Shape(std::initializer_list<int64_t> dims);

  int rank() const { return rank_; }
  int64_t dim(int i) const { return dims_[i]; }
  int64_t operator[](int i) const { return dims_[i]; }
  int64_t num_elements() const { return num_elements_; }
  Dims dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  bool operator==(const Shape& o) const;
  std::string ToString() const;  // "[2,3]"

 private:
  int32_t rank_ = 0;
  int64_t num_elements_ = 1;
  std::array<int64_t, kMaxRank> dims_{};
};

// A dimension of a PartialShape: a size, unknown, or a symbol. Two dimensions
// with the same symbol are equal, although their size is unknown.
inline constexpr int64_t kUnknownDim = -1;
inline constexpr int64_t any = kUnknownDim;  // what users write
inline bool IsSymbol(int64_t dim) { return dim <= -2; }
inline int64_t SymbolDim(int64_t id) { return -2 - id; }  // id >= 0
inline int64_t SymbolId(int64_t dim) { return -2 - dim; }

class PartialShape {
 public:
  PartialShape() = default;  // unknown rank
  PartialShape(const Shape& shape);
  // Dims are sizes, kUnknownDim or symbols; throws sluice::Error if Make fails.
  PartialShape(std::initializer_list<int64_t> dims);
  static PartialShape Unknown() { return {}; }
  static PartialShape Scalar() { return PartialShape(Shape()); }
  static PartialShape OfRank(int rank);
  // Errors: rank above kMaxRank, known product above kMaxElements.
  static Result<PartialShape> Make(Dims dims);

  bool rank_known() const { return rank_ >= 0; }
  int rank() const { return rank_; }  // -1 when unknown
  int64_t dim(int i) const { return dims_[i]; }
  int64_t operator[](int i) const { return dims_[i]; }
  void set_dim(int i, int64_t dim) { dims_[i] = dim; }
  Dims dims() const {
    return {dims_.data(), static_cast<size_t>(rank_ < 0 ? 0 : rank_)};
  }
  bool fully_known() const;
  // REQUIRES: fully_known().
  Shape ToShape() const;
  // True if an array of this shape could also have shape `o`.
  bool CompatibleWith(const PartialShape& o) const;
  // True if this covers every array of shape `shape`.
  bool Covers(const Shape& shape) const;
  bool operator==(const PartialShape& o) const;
  std::string ToString() const;  // "[2,?,s0]", "[...]" for unknown rank

 private:
  int32_t rank_ = -1;
  std::array<int64_t, kMaxRank> dims_{};
};

// The combined information of both; an error if they contradict each other.
Result<PartialShape> MergeShapes(const PartialShape& a, const PartialShape& b);

// A shape that covers both: equal dimensions stay, others become unknown.
PartialShape JoinShapes(const PartialShape& a, const PartialShape& b);

// Numpy broadcasting of two shapes; the error names the axis that does not
// match.
Result<PartialShape> BroadcastShapes(const PartialShape& a,
                                     const PartialShape& b);
Result<Shape> BroadcastShapes(const Shape& a, const Shape& b);

}  // namespace sluice
