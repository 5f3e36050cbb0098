// ArrayTable: rows of arrays that are in memory, axis 0 counting them. A batch
// is gathered in one pass; bytes may become floats on the way, so that images
// stay as small as they came.
#pragma once

#include "sluice/data/stage.h"

namespace sluice::data {

struct TableColumn {
  Array values;  // row-major
  // Set: u8 values come out as f32, times this.
  bool scaled = false;
  float factor = 1;

  DType dtype() const { return scaled ? DType::kF32 : values.dtype(); }
};

class ArrayTable final : public Table {
 public:
  // Errors: no columns, scalars, lengths that differ.
  static Result<std::shared_ptr<const ArrayTable>> Make(
      std::vector<TableColumn> columns);

  int64_t rows() const { return rows_; }
  Result<Element> Row(int64_t row) const override;
  Result<Element> Rows(std::span<const int64_t> rows) const override;
  bool cheap() const override { return true; }
  std::shared_ptr<const Table> Scaled(size_t i, float factor) const override;

  explicit ArrayTable(std::vector<TableColumn> columns);

 private:
  // `batch`: the result has an axis 0.
  Result<Element> Gather(std::span<const int64_t> rows, bool batch) const;

  std::vector<TableColumn> columns_;
  int64_t rows_ = 0;
};

}  // namespace sluice::data
