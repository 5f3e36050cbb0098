#include "sluice/formats/idx.h"

#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/formats/raw_bytes.h"
#include "sluice/tensor/array.h"
#include "sluice/tensor/empty_shape.h"

namespace sluice {

namespace {

DType TypeOf(unsigned char code) {
  switch (code) {
    case 0x08:
      return DType::kU8;
    case 0x09:
      return DType::kI8;
    case 0x0b:
      return DType::kI16;
    case 0x0c:
      return DType::kI32;
    case 0x0d:
      return DType::kF32;
    case 0x0e:
      return DType::kF64;
    default:
      return DType::kInvalid;
  }
}

}  // namespace

Result<IdxHeader> ReadIdxHeader(std::string_view bytes) {
  auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  auto wrong = [&](size_t byte, std::string_view message) {
    return DataLoss(StrCat("at byte ", byte, ": ", message));
  };
  if (bytes.size() < 4) {
    return wrong(bytes.size(), StrCat("IDX data end after ", bytes.size(),
                                      " bytes; wanted a header of 4"));
  }
  if (at(0) != 0 || at(1) != 0) {
    return wrong(0, "no IDX data; wanted two zero bytes");
  }
  DType dtype = TypeOf(at(2));
  if (dtype == DType::kInvalid) {
    return wrong(2, StrCat("IDX type is ", int{at(2)},
                           "; wanted 8, 9, 11, 12, 13 or 14"));
  }
  size_t rank = at(3), header = 4 + 4 * rank;
  if (rank > kMaxRank) {
    return wrong(3, StrCat(rank, " axes; wanted ", kMaxRank, " at most"));
  }
  if (bytes.size() < header) {
    return wrong(bytes.size(), StrCat("the header ends after ", bytes.size(),
                                      " bytes; wanted ", header));
  }
  std::vector<int64_t> dims;
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t size = 0;
    for (size_t k = 0; k < 4; ++k) size = size * 256 + at(4 + 4 * axis + k);
    dims.push_back(size);
  }
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return wrong(4, shape.status().message());
  if (ClaimsMuchOfNothing(*shape)) {
    return wrong(4, StrCat("shape ", *shape, " of nothing; wanted at most ",
                           kMostEmptyRows, " empty rows"));
  }
  int64_t want = shape->num_elements() * DTypeSize(dtype);
  if (static_cast<int64_t>(bytes.size() - header) != want) {
    return wrong(header, StrCat(bytes.size() - header,
                                " bytes after the header; wanted ", want,
                                " for ", TypeText(dtype, *shape)));
  }
  return IdxHeader{dtype, *shape, header};
}

void CopyIdxNumbers(const IdxHeader& header, std::string_view bytes, void* to) {
  int64_t count = header.shape.num_elements(), size = DTypeSize(header.dtype);
  if (count == 0) return;
  std::memcpy(to, bytes.data() + header.bytes,
              static_cast<size_t>(count * size));
  OrderBytes(static_cast<char*>(to), count, size, false);
}

}  // namespace sluice
