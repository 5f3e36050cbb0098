// Save: what a loop stores for its gradient.
//
//   {.save = "device"}              everything its gradient reads (the default)
//   {.save = "host"}                the same, in host memory: values are copied
//                                   there while the device continues, and
//                                   prefetched. On the host: as "device"
//   {.save = "recompute"}           the carried values, at intervals; the rest
//                                   is recomputed: memory grows as the square
//                                   root of the number of iterations
//   {.save = sl::budget("256MiB")}  as much as fits; the rest is recomputed
//
// Results and gradients do not depend on it beyond rounding. A value; the loop
// that receives it refuses unsupported settings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

class Save {
 public:
  Save() = default;
  Save(const char* how) : how_(how) {}
  Save(std::string how) : how_(std::move(how)) {}

  const std::string& how() const { return how_; }  // "device", "budget", ...
  // For a budget and for Host, else 0. Negative: the given text is not a size.
  int64_t bytes() const { return bytes_; }

  // "host", starting when `above` bytes of the device are in use; 0: half its
  // memory.
  static Save Host(int64_t above);

  // Why a loop cannot use it, "got; wanted"; empty when it can.
  std::string Wrong() const;

 private:
  friend Save budget(int64_t bytes);
  friend Save budget(std::string_view bytes);
  std::string how_ = "device", text_;
  int64_t bytes_ = 0;
};

// At most this many bytes at a time: a number, or "256MiB", "1.5GB", "64 KiB".
Save budget(int64_t bytes);
Save budget(std::string_view bytes);
inline Save budget(int bytes) { return budget(int64_t{bytes}); }
inline Save budget(const char* bytes) {
  return budget(std::string_view(bytes));
}

}  // namespace sluice
