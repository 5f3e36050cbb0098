// Sources embedded in the binary: GPU kernels, and the formulas of elementwise
// ops from their files (cmake/EmbedTexts.cmake). Constants.
#pragma once

#include <string_view>

namespace sluice {

struct EmbeddedText {
  std::string_view name;  // below src/: "sluice/ops/math/erf.cc"
  std::string_view text;
};
extern const EmbeddedText kEmbeddedTexts[];
extern const int kNumEmbeddedTexts;

}  // namespace sluice
