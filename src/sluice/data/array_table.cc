#include "sluice/data/array_table.h"

#include "sluice/base/strings.h"
#include "sluice/tensor/copy_bytes.h"

namespace sluice::data {

namespace {

// Rows are scattered in memory larger than the caches: prefetching one while
// another is copied hides most of the latency.
constexpr size_t kFetchAhead = 4;
constexpr int64_t kLineBytes = 64;

void Fetch(const char* row, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += kLineBytes) __builtin_prefetch(row + i);
}

template <class Copy>
void EachRow(const TableColumn& column, std::span<const int64_t> rows,
             int64_t row_bytes, Copy copy) {
  const char* base = static_cast<const char*>(column.values.raw());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i + kFetchAhead < rows.size()) {
      Fetch(base + rows[i + kFetchAhead] * row_bytes, row_bytes);
    }
    copy(i, base + rows[i] * row_bytes);
  }
}

void ScaleRow(const char* from, int64_t n, float factor, float* to) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(from);
  for (int64_t k = 0; k < n; ++k) to[k] = static_cast<float>(bytes[k]) * factor;
}

// Copies the elements of the rows, one row after another.
void GatherColumn(const TableColumn& column, std::span<const int64_t> rows,
                  int64_t row_elements, const Array& out) {
  int64_t row_bytes = row_elements * DTypeSize(column.values.dtype());
  if (column.scaled) {
    float* to = out.mutable_data<float>();
    EachRow(column, rows, row_bytes, [&](size_t i, const char* from) {
      ScaleRow(from, row_elements, column.factor,
               to + static_cast<int64_t>(i) * row_elements);
    });
  } else if (column.values.dtype() == DType::kString) {
    const std::string* from = column.values.data<std::string>();
    std::string* to = out.mutable_data<std::string>();
    for (int64_t row : rows) {
      to = std::copy_n(from + row * row_elements, row_elements, to);
    }
  } else {
    char* to = static_cast<char*>(out.mutable_raw());
    EachRow(column, rows, row_bytes, [&](size_t i, const char* from) {
      CopyBytes(to + static_cast<int64_t>(i) * row_bytes, from, row_bytes);
    });
  }
}

}  // namespace

Result<std::shared_ptr<const ArrayTable>> ArrayTable::Make(
    std::vector<TableColumn> columns) {
  if (columns.empty()) return InvalidArgument("no tensors were given");
  for (size_t i = 0; i < columns.size(); ++i) {
    const Array& values = columns[i].values;
    if (values.rank() == 0) {
      return InvalidArgument(StrCat("component ", i, " is ", values.TypeText(),
                                    "; wanted an axis 0 to count elements"));
    }
    if (values.dim(0) != columns[0].values.dim(0)) {
      return InvalidArgument(StrCat(
          "component ", i, " is ", values.TypeText(), " but component 0 is ",
          columns[0].values.TypeText(), "; wanted equal sizes of axis 0"));
    }
    if (!IsPlainData(values.dtype()) && values.dtype() != DType::kString) {
      return InvalidArgument(StrCat("component ", i, " is ", values.TypeText(),
                                    "; wanted numbers or strings"));
    }
    SL_ASSIGN_OR_RETURN(columns[i].values, values.AsContiguous());
  }
  return std::make_shared<const ArrayTable>(std::move(columns));
}

ArrayTable::ArrayTable(std::vector<TableColumn> columns)
    : columns_(std::move(columns)), rows_(columns_[0].values.dim(0)) {}

Result<Element> ArrayTable::Gather(std::span<const int64_t> rows,
                                   bool batch) const {
  Element element;
  element.reserve(columns_.size());
  for (const TableColumn& column : columns_) {
    Dims dims = column.values.shape().dims();
    std::array<int64_t, kMaxRank> sizes;
    size_t rank = batch ? 1 : 0;
    sizes[0] = static_cast<int64_t>(rows.size());
    int64_t row_elements = 1;
    for (int64_t dim : dims.subspan(1)) {
      sizes[rank++] = dim;
      row_elements *= dim;
    }
    SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(Dims(sizes.data(), rank)));
    SL_ASSIGN_OR_RETURN(Array out, Array::Make(column.dtype(), shape));
    GatherColumn(column, rows, row_elements, out);
    element.push_back(TensorOf(std::move(out)));
  }
  return element;
}

Result<Element> ArrayTable::Row(int64_t row) const {
  return Gather(std::span(&row, 1), false);
}

Result<Element> ArrayTable::Rows(std::span<const int64_t> rows) const {
  return Gather(rows, true);
}

std::shared_ptr<const Table> ArrayTable::Scaled(size_t i, float factor) const {
  if (i >= columns_.size() || columns_[i].values.dtype() != DType::kU8 ||
      columns_[i].scaled) {
    return nullptr;
  }
  std::vector<TableColumn> columns = columns_;
  columns[i].scaled = true;
  columns[i].factor = factor;
  return std::make_shared<const ArrayTable>(std::move(columns));
}

}  // namespace sluice::data
