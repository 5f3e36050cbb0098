#include "benchmarks/peak_memory.h"

#include <malloc.h>

#include <cstdio>
#include <cstring>

#include "sluice/tensor/allocator.h"

namespace sluice::bench {

namespace {

int64_t base = 0;

// A line of the process's status.
int64_t Status(const char* field) {
  FILE* file = std::fopen("/proc/self/status", "r");
  if (!file) return -1;
  char line[256];
  long long kilobytes = -1;
  size_t length = std::strlen(field);
  while (std::fgets(line, sizeof line, file)) {
    if (std::strncmp(line, field, length) == 0) {
      std::sscanf(line + length, " %lld", &kilobytes);
      break;
    }
  }
  std::fclose(file);
  return kilobytes * 1024;
}

}  // namespace

bool ForgetPeak() {
  HostAllocator().ReleaseCached();
  malloc_trim(0);
  FILE* clear = std::fopen("/proc/self/clear_refs", "w");
  if (!clear) return false;
  bool written = std::fputs("5", clear) >= 0;  // the peak is what is there now
  if (std::fclose(clear) != 0 || !written) return false;
  base = Status("VmRSS:");
  return base > 0;
}

int64_t PeakSinceForget() { return Status("VmHWM:") - base; }

}  // namespace sluice::bench
