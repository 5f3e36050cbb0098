#include "sluice/base/cpu_features.h"

#include <cstdlib>
#include <string_view>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "sluice/base/amx.h"

namespace sluice {

namespace {

#if defined(__x86_64__)
void Detect(CpuFeatures& f) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    // Every processor with FMA and AVX2 has F16C; the name of that feature is
    // not known to all compilers.
    f.level = CpuLevel::kAvx2;
  }
  if (f.level == CpuLevel::kAvx2 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    f.level = CpuLevel::kAvx512;
    f.avx512_vnni = __builtin_cpu_supports("avx512vnni");
    f.avx512_bf16 = __builtin_cpu_supports("avx512bf16");
  }
}
#elif defined(__aarch64__)
// Bits of the kernel's HWCAP words, by number: older headers lack the names.
void Detect(CpuFeatures& f) {
  unsigned long cap = getauxval(AT_HWCAP), cap2 = getauxval(AT_HWCAP2);
  f.neon_f16 = (cap >> 10 & 1) && (cap >> 9 & 1);  // ASIMDHP, FPHP
  f.neon_dotprod = cap >> 20 & 1;                  // ASIMDDP
  f.neon_i8mm = cap2 >> 13 & 1;                    // I8MM
  f.neon_bf16 = cap2 >> 14 & 1;                    // BF16
}
#else
void Detect(CpuFeatures&) {}
#endif

void Lower(CpuFeatures& f, std::string_view to) {
  bool below_avx512 = to == "avx2" || to == "baseline";
  if (below_avx512 && f.level == CpuLevel::kAvx512) f.level = CpuLevel::kAvx2;
  if (to == "baseline") f.level = CpuLevel::kBaseline;
  if (below_avx512) f.avx512_bf16 = f.avx512_vnni = false;
  if (to == "neon" || to == "baseline") {
    f.neon_f16 = f.neon_bf16 = f.neon_i8mm = f.neon_dotprod = false;
  }
}

}  // namespace

std::string CpuFeatures::ToString() const {
#if defined(__aarch64__)
  std::string text = "neon";
#else
  std::string text = level == CpuLevel::kAvx512 ? "avx512"
                     : level == CpuLevel::kAvx2 ? "avx2"
                                                : "baseline";
#endif
  if (neon_f16) text += " f16";
  if (neon_bf16) text += " bf16";
  if (neon_i8mm) text += " i8mm";
  if (neon_dotprod) text += " dotprod";
  if (avx512_bf16) text += " bf16";
  if (avx512_vnni) text += " vnni";
  if (AmxAllowed()) text += " amx";
  return text;
}

const CpuFeatures& Cpu() {
  static const CpuFeatures features = [] {
    CpuFeatures f;
    Detect(f);
    if (const char* level = std::getenv("SLUICE_CPU")) Lower(f, level);
    return f;
  }();
  return features;
}

}  // namespace sluice
