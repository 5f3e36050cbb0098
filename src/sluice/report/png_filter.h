// Rows of a picture as PNG packs them: each as differences from its neighbours
// by one of five rules, whose number stands before it. The rule is the one that
// leaves the smallest differences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::report {

// `pixel`: bytes of one pixel. REQUIRES: bytes are whole rows, row_bytes > 0.
std::string FilterPngRows(size_t row_bytes, size_t pixel,
                          std::string_view bytes);

}  // namespace sluice::report
