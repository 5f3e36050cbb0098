// Rows of a Ragged picked, joined, repeated, put in order. All of them take
// rows of one level, imperatively and in graphs, and are differentiable where
// values are floats. Errors throw sluice::Error. Thread safe.
#pragma once

#include <source_location>
#include <vector>

#include "sluice/front/ragged.h"

namespace sluice {

// The rows of these numbers, in this order; one may be there several times.
Ragged take_rows(const Ragged& x, const Operand& rows,
                 std::source_location where = std::source_location::current());
// Rows [begin, end) by step; negative numbers count from the end, and what lies
// beyond the ends is left out.
Ragged slice_rows(const Ragged& x, int64_t begin, int64_t end, int64_t step = 1,
                  std::source_location where = std::source_location::current());
// The rows where mask, of bool, one for each row, is true.
Ragged mask_rows(const Ragged& x, const Operand& mask,
                 std::source_location where = std::source_location::current());
// The values where mask is true, each in its row; rows may become empty.
Ragged mask_values(
    const Ragged& x, const Ragged& mask,
    std::source_location where = std::source_location::current());

// The rows of the first, then those of the second, and so on.
Ragged concat_rows(
    const std::vector<Ragged>& xs,
    std::source_location where = std::source_location::current());
// Row by row: row r of the first followed by row r of the second, and so on.
Ragged concat_in_rows(
    const std::vector<Ragged>& xs,
    std::source_location where = std::source_location::current());

// Each row n times before the next (or as often as its own number says); all
// rows, and so on n times.
Ragged repeat_rows(
    const Ragged& x, const Operand& n,
    std::source_location where = std::source_location::current());
Ragged tile_rows(const Ragged& x, int64_t n,
                 std::source_location where = std::source_location::current());
// The last row first; the last value of each row first.
Ragged reverse_rows(const Ragged& x, std::source_location where =
                                         std::source_location::current());
Ragged reverse_in_rows(const Ragged& x, std::source_location where =
                                            std::source_location::current());

// Each row in order; values are a vector. Equal values keep their order, and
// NaN counts as larger than every number.
Ragged sort_in_rows(
    const Ragged& x, bool descending = false,
    std::source_location where = std::source_location::current());

}  // namespace sluice
