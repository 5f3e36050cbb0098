// The header of a .npy file: a magic, a version, and a Python dict that says
// type, order and shape.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/status.h"

namespace sluice {

struct NpyHeader {
  std::string descr;  // "<f4", "|S5"
  bool fortran_order = false;
  std::vector<int64_t> shape;
  size_t bytes = 0;  // of the header; the elements follow

  // Error: DataLoss, `what` and the byte.
  static Result<NpyHeader> Parse(std::string_view bytes,
                                 const std::string& what);
  // Padded so that the elements begin at a multiple of 64 bytes.
  std::string ToBytes() const;
};

}  // namespace sluice
