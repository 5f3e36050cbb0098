#include "sluice/kernels/cpu/log_uniform.h"

#include <algorithm>
#include <bit>

#include "sluice/kernels/cpu/strict_math.h"

namespace sluice {

namespace {

// log(1 + x). Near 0 the sum would lose most of x.
double Log1p(double x) {
  if (x > -1e-4 && x < 1e-4) {
    return x * (1 - x * (0.5 - x * (1.0 / 3 - x * 0.25)));
  }
  return -NegativeLog(1 + x);
}

// 1 - exp(-y).
double OneMinusExp(double y) {
  if (y < 1e-4) return y * (1 - y * (0.5 - y * (1.0 / 6)));
  return 1 - StrictExp(-y);
}

// A set of numbers >= 0 by open addressing; at least half of it stays empty.
class NumberSet {
 public:
  NumberSet(int64_t* table, int64_t size)
      : table_(table), mask_(static_cast<uint64_t>(size) - 1) {
    std::fill_n(table, size, -1);
  }
  // False when it is there already.
  bool Insert(int64_t number) {
    uint64_t at = RandomKey::Mix(static_cast<uint64_t>(number)) & mask_;
    while (table_[at] >= 0) {
      if (table_[at] == number) return false;
      at = (at + 1) & mask_;
    }
    table_[at] = number;
    return true;
  }

 private:
  int64_t* table_;
  uint64_t mask_;
};

}  // namespace

double LogUniformProbability(int64_t c, int64_t range) {
  return Log1p(1 / (static_cast<double>(c) + 1)) /
         Log1p(static_cast<double>(range));
}

double ExpectedCount(double p, int64_t n, bool unique) {
  auto draws = static_cast<double>(n);
  if (!unique) return p * draws;
  if (n == 0) return 0;
  if (p >= 1) return 1;
  return OneMinusExp(-draws * Log1p(-p));
}

int64_t UniqueTableSize(int64_t count) {
  return static_cast<int64_t>(
      std::bit_ceil(static_cast<uint64_t>(2 * count + 1)));
}

int64_t DrawLogUniform(const RandomKey& key, int64_t range, int64_t count,
                       bool unique, int64_t* to, int64_t* table) {
  double scale = Log1p(static_cast<double>(range));
  // The inverse of the sums of probabilities: exp(u log(range + 1)) - 1.
  auto draw = [&](int64_t i) {
    RandomBlock bits = RandomBits(key, static_cast<uint64_t>(i / 2));
    double u = i % 2 ? UniformDouble(bits[2], bits[3])
                     : UniformDouble(bits[0], bits[1]);
    auto c = static_cast<int64_t>(StrictExp(u * scale) - 1);
    return std::clamp<int64_t>(c, 0, range - 1);
  };
  if (!unique) {
    for (int64_t i = 0; i < count; ++i) to[i] = draw(i);
    return count;
  }
  NumberSet seen(table, UniqueTableSize(count));
  int64_t tries = 0;
  for (int64_t n = 0; n < count; ++tries) {
    int64_t c = draw(tries);
    if (seen.Insert(c)) to[n++] = c;
  }
  return tries;
}

}  // namespace sluice
