// Sources that are part of the binary: kernels of GPUs, and the formulas of
// elementwise ops as their files have them (cmake/EmbedTexts.cmake).
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
