#include "sluice/tensor/plain_bools.h"

namespace sluice {

Result<Array> WithPlainBools(const Array& array) {
  if (array.dtype() != DType::kBool) return array;
  SL_ASSIGN_OR_RETURN(Array rows, array.AsContiguous());
  const auto* bytes = static_cast<const uint8_t*>(rows.raw());
  int64_t n = rows.num_elements();
  uint8_t all = 0;
  for (int64_t i = 0; i < n; ++i) all |= bytes[i];
  if (all <= 1) return array;
  SL_ASSIGN_OR_RETURN(Array plain, array.Clone());
  MakePlainBools(plain);
  return plain;
}

void MakePlainBools(const Array& array) {
  auto* bytes = static_cast<uint8_t*>(array.mutable_raw());
  int64_t n = array.num_elements();
  for (int64_t i = 0; i < n; ++i) bytes[i] = bytes[i] != 0;
}

}  // namespace sluice
