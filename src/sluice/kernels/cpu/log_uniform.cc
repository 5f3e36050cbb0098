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
  // False if it is already in the set.
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

int64_t TableSize(int64_t count) {
  return static_cast<int64_t>(
      std::bit_ceil(static_cast<uint64_t>(2 * count + 1)));
}

}  // namespace

double LogUniformProbability(int64_t c, int64_t range) {
  return Log1p(1 / (static_cast<double>(c) + 1)) /
         Log1p(static_cast<double>(range));
}

// Drawing until enough are different is quick while they are few of all.
// Otherwise every class gets a clock that rings after an exponential time, at a
// rate of its probability: the first to ring are drawn alike.
bool LogUniformDraws::ByClocks() const { return unique && count > range / 8; }

int64_t LogUniformDraws::ScratchBytes() const {
  if (ByClocks()) return range * 16;
  return unique ? TableSize(count) * 8 : 0;
}

double LogUniformDraws::Expected(int64_t c, double took) const {
  double p = LogUniformProbability(c, range);
  if (!unique) return p * took;
  if (ByClocks()) return OneMinusExp(p * took);
  if (took == 0) return 0;
  return p >= 1 ? 1 : OneMinusExp(-took * Log1p(-p));
}

double LogUniformDraws::Draw(const RandomKey& key, int64_t* to,
                             void* scratch) const {
  auto uniform = [&](int64_t i) {
    RandomBlock bits = RandomBits(key, static_cast<uint64_t>(i / 2));
    return i % 2 ? UniformDouble(bits[2], bits[3])
                 : UniformDouble(bits[0], bits[1]);
  };
  if (count == 0) return 0;  // an empty chunk took no time
  if (ByClocks()) {
    auto* rings = static_cast<double*>(scratch);
    auto* order = reinterpret_cast<int64_t*>(rings + range);
    for (int64_t c = 0; c < range; ++c) {
      // 1 - u is above 0.
      rings[c] = NegativeLog(1 - uniform(c)) / LogUniformProbability(c, range);
      order[c] = c;
    }
    auto sooner = [&](int64_t a, int64_t b) {
      return rings[a] != rings[b] ? rings[a] < rings[b] : a < b;
    };
    int64_t some = std::min(count + 1, range);
    std::partial_sort(order, order + some, order + range, sooner);
    std::copy_n(order, count, to);
    // Up to the first that is not drawn: of draws weighted by one over their
    // likelihood then the expected sum is that of all classes.
    return count < range ? rings[order[count]] : 1e300;
  }
  double scale = Log1p(static_cast<double>(range));
  // The inverse of the sums of probabilities: exp(u log(range + 1)) - 1.
  auto draw = [&](int64_t i) {
    auto c = static_cast<int64_t>(StrictExp(uniform(i) * scale) - 1);
    return std::clamp<int64_t>(c, 0, range - 1);
  };
  if (!unique) {
    for (int64_t i = 0; i < count; ++i) to[i] = draw(i);
    return static_cast<double>(count);
  }
  NumberSet seen(static_cast<int64_t*>(scratch), TableSize(count));
  int64_t tries = 0;
  for (int64_t n = 0; n < count; ++tries) {
    int64_t c = draw(tries);
    if (seen.Insert(c)) to[n++] = c;
  }
  return static_cast<double>(tries);
}

}  // namespace sluice
