// ByteCount: a number of bytes as a function of loop iteration counts, such as
// "4 KiB + 96 KiB*T". It is a sum of products of iteration counts, each at
// least 1. A value type: one thread at a time modifies an object.
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
  // This count once per iteration of loop number `loop`, except the last one.
  ByteCount ForEarlierIterationsOf(int loop) const;
  // This count `n` times. REQUIRES: n >= 0.
  ByteCount Times(int64_t n) const;

  bool zero() const { return terms_.empty(); }
  // Whether this is at least `other` for all iteration counts.
  bool Covers(const ByteCount& other) const;
  // The bytes for these iteration counts, indexed by loop number; saturates.
  int64_t At(std::span<const int64_t> trips) const;
  // `names`: the names of the counts, indexed by loop number.
  std::string ToString(std::span<const std::string> names) const;
  bool operator==(const ByteCount&) const = default;

 private:
  // Loop numbers in ascending order. Each count is stored as iterations beyond
  // the first. No coefficient is ever subtracted, so Covers compares term by
  // term.
  using Product = std::vector<int>;
  void Add(const Product& product, int64_t bytes);
  std::map<Product, int64_t> terms_;
};

}  // namespace sluice
