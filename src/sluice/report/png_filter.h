// PNG row filters: each row is stored as differences from its neighbours by one
// of five rules, preceded by the number of the rule. The rule with the smallest
// differences is chosen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::report {

// `pixel`: bytes per pixel. REQUIRES: whole rows, row_bytes > 0.
std::string FilterPngRows(size_t row_bytes, size_t pixel,
                          std::string_view bytes);

}  // namespace sluice::report
