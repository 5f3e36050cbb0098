#include "sluice/device/sim/sim_options.h"

#include <cmath>

#include "sluice/base/strings.h"

namespace sluice {

Status SimOptions::Check() const {
  if (memory_bytes < 1 || memory_bytes > int64_t{1} << 42) {
    return InvalidArgument(StrCat("a simulated device got memory_bytes ",
                                  memory_bytes, "; wanted 1 to ",
                                  int64_t{1} << 42));
  }
  const struct {
    const char* name;
    double value;
    bool rate;
  } kFigures[] = {
      {"flops_per_second", flops_per_second, true},
      {"bytes_per_second", bytes_per_second, true},
      {"link_bytes_per_second", link_bytes_per_second, true},
      {"kernel_seconds", kernel_seconds, false},
      {"launch_seconds", launch_seconds, false},
      {"link_latency_seconds", link_latency_seconds, false},
  };
  for (const auto& figure : kFigures) {
    bool good = std::isfinite(figure.value) &&
                (figure.rate ? figure.value > 0 : figure.value >= 0);
    if (!good) {
      return InvalidArgument(StrCat("a simulated device got ", figure.name, " ",
                                    figure.value, "; wanted a number ",
                                    figure.rate ? "above 0" : "of 0 or more"));
    }
  }
  return OkStatus();
}

}  // namespace sluice
