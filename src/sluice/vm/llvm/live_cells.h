// Which cells somebody may still read, by instruction: where compiled code goes
// back to the machine, only those are written to memory. All others would have
// to be kept until then, in registers that a long body does not have.
//
// A plain function.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/vm/native_source.h"

namespace sluice {

class LiveCells {
 public:
  explicit LiveCells(const NativeProcedure& procedure);
  // Whether the cell may be read by instruction `at` or later.
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
