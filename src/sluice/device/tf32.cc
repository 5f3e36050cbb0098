#include "sluice/device/tf32.h"

#include <atomic>
#include <cstdlib>

namespace sluice {

namespace {

std::atomic<bool>& Flag() {
  static auto& flag = *new std::atomic<bool>([] {
    const char* set = std::getenv("SLUICE_TF32");
    return set && *set == '1';
  }());
  return flag;
}

}  // namespace

bool Tf32Allowed() { return Flag().load(std::memory_order_relaxed); }
void AllowTf32(bool allow) { Flag().store(allow, std::memory_order_relaxed); }

}  // namespace sluice
