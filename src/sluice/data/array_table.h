// ArrayTable: rows of in-memory arrays, with axis 0 as the row number. A batch
// is gathered in one pass. Bytes may be converted to floats during the gather,
// so that images are stored compactly.
#pragma once

#include "sluice/data/stage.h"

namespace sluice::data {

struct TableColumn {
  Array values;  // row-major
  // Set: u8 values are returned as f32, multiplied by `factor`.
  bool scaled = false;
  float factor = 1;

  DType dtype() const { return scaled ? DType::kF32 : values.dtype(); }
};

class ArrayTable final : public Table {
 public:
  // Errors: no columns, scalars, different lengths.
  static Result<std::shared_ptr<const ArrayTable>> Make(
      std::vector<TableColumn> columns);

  int64_t rows() const { return rows_; }
  Result<Element> Row(int64_t row) const override;
  Result<Element> Rows(std::span<const int64_t> rows) const override;
  bool cheap() const override { return true; }
  std::shared_ptr<const Table> Scaled(size_t i, float factor) const override;

  explicit ArrayTable(std::vector<TableColumn> columns);

 private:
  // `batch`: the result has a leading axis of rows.
  Result<Element> Gather(std::span<const int64_t> rows, bool batch) const;

  std::vector<TableColumn> columns_;
  int64_t rows_ = 0;
};

}  // namespace sluice::data
