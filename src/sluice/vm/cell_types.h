// CellTypes: the type of each cell of a procedure, derived from the
// instructions that use it; a moved value has the type of its source.
//
// Lives while a program is lowered; used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/vm/native_source.h"

namespace sluice {

class CellTypes {
 public:
  explicit CellTypes(size_t n) : parent_(n), type_(n), known_(n, false) {
    for (size_t i = 0; i < n; ++i) parent_[i] = i;
  }

  void Say(int32_t cell, CellType type) {
    size_t root = Root(static_cast<size_t>(cell));
    // The cell holds values of two types at different times: only its users
    // know which.
    type_[root] = known_[root] && type_[root] != type ? CellType::kBits : type;
    known_[root] = true;
  }
  void Same(int32_t a, int32_t b) {
    size_t to = Root(static_cast<size_t>(a));
    size_t from = Root(static_cast<size_t>(b));
    if (to == from) return;
    parent_[from] = to;
    if (!known_[from]) return;
    Say(static_cast<int32_t>(to), type_[from]);
  }
  CellType Of(size_t cell) {
    size_t root = Root(cell);
    return known_[root] ? type_[root] : CellType::kBits;
  }

 private:
  size_t Root(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  std::vector<size_t> parent_;
  std::vector<CellType> type_;
  std::vector<bool> known_;
};

}  // namespace sluice
