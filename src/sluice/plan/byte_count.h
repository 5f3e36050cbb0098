// ByteCount: bytes as a function of how often loops run: "4 KiB + 96 KiB*T".
// Sums of products of iteration counts, each at least 1. A value.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sluice {

class ByteCount {
 public:
  ByteCount() = default;
  ByteCount(int64_t bytes) { Add({}, bytes); }

  ByteCount& operator+=(const ByteCount& other);
  ByteCount& operator-=(const ByteCount& other);
  // Once for every iteration of loop number `loop` but one.
  ByteCount ForEarlierIterationsOf(int loop) const;
  // So many times. REQUIRES: n >= 0.
  ByteCount Times(int64_t n) const;

  bool zero() const { return terms_.empty(); }
  // Whether it is at least the other whatever the counts are.
  bool Covers(const ByteCount& other) const;
  // With these counts, by number of the loop; saturates.
  int64_t At(std::span<const int64_t> trips) const;
  // `names`: of the counts, by number.
  std::string ToString(std::span<const std::string> names) const;
  bool operator==(const ByteCount&) const = default;

 private:
  // Loops by number in ascending order, each counted from 0 for one iteration:
  // then nothing is ever subtracted, and Covers compares number by number.
  using Product = std::vector<int>;
  void Add(const Product& product, int64_t bytes);
  std::map<Product, int64_t> terms_;
};

}  // namespace sluice
