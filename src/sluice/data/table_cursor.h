// Cursors over a table and an order of its rows: row by row, or gathered in
// batches. With threads > 0 that many make the elements, in order.
#pragma once

#include "sluice/data/stage.h"

namespace sluice::data {

// 0, 1, ... rows - 1.
std::unique_ptr<Order> RangeOrder(int64_t rows);

std::unique_ptr<Cursor> TableCursor(std::shared_ptr<const Table> table,
                                    std::unique_ptr<Order> order, int threads);

std::unique_ptr<Cursor> TableBatchCursor(std::shared_ptr<const Table> table,
                                         std::unique_ptr<Order> order,
                                         int64_t batch, bool drop_last,
                                         int threads);

}  // namespace sluice::data
