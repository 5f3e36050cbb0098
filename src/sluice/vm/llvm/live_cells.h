// The cells that may still be read, by instruction. Compiled code that returns
// to the machine writes only those cells to memory. Writing all others would
// keep them in registers, of which a long body has too few.
//
// Built once per function; used by one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/vm/native_source.h"

namespace sluice {

class LiveCells {
 public:
  explicit LiveCells(const NativeProcedure& procedure);
  // Whether instruction `at` or a later one may read the cell.
  bool at(int32_t at, size_t cell) const {
    return (words_[static_cast<size_t>(at) * width_ + cell / 64] >>
            (cell % 64)) &
           1;
  }

 private:
  size_t width_;                 // words of a set
  std::vector<uint64_t> words_;  // one set per instruction
};

}  // namespace sluice
