// PerAxis: sizes of a window, its steps, its border: 3 for all axes, or {3, 5},
// one for each.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace sluice::nn {

class PerAxis {
 public:
  template <std::integral I>
  PerAxis(I all) : sizes_{static_cast<int64_t>(all)} {}
  PerAxis(std::initializer_list<int64_t> sizes) : sizes_(sizes) {}
  PerAxis(std::vector<int64_t> sizes) : sizes_(std::move(sizes)) {}

  const std::vector<int64_t>& sizes() const { return sizes_; }
  // One for each of so many axes. Throws, naming what it is of, when there are
  // others than one or `axes`, or one is less than `least`.
  PerAxis Of(size_t axes, int64_t least, const std::string& what) const;
  int64_t operator[](size_t axis) const { return sizes_[axis]; }
  bool operator==(const PerAxis&) const = default;
  bool all(int64_t size) const;
  std::string ToString() const;  // "3" when all are equal, else "(3, 5)"

 private:
  std::vector<int64_t> sizes_;
};

}  // namespace sluice::nn
