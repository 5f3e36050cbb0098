// Matrix products of ragged rows, without a multiplication for padding.
//
//   sl::Ragged q = sl::matmul(x, wq), k = sl::matmul(x, wk), v = ...;
//   sl::Ragged weights = sl::softmax(sl::row_scores(q, k) * scale);
//   sl::Ragged y = sl::row_mix(weights, v);      // attention within each row
//
// Imperatively and in graphs; differentiable. Errors throw sluice::Error.
// Thread safe.
#pragma once

#include <source_location>

#include "sluice/front/ragged.h"

namespace sluice {

// Every value, a vector of n, times w[n, m].
Ragged matmul(const Ragged& x, const Operand& w,
              std::source_location where = std::source_location::current());

// The rows of a table that ids name, each in the place of its id. The table's
// gradient is sparse.
Ragged embedding_lookup(
    const Tensor& table, const Ragged& ids,
    std::source_location where = std::source_location::current());

// Inner products of every vector of row r of q with every one of row r of k,
// and with no other. The result is nested: its rows are q's vectors, grouped as
// they are, each with as many numbers as row r of k has vectors.
Ragged row_scores(const Ragged& q, const Ragged& k,
                  std::source_location where = std::source_location::current());
// With such numbers as weights: for every vector of q the weighted sum of the
// vectors of its row of v; 0 where that row has none.
Ragged row_mix(const Ragged& weights, const Ragged& v,
               std::source_location where = std::source_location::current());

}  // namespace sluice
