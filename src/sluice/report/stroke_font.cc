#include "sluice/report/stroke_font.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace sluice::report {

namespace {

// Strokes from ' ' to '~'. A point is a digit for x and a letter for y: 'd' is
// the base line, 'j' the height of small letters, 'm' that of capitals and 'a'
// the depth of tails. A blank lifts the pen.
constexpr std::array<const char*, 95> kGlyphs = {
    "",                                  // space
    "0m0g 0d0d",                         // !
    "0m0k 2m2k",                         // "
    "1d2m 4d5m 0g6g 0j6j",               // #
    "5l4m1m0l0j1i4i5h5e4d1d0e 2n2c",     // $
    "0d6m 0l1m2l1k0l 4e5f6e5d4e",        // %
    "5d0k0l1m2m3l3k0g0e1d3d5g",          // &
    "0m0k",                              // '
    "2n0k0e2b",                          // (
    "0n2k2e0b",                          // )
    "2g2k 0h4j 0j4h",                    // *
    "2f2j 0h4h",                         // +
    "1e0b",                              // ,
    "0h3h",                              // -
    "0d0d",                              // .
    "0c4n",                              // /
    "1d0f0k1m4m5k5f4d1d",                // 0
    "1k3m3d",                            // 1
    "0k1m4m5k5j0d5d",                    // 2
    "0l1m4m5l5j4i2i 4i5h5e4d1d0e",       // 3
    "4d4m0g5g",                          // 4
    "5m0m0i4i5h5e4d1d0e",                // 5
    "5l4m1m0k0e1d4d5e5h4i1i0h",          // 6
    "0m5m2d",                            // 7
    "1i0j0l1m4m5l5j4i1i0h0e1d4d5e5h4i",  // 8
    "0e1d4d5f5l4m1m0l0i1h4h5i",          // 9
    "0i0i 0d0d",                         // :
    "1i1i 1e0b",                         // ;
    "4k0h4e",                            // <
    "0g4g 0i4i",                         // =
    "0k4h0e",                            // >
    "0k1m3m4k4j2h2g 2d2d",               // ?
    "4f4i2i2f4f6f6l5m1m0l0e1d5d",        // @
    "0d3m6d 1g5g",                       // A
    "0d0m4m5l5j4i0i 4i5h5e4d0d",         // B
    "5k4m1m0k0f1d4d5f",                  // C
    "0d0m3m5k5f3d0d",                    // D
    "5m0m0d5d 0i4i",                     // E
    "5m0m0d 0i4i",                       // F
    "5k4m1m0k0f1d4d5f5h3h",              // G
    "0d0m 5d5m 0i5i",                    // H
    "0d0m",                              // I
    "0f1d3d4f4m",                        // J
    "0d0m 5m0h 2j5d",                    // K
    "0m0d5d",                            // L
    "0d0m3g6m6d",                        // M
    "0d0m5d5m",                          // N
    "2d0f0k2m4m6k6f4d2d",                // O
    "0d0m4m5l5i4h0h",                    // P
    "2d0f0k2m4m6k6f4d2d 4g6c",           // Q
    "0d0m4m5l5i4h0h 3h5d",               // R
    "5l4m1m0l0j1i4i5h5e4d1d0e",          // S
    "0m6m 3m3d",                         // T
    "0m0f1d4d5f5m",                      // U
    "0m3d6m",                            // V
    "0m2d4k6d8m",                        // W
    "0d5m 0m5d",                         // X
    "0m3h6m 3h3d",                       // Y
    "0m5m0d5d",                          // Z
    "2n0n0b2b",                          // [
    "0n4c",                              // backslash
    "0n2n2b0b",                          // ]
    "0k2m4k",                            // ^
    "0b5b",                              // _
    "0m1k",                              // `
    "4d4j 4i3j1j0i0e1d3d4e",             // a
    "0m0d 0i1j3j4i4e3d1d0e",             // b
    "4i3j1j0i0e1d3d4e",                  // c
    "4m4d 4i3j1j0i0e1d3d4e",             // d
    "0g4g4i3j1j0i0e1d3d4e",              // e
    "3m2m1l1d 0j3j",                     // f
    "4j4b3a1a0b 4i3j1j0i0e1d3d4e",       // g
    "0m0d 0i1j3j4i4d",                   // h
    "0d0j 0m0m",                         // i
    "1j1b0a 1m1m",                       // j
    "0m0d 4j0f 1g4d",                    // k
    "0m0e1d",                            // l
    "0j0d 0i1j2j3i3d 3i4j5j6i6d",        // m
    "0j0d 0i1j3j4i4d",                   // n
    "1d0e0i1j3j4i4e3d1d",                // o
    "0j0a 0i1j3j4i4e3d1d0e",             // p
    "4j4a 4i3j1j0i0e1d3d4e",             // q
    "0j0d 0h1j3j",                       // r
    "4i3j1j0i0h1g3g4f4e3d1d0e",          // s
    "1m1e2d3d 0j3j",                     // t
    "0j0e1d3d4e 4j4d",                   // u
    "0j2d4j",                            // v
    "0j2d3i4d6j",                        // w
    "0j4d 0d4j",                         // x
    "0j2d 4j2d1a0a",                     // y
    "0j4j0d4d",                          // z
    "3n2n1m1i0h1g1c2b3b",                // {
    "0n0b",                              // |
    "0n1n2m2i3h2g2c1b0b",                // }
    "0h1i3g4h",                          // ~
};
constexpr char kBox[] = "0d0m4m4d0d";
constexpr double kCapital = 9;  // from 'd' to 'm'
constexpr double kGap = 2.2, kBlank = 3.4;

std::string_view GlyphOf(char32_t c) {
  return c >= ' ' && c <= '~' ? kGlyphs[c - ' '] : kBox;
}

double Advance(char32_t c) {
  if (c == ' ') return kBlank;
  // Digits are of one width, so that numbers stand below each other.
  if (c >= '0' && c <= '9') return 5 + kGap;
  double width = 0;
  for (char x : GlyphOf(c)) {
    if (x >= '0' && x <= '9') width = std::max(width, double(x - '0'));
  }
  return width + kGap;
}

// Every character as one of ours; what is more than a byte counts once.
std::u32string Characters(std::string_view text) {
  std::u32string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) != 0x80) out.push_back(byte);
  }
  return out;
}

}  // namespace

double TextWidth(std::string_view text, double size) {
  double width = 0;
  for (char32_t c : Characters(text)) width += Advance(c);
  return std::max(width - kGap, 0.0) * size / kCapital;
}

void DrawText(Canvas& canvas, std::string_view text, Point at,
              TextAnchor anchor, const TextStyle& style) {
  double scale = style.size / kCapital;
  double along = anchor == TextAnchor::kStart ? 0
                 : anchor == TextAnchor::kEnd
                     ? -TextWidth(text, style.size)
                     : -TextWidth(text, style.size) / 2;
  std::vector<Polyline> strokes;
  for (char32_t c : Characters(text)) {
    std::string_view glyph = GlyphOf(c);
    strokes.emplace_back();
    for (size_t i = 0; i < glyph.size(); ++i) {
      if (glyph[i] == ' ') {
        strokes.emplace_back();
        continue;
      }
      double x = along + (glyph[i] - '0') * scale;
      double y = (glyph[++i] - 'd') * scale;
      strokes.back().push_back(style.upwards ? Point{at.x - y, at.y - x}
                                             : Point{at.x + x, at.y - y});
    }
    along += Advance(c) * scale;
  }
  canvas.Lines(strokes, style.weight * style.size * 0.12, style.color);
}

}  // namespace sluice::report
