// Save: what a loop keeps for its gradient.
//
//   {.save = "device"}              everything its gradient reads (the default)
//   {.save = "host"}                the same, in the host's memory: values are
//                                   copied there while the device goes on, and
//                                   back ahead of use. On the host: as "device"
//   {.save = "recompute"}           what is carried, now and then; the rest is
//                                   computed again: memory grows as the square
//                                   root of the number of iterations
//   {.save = sl::budget("256MiB")}  as much as fits, the rest is computed again
//
// No result and no gradient depends on it beyond rounding. A value; the loop it
// is given to refuses what it does not know.
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
  // Of a budget and of Host, 0 else; below 0: the text that was given says no
  // size.
  int64_t bytes() const { return bytes_; }

  // "host", from so many bytes in use on the device on; 0: half its memory.
  static Save Host(int64_t above);

  // Why a loop cannot do it, "got; wanted"; empty when it can.
  std::string Wrong() const;

 private:
  friend Save budget(int64_t bytes);
  friend Save budget(std::string_view bytes);
  std::string how_ = "device", text_;
  int64_t bytes_ = 0;
};

// At most so many bytes at once: a number, or "256MiB", "1.5GB", "64 KiB".
Save budget(int64_t bytes);
Save budget(std::string_view bytes);
inline Save budget(int bytes) { return budget(int64_t{bytes}); }
inline Save budget(const char* bytes) {
  return budget(std::string_view(bytes));
}

}  // namespace sluice
