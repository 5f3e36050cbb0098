#include "sluice/base/amx.h"
#include "sluice/base/cpu_features.h"
#include "sluice/kernels/cpu/gemm/kits.h"

namespace sluice {

namespace {

const GemmKit& Choose(GemmType type) {
  const CpuFeatures& cpu = Cpu();
  (void)cpu;
  switch (type) {
    case GemmType::kI32:
      return kPortableI32Kit;
    case GemmType::kI64:
      return kPortableI64Kit;
#if defined(__aarch64__)
    case GemmType::kF32:
      return kNeonF32Kit;
    case GemmType::kF64:
      return kNeonF64Kit;
    case GemmType::kF16:
      return kNeonF16Kit;
    case GemmType::kBF16:
      return cpu.neon_bf16 ? kMatrixBF16Kit : kNeonBF16Kit;
    case GemmType::kS8:
      return cpu.neon_i8mm      ? kMatrixS8Kit
             : cpu.neon_dotprod ? kDotS8Kit
                                : kPortableS8Kit;
    case GemmType::kU8S8:
      return cpu.neon_i8mm      ? kMatrixU8S8Kit
             : cpu.neon_dotprod ? kDotU8S8Kit
                                : kPortableU8S8Kit;
#else
#if defined(__x86_64__)
#define SL_BY_LEVEL(name)                              \
  (cpu.level == CpuLevel::kAvx512 ? kAvx512##name##Kit \
   : cpu.level == CpuLevel::kAvx2 ? kAvx2##name##Kit   \
                                  : kPortable##name##Kit)
#else
#define SL_BY_LEVEL(name) kPortable##name##Kit
#endif
    case GemmType::kF32:
      return SL_BY_LEVEL(F32);
    case GemmType::kF64:
      return SL_BY_LEVEL(F64);
    case GemmType::kF16:
      return SL_BY_LEVEL(F16);
#if defined(__x86_64__)
    case GemmType::kBF16:
      return AmxAllowed()      ? kAmxBF16Kit
             : cpu.avx512_bf16 ? kAvx512DotBF16Kit
                               : SL_BY_LEVEL(BF16);
    case GemmType::kS8:
      return AmxAllowed()                   ? kAmxS8Kit
             : cpu.avx512_vnni              ? kAvx512S8Kit
             : cpu.level >= CpuLevel::kAvx2 ? kAvx2S8Kit
                                            : kPortableS8Kit;
    case GemmType::kU8S8:
      return AmxAllowed()                   ? kAmxU8S8Kit
             : cpu.avx512_vnni              ? kAvx512U8S8Kit
             : cpu.level >= CpuLevel::kAvx2 ? kAvx2U8S8Kit
                                            : kPortableU8S8Kit;
#else
    case GemmType::kBF16:
      return kPortableBF16Kit;
    case GemmType::kS8:
      return kPortableS8Kit;
    case GemmType::kU8S8:
      return kPortableU8S8Kit;
#endif
#undef SL_BY_LEVEL
#endif
  }
  return kPortableF32Kit;
}

}  // namespace

const GemmKit& KitFor(GemmType type) {
  static const GemmKit* const kits[] = {
      &Choose(GemmType::kF32), &Choose(GemmType::kF64),
      &Choose(GemmType::kF16), &Choose(GemmType::kBF16),
      &Choose(GemmType::kI32), &Choose(GemmType::kI64),
      &Choose(GemmType::kS8),  &Choose(GemmType::kU8S8)};
  return *kits[static_cast<int>(type)];
}

}  // namespace sluice
