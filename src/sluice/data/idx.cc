#include "sluice/data/idx.h"

#include "sluice/base/strings.h"
#include "sluice/formats/idx.h"
#include "sluice/formats/packed_file.h"

namespace sluice::data {

Result<Array> ParseIdx(std::string_view bytes, const std::string& what) {
  Result<IdxHeader> header = ReadIdxHeader(bytes);
  if (!header.ok()) {
    return DataLoss(StrCat(what, " ", header.status().message()));
  }
  SL_ASSIGN_OR_RETURN(Array array, Array::Make(header->dtype, header->shape));
  CopyIdxNumbers(*header, bytes, array.mutable_raw());
  return array;
}

Tensor read_idx(const std::string& path) {
  std::string bytes = ValueOrThrow(ReadMaybePacked(path));
  return TensorOf(ValueOrThrow(ParseIdx(bytes, QuotedPath(path))));
}

}  // namespace sluice::data
