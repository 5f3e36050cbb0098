#include "benchmarks/random_array.h"

#include "sluice/base/random.h"

namespace sluice::bench {

Array RandomFloats(const Shape& shape, float scale, uint64_t stream) {
  Array a = *Array::Make(DType::kF32, shape);
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    uint64_t bits = RandomKey::Mix(stream << 40 ^ static_cast<uint64_t>(i));
    float unit = static_cast<float>(bits >> 40) * 0x1p-23f - 1;
    a.mutable_data<float>()[i] = scale * unit;
  }
  return a;
}

}  // namespace sluice::bench
