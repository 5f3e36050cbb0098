#include "sluice/tensor/shape.h"

#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

std::string DimsText(Dims dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) out += ',';
    if (dims[i] >= 0) {
      StrAppend(out, dims[i]);
    } else if (dims[i] == kUnknownDim) {
      out += '?';
    } else {
      StrAppend(out, "s", SymbolId(dims[i]));
    }
  }
  return out + "]";
}

Status CheckRank(size_t rank) {
  if (rank > kMaxRank) {
    return InvalidArgument(StrCat("rank ", rank,
                                  " is too large; wanted at most ", kMaxRank,
                                  " dimensions"));
  }
  return OkStatus();
}

// The product of the known sizes. A zero makes the array empty whatever the
// other sizes are, but they must still multiply without overflow: strides and
// reductions over the other axes use them.
Result<int64_t> KnownProduct(Dims dims) {
  int64_t product = 1, nonzero = 1;
  for (int64_t d : dims) {
    if (d < 0) continue;
    product *= d == 0 ? 0 : 1;
    if (d == 0) continue;
    if (!CheckedMul(nonzero, d, &nonzero) || nonzero > kMaxElements) {
      return InvalidArgument(
          StrCat("shape ", DimsText(dims),
                 " has too many elements; wanted at most 2^48"));
    }
  }
  return product == 0 ? 0 : nonzero;
}

}  // namespace

Result<Shape> Shape::Make(Dims dims) {
  SL_RETURN_IF_ERROR(CheckRank(dims.size()));
  for (int64_t d : dims) {
    if (d < 0) {
      return InvalidArgument(StrCat("shape [", Join(dims, ","),
                                    "] has a size of ", d,
                                    "; wanted sizes >= 0"));
    }
  }
  SL_ASSIGN_OR_RETURN(int64_t product, KnownProduct(dims));
  Shape shape;
  shape.rank_ = static_cast<int32_t>(dims.size());
  shape.num_elements_ = product;
  std::copy(dims.begin(), dims.end(), shape.dims_.begin());
  return shape;
}

Shape::Shape(std::initializer_list<int64_t> dims) {
  *this = ValueOrThrow(Make(Dims(dims.begin(), dims.size())));
}

bool Shape::operator==(const Shape& o) const {
  return rank_ == o.rank_ &&
         std::equal(dims_.begin(), dims_.begin() + rank_, o.dims_.begin());
}

std::string Shape::ToString() const { return DimsText(dims()); }

PartialShape::PartialShape(const Shape& shape) : rank_(shape.rank()) {
  std::copy(shape.dims().begin(), shape.dims().end(), dims_.begin());
}

PartialShape::PartialShape(std::initializer_list<int64_t> dims) {
  *this = ValueOrThrow(Make(Dims(dims.begin(), dims.size())));
}

PartialShape PartialShape::OfRank(int rank) {
  SL_CHECK(rank >= 0 && rank <= kMaxRank);
  PartialShape shape;
  shape.rank_ = rank;
  std::fill_n(shape.dims_.begin(), rank, kUnknownDim);
  return shape;
}

Result<PartialShape> PartialShape::Make(Dims dims) {
  SL_RETURN_IF_ERROR(CheckRank(dims.size()));
  SL_ASSIGN_OR_RETURN(int64_t product, KnownProduct(dims));
  (void)product;
  PartialShape shape;
  shape.rank_ = static_cast<int32_t>(dims.size());
  std::copy(dims.begin(), dims.end(), shape.dims_.begin());
  return shape;
}

bool PartialShape::fully_known() const {
  if (rank_ < 0) return false;
  for (int i = 0; i < rank_; ++i) {
    if (dims_[i] < 0) return false;
  }
  return true;
}

Shape PartialShape::ToShape() const {
  SL_CHECK(fully_known());
  Result<Shape> made = Shape::Make(dims());
  SL_CHECK(made.ok());
  return *made;
}

bool PartialShape::CompatibleWith(const PartialShape& o) const {
  if (rank_ < 0 || o.rank_ < 0) return true;
  if (rank_ != o.rank_) return false;
  for (int i = 0; i < rank_; ++i) {
    if (dims_[i] >= 0 && o.dims_[i] >= 0 && dims_[i] != o.dims_[i])
      return false;
  }
  return true;
}

bool PartialShape::Covers(const Shape& shape) const {
  if (rank_ < 0) return true;
  if (rank_ != shape.rank()) return false;
  for (int i = 0; i < rank_; ++i) {
    if (dims_[i] >= 0 && dims_[i] != shape.dim(i)) return false;
    if (!IsSymbol(dims_[i])) continue;
    for (int j = 0; j < i; ++j) {
      if (dims_[j] == dims_[i] && shape.dim(j) != shape.dim(i)) return false;
    }
  }
  return true;
}

bool PartialShape::operator==(const PartialShape& o) const {
  return rank_ == o.rank_ &&
         (rank_ <= 0 ||
          std::equal(dims_.begin(), dims_.begin() + rank_, o.dims_.begin()));
}

std::string PartialShape::ToString() const {
  return rank_ < 0 ? "[...]" : DimsText(dims());
}

Result<PartialShape> MergeShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.rank_known()) return b;
  if (!b.rank_known()) return a;
  if (!a.CompatibleWith(b)) {
    return InvalidArgument(
        StrCat("shapes ", a, " and ", b, " cannot be the same"));
  }
  PartialShape merged = a;
  for (int i = 0; i < a.rank(); ++i) {
    // A size is more specific than a symbol, a symbol more than an unknown
    // dimension.
    if (a[i] >= 0) continue;
    if (b[i] >= 0 || a[i] == kUnknownDim) merged.set_dim(i, b[i]);
  }
  return merged;
}

PartialShape JoinShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.rank_known() || !b.rank_known() || a.rank() != b.rank()) return {};
  PartialShape joined = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] != b[i]) joined.set_dim(i, kUnknownDim);
  }
  return joined;
}

Result<PartialShape> BroadcastShapes(const PartialShape& a,
                                     const PartialShape& b) {
  if (!a.rank_known() || !b.rank_known()) return PartialShape::Unknown();
  int rank = std::max(a.rank(), b.rank());
  PartialShape out = PartialShape::OfRank(rank);
  for (int i = 0; i < rank; ++i) {
    int ia = i - (rank - a.rank()), ib = i - (rank - b.rank());
    int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    int64_t d;
    if (da == db) {
      // Two unknown sizes may differ if one of them is 1.
      d = da;
    } else if (da == 1) {
      d = db;
    } else if (db == 1) {
      d = da;
    } else if (da >= 0 && db >= 0) {
      return InvalidArgument(StrCat("shapes ", a, " and ", b,
                                    " do not broadcast: axis ", i, " is ", da,
                                    " and ", db));
    } else if (da >= 0) {
      d = da;  // the unknown one is 1 or da
    } else if (db >= 0) {
      d = db;
    } else {
      d = kUnknownDim;
    }
    out.set_dim(i, d);
  }
  return PartialShape::Make(out.dims());
}

Result<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  if (a == b) return a;
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      BroadcastShapes(PartialShape(a), PartialShape(b)));
  return Shape::Make(out.dims());
}

}  // namespace sluice
