// IDX, the format of the MNIST digits: two zero bytes, a type, the number of
// axes, their sizes as u32, then the numbers, all big-endian, and nothing else.
#pragma once

#include <string_view>

#include "sluice/tensor/dtype.h"
#include "sluice/tensor/shape.h"

namespace sluice {

struct IdxHeader {
  DType dtype;
  Shape shape;
  size_t bytes;  // of the header itself
};

// Errors: DataLoss "at byte 2: IDX type is 1; ..."; also if the size of the
// data differs from the header.
Result<IdxHeader> ReadIdxHeader(std::string_view bytes);
// Copies the numbers after the header, in this machine's byte order.
void CopyIdxNumbers(const IdxHeader& header, std::string_view bytes, void* to);

}  // namespace sluice
