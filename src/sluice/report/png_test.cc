#include "sluice/report/png.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "sluice/formats/deflate.h"
#include "sluice/formats/inflate.h"
#include "sluice/formats/inflate_raw_test_util.h"
#include "sluice/report/png_filter.h"
#include "sluice/report/report_test_util.h"

namespace sluice::report {
namespace {

uint32_t Big32(std::string_view bytes) {
  uint32_t v = 0;
  for (size_t i = 0; i < 4; ++i) {
    v = v << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return v;
}

// The bodies of the chunks of one type, joined; checksums are compared.
std::string Chunks(std::string_view png, std::string_view type) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  png.remove_prefix(8);
  std::string bodies;
  while (!png.empty()) {
    size_t length = Big32(png);
    EXPECT_LE(length + 12, png.size());
    if (length + 12 > png.size()) break;
    std::string_view checked = png.substr(4, length + 4);
    EXPECT_EQ(Big32(png.substr(8 + length)), Crc32(checked));
    if (checked.substr(0, 4) == type) bodies += checked.substr(4);
    png.remove_prefix(length + 12);
  }
  return bodies;
}

// The rules of PNG backwards.
std::string Unfilter(std::string_view rows, size_t row_bytes, size_t pixel) {
  std::string out;
  for (size_t start = 0; start < rows.size(); start += row_bytes + 1) {
    int rule = rows[start];
    size_t row = out.size();
    for (size_t i = 0; i < row_bytes; ++i) {
      auto at = [&](size_t place) {
        return static_cast<int>(static_cast<unsigned char>(out[place]));
      };
      int a = i >= pixel ? at(row + i - pixel) : 0;
      int b = row > 0 ? at(row + i - row_bytes) : 0;
      int c = row > 0 && i >= pixel ? at(row + i - row_bytes - pixel) : 0;
      int p = a + b - c;
      int guess = rule == 1 ? a : rule == 2 ? b : rule == 3 ? (a + b) / 2 : 0;
      if (rule == 4) {
        int pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
        guess = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      }
      out.push_back(static_cast<char>(rows[start + 1 + i] + guess));
    }
  }
  return out;
}

// Different in every row, so that every rule is the best somewhere.
std::string Pixels(int64_t width, int64_t height, int channels) {
  std::string bytes;
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        int64_t v = y % 4 == 0   ? x * 3 + c
                    : y % 4 == 1 ? (x * x + y * 7) % 251
                    : y % 4 == 2 ? y
                                 : (x * 31 + y * 17) * (c + 1);
        bytes.push_back(static_cast<char>(v));
      }
    }
  }
  return bytes;
}

TEST(Png, HoldsThePixels) {
  for (int channels = 1; channels <= 4; ++channels) {
    constexpr int64_t kWidth = 37, kHeight = 29;
    std::string pixels = Pixels(kWidth, kHeight, channels);
    std::string png = encode_png(kWidth, kHeight, channels, pixels);
    std::string head = Chunks(png, "IHDR");
    ASSERT_EQ(head.size(), 13u);
    EXPECT_EQ(Big32(head), kWidth);
    EXPECT_EQ(Big32(std::string_view(head).substr(4)), kHeight);
    EXPECT_EQ(head[8], 8);
    EXPECT_EQ(head[9], channels == 1   ? 0
                       : channels == 2 ? 4
                       : channels == 3 ? 2
                                       : 6);

    auto pixel = static_cast<size_t>(channels);
    size_t row_bytes = static_cast<size_t>(kWidth) * pixel;
    std::string rows = FilterPngRows(row_bytes, pixel, pixels);
    EXPECT_EQ(Unfilter(rows, row_bytes, pixel), pixels);
    std::string packed = Chunks(png, "IDAT");
    ASSERT_GT(packed.size(), 6u);
    EXPECT_EQ((static_cast<unsigned char>(packed[0]) * 256 +
               static_cast<unsigned char>(packed[1])) %
                  31,
              0);
    std::string_view body = packed;
    EXPECT_EQ(InflateRaw(body.substr(2, body.size() - 6), rows), rows);
    EXPECT_EQ(Big32(body.substr(body.size() - 4)), Adler32(rows));
  }
}

TEST(Png, EveryFilterRuleIsUsedWhereItIsBest) {
  bool used[5] = {};
  std::string rows = FilterPngRows(200, 1, Pixels(200, 40, 1));
  for (size_t at = 0; at < rows.size(); at += 201) used[int{rows[at]}] = true;
  EXPECT_GE(used[0] + used[1] + used[2] + used[3] + used[4], 4);
  // A flat picture needs none but the first, and packs to next to nothing.
  EXPECT_LT(encode_png(1000, 1000, 3, std::string(3000000, '\x40')).size(),
            8000u);
}

TEST(Png, RefusesSizesThatDoNotAgree) {
  Contains(ErrorText([] { encode_png(2, 2, 3, "short"); }),
           "[encode_png] got 5 bytes for 2 x 2 pixels of 3 channels");
  Contains(ErrorText([] { encode_png(0, 2, 3, ""); }),
           "a picture of 0 x 2 pixels");
  Contains(ErrorText([] { encode_png(2, -1, 3, ""); }), "2 x -1");
  Contains(ErrorText([] { encode_png(1, 1, 5, "12345"); }), "5 channels");
  Contains(ErrorText([] { encode_png(int64_t{1} << 40, 1, 1, "1"); }),
           "wanted 1 to 2^31-1");
  // The product does not fit into 64 bits.
  Contains(ErrorText([] { encode_png(0x7fffffff, 0x7fffffff, 4, "1"); }),
           "got 1 bytes");
}

TEST(Png, SaysWhyAFileCannotBeWritten) {
  std::string error = ErrorText(
      [] { write_png("/nowhere/at/all.png", 1, 1, 1, std::string(1, 'x')); });
  Contains(error, "/nowhere/at/all.png");
  Contains(error, "No such file or directory");
}

}  // namespace
}  // namespace sluice::report
