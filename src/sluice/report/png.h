// PNG pictures from bytes: rows from the top, pixels from the left, `channels`
// bytes each.
//
//   report::write_png("plate.png", 640, 480, 3, pixels);
//
// Throws sluice::Error when sizes and bytes do not agree, or the file cannot be
// written. Pure but for the file; safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::report {

// `channels`: 1 grey, 2 grey and opacity, 3 red green blue, 4 with opacity.
// REQUIRES: 1 <= width, height; width * height * channels bytes.
std::string encode_png(int64_t width, int64_t height, int channels,
                       std::string_view bytes);

void write_png(const std::string& path, int64_t width, int64_t height,
               int channels, std::string_view bytes);

}  // namespace sluice::report
