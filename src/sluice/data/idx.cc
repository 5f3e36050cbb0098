#include "sluice/data/idx.h"

#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/data/packed_file.h"
#include "sluice/kernels/raw_bytes.h"

namespace sluice::data {

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

Result<Array> ParseIdx(std::string_view bytes, const std::string& what) {
  auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  auto wrong = [&](size_t byte, std::string_view message) {
    return DataLoss(StrCat(what, " at byte ", byte, ": ", message));
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
  int64_t want = shape->num_elements() * DTypeSize(dtype);
  if (static_cast<int64_t>(bytes.size() - header) != want) {
    return wrong(header, StrCat(bytes.size() - header,
                                " bytes after the header; wanted ", want,
                                " for ", TypeText(dtype, *shape)));
  }
  SL_ASSIGN_OR_RETURN(Array array, Array::Make(dtype, *shape));
  if (want == 0) return array;
  char* to = static_cast<char*>(array.mutable_raw());
  std::memcpy(to, bytes.data() + header, static_cast<size_t>(want));
  OrderBytes(to, shape->num_elements(), DTypeSize(dtype), false);
  return array;
}

Tensor read_idx(const std::string& path) {
  std::string bytes = ValueOrThrow(ReadMaybePacked(path));
  return TensorOf(ValueOrThrow(ParseIdx(bytes, QuotedPath(path))));
}

}  // namespace sluice::data
