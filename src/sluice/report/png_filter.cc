#include "sluice/report/png_filter.h"

#include <cstdint>
#include <cstdlib>

namespace sluice::report {

namespace {

int Paeth(int left, int up, int corner) {
  int guess = left + up - corner;
  int a = std::abs(guess - left), b = std::abs(guess - up),
      c = std::abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

// A row as differences from its neighbours by one of the five rules of PNG.
// `above` is empty for the first row.
void FilterRow(int rule, std::string_view row, std::string_view above,
               size_t pixel, std::string* out) {
  out->clear();
  for (size_t i = 0; i < row.size(); ++i) {
    auto byte = [](std::string_view from, size_t at) {
      return static_cast<int>(static_cast<unsigned char>(from[at]));
    };
    int left = i >= pixel ? byte(row, i - pixel) : 0;
    int up = above.empty() ? 0 : byte(above, i);
    int corner = above.empty() || i < pixel ? 0 : byte(above, i - pixel);
    int guess = 0;
    switch (rule) {
      case 1:
        guess = left;
        break;
      case 2:
        guess = up;
        break;
      case 3:
        guess = (left + up) / 2;
        break;
      case 4:
        guess = Paeth(left, up, corner);
        break;
    }
    out->push_back(static_cast<char>(byte(row, i) - guess));
  }
}

// Small differences pack well; a row of the same bytes packs best.
int64_t Roughness(std::string_view row) {
  int64_t sum = 0;
  for (char c : row) sum += std::abs(static_cast<signed char>(c));
  return sum;
}

}  // namespace

std::string FilterPngRows(size_t row_bytes, size_t pixel,
                          std::string_view bytes) {
  std::string out, best, tried;
  out.reserve(bytes.size() + bytes.size() / row_bytes);
  std::string_view above;
  for (; !bytes.empty(); bytes.remove_prefix(row_bytes)) {
    std::string_view row = bytes.substr(0, row_bytes);
    int best_rule = 0;
    best = row;
    int64_t least = Roughness(best);
    for (int rule = 1; rule <= 4 && least > 0; ++rule) {
      FilterRow(rule, row, above, pixel, &tried);
      int64_t roughness = Roughness(tried);
      if (roughness >= least) continue;
      least = roughness;
      best_rule = rule;
      best.swap(tried);
    }
    out.push_back(static_cast<char>(best_rule));
    out += best;
    above = row;
  }
  return out;
}

}  // namespace sluice::report
