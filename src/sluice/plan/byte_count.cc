#include "sluice/plan/byte_count.h"

#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

int64_t Saturated(int64_t a, int64_t b) {
  int64_t product;
  return CheckedMul(a, b, &product) ? product : INT64_MAX;
}

}  // namespace

void ByteCount::Add(const Product& product, int64_t bytes) {
  if (bytes == 0) return;
  int64_t& at = terms_[product];
  at += bytes;
  if (at == 0) terms_.erase(product);
}

ByteCount& ByteCount::operator+=(const ByteCount& other) {
  for (const auto& [product, bytes] : other.terms_) Add(product, bytes);
  return *this;
}

ByteCount& ByteCount::operator-=(const ByteCount& other) {
  if (this == &other) {
    terms_.clear();
    return *this;
  }
  for (const auto& [product, bytes] : other.terms_) Add(product, -bytes);
  return *this;
}

ByteCount ByteCount::ForEarlierIterationsOf(int loop) const {
  ByteCount result;
  for (const auto& [product, bytes] : terms_) {
    Product more = product;
    more.insert(std::upper_bound(more.begin(), more.end(), loop), loop);
    result.Add(more, bytes);
  }
  return result;
}

ByteCount ByteCount::Times(int64_t n) const {
  ByteCount result;
  for (const auto& [product, bytes] : terms_) {
    result.Add(product, Saturated(bytes, n));
  }
  return result;
}

bool ByteCount::Covers(const ByteCount& other) const {
  return std::all_of(other.terms_.begin(), other.terms_.end(),
                     [&](const auto& term) {
                       auto it = terms_.find(term.first);
                       return it != terms_.end() && it->second >= term.second;
                     });
}

int64_t ByteCount::At(std::span<const int64_t> trips) const {
  int64_t sum = 0;
  for (const auto& [product, bytes] : terms_) {
    int64_t term = bytes;
    for (int loop : product) {
      int64_t n = trips[static_cast<size_t>(loop)];
      term = Saturated(term, std::max<int64_t>(n, 1) - 1);
    }
    sum = sum > INT64_MAX - term ? INT64_MAX : sum + term;
  }
  return sum;
}

std::string ByteCount::ToString(std::span<const std::string> names) const {
  // (T - 1)(U - 1) and so on, multiplied out.
  std::map<Product, int64_t> whole;
  for (const auto& [product, bytes] : terms_) {
    for (uint64_t some = 0; some < uint64_t{1} << product.size(); ++some) {
      Product left;
      for (size_t i = 0; i < product.size(); ++i) {
        if (some >> i & 1) left.push_back(product[i]);
      }
      bool minus = (product.size() - left.size()) % 2 == 1;
      whole[left] += minus ? -bytes : bytes;
    }
  }
  std::string text;
  for (const auto& [product, bytes] : whole) {
    if (bytes == 0) continue;
    bool minus = bytes < 0;
    StrAppend(text,
              text.empty() ? (minus ? "-" : "")
              : minus      ? " - "
                           : " + ",
              HumanBytes(minus ? -bytes : bytes));
    for (int loop : product) {
      StrAppend(text, "*", names[static_cast<size_t>(loop)]);
    }
  }
  return text.empty() ? "0 B" : text;
}

}  // namespace sluice
