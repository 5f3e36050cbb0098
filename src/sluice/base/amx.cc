#include "sluice/base/amx.h"

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace sluice {

namespace {

// Bits of CPUID's leaf 7 (EDX) and of XCR0, and Linux's names for asking.
constexpr unsigned kBF16 = 1u << 22, kTile = 1u << 24, kInt8 = 1u << 25;
constexpr unsigned kTileState = 3u << 17;
constexpr long kAskForState = 0x1023;  // ARCH_REQ_XCOMP_PERM
constexpr long kTileData = 18;         // XFEATURE_XTILEDATA

bool ProcessorHasIt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  // The system must keep extended state at all (OSXSAVE), and that of tiles.
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return false;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & kTileState) != kTileState) return false;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  return (d & kBF16) && (d & kTile) && (d & kInt8);
}

bool Ask() {
  if (const char* level = std::getenv("SLUICE_CPU")) {
    const std::string_view word = level;
    if (word == "avx512" || word == "avx2" || word == "baseline") return false;
  }
  return ProcessorHasIt() &&
         syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}

}  // namespace

bool AmxAllowed() {
  static const bool allowed = Ask();
  return allowed;
}

}  // namespace sluice

#else

namespace sluice {

bool AmxAllowed() { return false; }

}  // namespace sluice

#endif
