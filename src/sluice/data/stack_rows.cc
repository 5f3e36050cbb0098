#include "sluice/data/stack_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/eager/call_device.h"
#include "sluice/launch/copy_between.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::data {

namespace {

using Number = std::function<int64_t(size_t)>;

// Component c of all elements, row-major, on the host. Errors: differences.
Result<std::vector<Array>> Column(const std::vector<Element>& elements,
                                  size_t c, bool same_sizes,
                                  const Number& number) {
  std::vector<Array> arrays;
  arrays.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    auto wrong = [&](std::string_view wanted) {
      return InvalidArgument(StrCat("element ", number(i), " is (",
                                    TypesOf(elements[i]), ") and element ",
                                    number(0), " is (", TypesOf(elements[0]),
                                    "); wanted ", wanted));
    };
    if (elements[i].size() != elements[0].size()) {
      return wrong("equal numbers of components");
    }
    const Tensor& t = elements[i][c];
    if (!t.defined() || t.symbolic() || t.is_sparse()) {
      return InvalidArgument(
          StrCat("component ", c, " of element ", number(i),
                 " has no elements; wanted an imperative tensor"));
    }
    SL_ASSIGN_OR_RETURN(Array here, OnHost(t.array()));
    SL_ASSIGN_OR_RETURN(Array array, here.AsContiguous());
    if (i > 0) {
      const Array& first = arrays[0];
      if (array.dtype() != first.dtype()) return wrong("equal types");
      if (same_sizes && !(array.shape() == first.shape())) {
        return wrong("equal shapes (padded_batch takes different ones)");
      }
      if (array.rank() != first.rank()) return wrong("equal ranks");
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

Result<Array> MakeBatch(DType dtype, size_t count, Dims row) {
  std::vector<int64_t> dims{static_cast<int64_t>(count)};
  dims.insert(dims.end(), row.begin(), row.end());
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  return Array::Make(dtype, shape);
}

// False if the type cannot represent the value.
bool Fill(const Array& to, double value) {
  bool fits = true;
  DispatchAll(to.dtype(), [&]<class T>() {
    if constexpr (std::is_same_v<T, std::string>) {
      fits = value == 0;  // strings are padded with empty ones
    } else if constexpr (std::is_integral_v<T>) {
      // The maximum plus 1 is exact as a double; the maximum may not be.
      using Limits = std::numeric_limits<T>;
      fits = value >= static_cast<double>(Limits::min()) &&
             value < static_cast<double>(Limits::max()) + 1 &&
             value == std::trunc(value);
      if (!fits) return;
      std::fill_n(to.mutable_data<T>(), to.num_elements(),
                  static_cast<T>(value));
    } else if constexpr (std::is_same_v<T, double>) {
      std::fill_n(to.mutable_data<T>(), to.num_elements(), value);
    } else {
      std::fill_n(to.mutable_data<T>(), to.num_elements(),
                  static_cast<T>(static_cast<float>(value)));
    }
  });
  return fits;
}

// Copies `from` into the corner of row `row` of `to`.
void CopyCorner(const Array& from, const Array& to, int64_t row) {
  if (from.num_elements() == 0) return;
  int rank = from.rank();
  int64_t run = rank == 0 ? 1 : from.dim(rank - 1);
  int64_t runs = from.num_elements() / run;
  const Strides& strides = to.strides();
  std::array<int64_t, kMaxRank> at{};
  for (int64_t k = 0; k < runs; ++k) {
    int64_t offset = row * strides[0];
    for (int axis = 0; axis + 1 < rank; ++axis) {
      offset += at[static_cast<size_t>(axis)] *
                strides[static_cast<size_t>(axis) + 1];
    }
    if (from.dtype() == DType::kString) {
      std::copy_n(from.data<std::string>() + k * run, run,
                  to.mutable_data<std::string>() + offset);
    } else {
      int64_t size = DTypeSize(from.dtype());
      CopyBytes(static_cast<char*>(to.mutable_raw()) + offset * size,
                static_cast<const char*>(from.raw()) + k * run * size,
                run * size);
    }
    for (int axis = rank - 2; axis >= 0; --axis) {
      auto a = static_cast<size_t>(axis);
      if (++at[a] < from.dim(axis)) break;
      at[a] = 0;
    }
  }
}

}  // namespace

Result<Element> StackRows(const std::vector<Element>& elements,
                          const Number& number) {
  Element batch;
  for (size_t c = 0; c < elements[0].size(); ++c) {
    SL_ASSIGN_OR_RETURN(std::vector<Array> rows,
                        Column(elements, c, true, number));
    SL_ASSIGN_OR_RETURN(Array out, MakeBatch(rows[0].dtype(), rows.size(),
                                             rows[0].shape().dims()));
    int64_t size = rows[0].num_elements();
    for (size_t i = 0; i < rows.size(); ++i) {
      auto row = static_cast<int64_t>(i);
      if (out.dtype() == DType::kString) {
        std::copy_n(rows[i].data<std::string>(), size,
                    out.mutable_data<std::string>() + row * size);
      } else {
        int64_t bytes = rows[i].bytes();
        CopyBytes(static_cast<char*>(out.mutable_raw()) + row * bytes,
                  static_cast<const char*>(rows[i].raw()), bytes);
      }
    }
    SL_ASSIGN_OR_RETURN(out, CopyTo(out, Devices::Of(elements[0][c].array())));
    batch.push_back(TensorOf(std::move(out)));
  }
  return batch;
}

Result<Element> PadRows(const std::vector<Element>& elements,
                        const std::vector<double>& padding,
                        const Number& number) {
  if (!padding.empty() && padding.size() != elements[0].size()) {
    return InvalidArgument(StrCat("padding has ", padding.size(),
                                  " numbers for elements of ",
                                  elements[0].size(), " components"));
  }
  Element batch;
  for (size_t c = 0; c < elements[0].size(); ++c) {
    SL_ASSIGN_OR_RETURN(std::vector<Array> rows,
                        Column(elements, c, false, number));
    Dims first = rows[0].shape().dims();
    std::vector<int64_t> largest(first.begin(), first.end());
    for (const Array& row : rows) {
      for (size_t axis = 0; axis < largest.size(); ++axis) {
        largest[axis] =
            std::max(largest[axis], row.dim(static_cast<int>(axis)));
      }
    }
    SL_ASSIGN_OR_RETURN(Array out,
                        MakeBatch(rows[0].dtype(), rows.size(), largest));
    if (!Fill(out, padding.empty() ? 0 : padding[c])) {
      return InvalidArgument(StrCat("padding ", padding[c], " for component ",
                                    c, " does not fit in its type ",
                                    DTypeName(out.dtype())));
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      CopyCorner(rows[i], out, static_cast<int64_t>(i));
    }
    SL_ASSIGN_OR_RETURN(out, CopyTo(out, Devices::Of(elements[0][c].array())));
    batch.push_back(TensorOf(std::move(out)));
  }
  return batch;
}

}  // namespace sluice::data
