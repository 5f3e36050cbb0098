#include "sluice/eager/kept_constant.h"

#include <cstring>

#include "sluice/eager/call_device.h"
#include "sluice/eager/scope.h"

namespace sluice::front_internal {

namespace {

// Smaller ones are copied faster than they are looked for.
constexpr int64_t kLarge = 1024;

bool SameBytes(const Array& copy, const Array& array) {
  if (copy.dtype() != array.dtype() || copy.shape() != array.shape()) {
    return false;
  }
  if (array.contiguous()) {
    return std::memcmp(copy.raw(), array.raw(),
                       static_cast<size_t>(array.bytes())) == 0;
  }
  return copy.BitEquals(array);
}

}  // namespace

Result<Array> KeptConstants::Keep(const Array& array) {
  std::vector<Array>& known = copies_[array.address()];
  for (const Array& copy : known) {
    if (SameBytes(copy, array)) return copy;
  }
  SL_ASSIGN_OR_RETURN(Array copy, array.Clone());
  known.push_back(copy);
  return copy;
}

Result<Array> KeptConstant(const Array& array) {
  // Lists are values: nobody writes them.
  if (array.dtype() == DType::kList || array.dtype() == DType::kResource) {
    return array;
  }
  // A graph's constants are the host's: where it runs is not known yet.
  if (!array.on_host()) return OnHost(array);
  KeptConstants* scope = Building::Current().constants.get();
  if (!scope || !IsPlainData(array.dtype()) || array.bytes() < kLarge) {
    return array.Clone();
  }
  return scope->Keep(array);
}

}  // namespace sluice::front_internal
