// The types of bitwise ops: integers, and bools as single bits. Constants.
#pragma once

#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

using BitTypes = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                       uint32_t, uint64_t, bool>;
inline constexpr DTypeSet kBits = kInts | DTypeSet{DType::kBool};

}  // namespace sluice
