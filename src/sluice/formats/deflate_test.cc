#include "sluice/formats/deflate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sluice/formats/huffman.h"
#include "sluice/formats/inflate.h"
#include "sluice/formats/inflate_raw_test_util.h"

namespace sluice {
namespace {

std::string Noise(size_t size, uint64_t seed, int values) {
  std::string bytes;
  uint64_t state = seed;
  for (size_t i = 0; i < size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    bytes.push_back(
        static_cast<char>((state >> 33) % static_cast<uint64_t>(values)));
  }
  return bytes;
}

void ExpectRoundTrip(const std::string& bytes, const char* what) {
  std::string packed = Deflate(bytes);
  EXPECT_EQ(InflateRaw(packed, bytes), bytes) << what;
  // Stored blocks bound the overhead: five bytes for each.
  EXPECT_LE(packed.size(), bytes.size() + 5 * (bytes.size() / 30000 + 1))
      << what;
}

TEST(Deflate, GivesBackWhatWentIn) {
  ExpectRoundTrip("", "nothing");
  ExpectRoundTrip("a", "one byte");
  ExpectRoundTrip("abcabcabcabc", "a pattern");
  ExpectRoundTrip(std::string(1 << 20, 'x'), "one byte a million times");
  ExpectRoundTrip(Noise(200000, 1, 256), "noise");
  ExpectRoundTrip(Noise(200000, 2, 3), "noise of three values");
  ExpectRoundTrip(Noise(70000, 3, 256) + Noise(70000, 3, 256),
                  "repeated beyond the window");
  ExpectRoundTrip(Noise(30000, 4, 256) + Noise(30000, 4, 256),
                  "repeated within the window");
  for (size_t size = 2; size < 600; ++size) {
    ExpectRoundTrip(Noise(size, size, 1 + static_cast<int>(size % 7)), "short");
  }
}

TEST(Deflate, PacksWhatRepeats) {
  EXPECT_LT(Deflate(std::string(1 << 20, 'x')).size(), 2000u);
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text += "step " + std::to_string(i) + " loss 0.5\n";
  }
  EXPECT_LT(Deflate(text).size(), text.size() / 5);
  // Found again although 20000 bytes are in between.
  std::string noise = Noise(20000, 5, 256);
  EXPECT_LT(Deflate(noise + noise).size(), noise.size() + 1000);
}

TEST(Deflate, Adler32) {
  EXPECT_EQ(Adler32(""), 1u);
  EXPECT_EQ(Adler32("Wikipedia"), 0x11e60398u);
  std::string bytes(100000, '\xff');
  EXPECT_EQ(Adler32(bytes.substr(40000), Adler32(bytes.substr(0, 40000))),
            Adler32(bytes));
}

// A sum of one means a full tree: every code is used.
double KraftSum(const std::vector<uint8_t>& lengths) {
  double sum = 0;
  for (uint8_t bits : lengths) {
    if (bits > 0) sum += 1.0 / static_cast<double>(1u << bits);
  }
  return sum;
}

TEST(Huffman, LengthsKeepTheLimit) {
  // Fibonacci numbers give the deepest possible tree.
  std::vector<uint32_t> counts = {1, 1};
  while (counts.size() < 30) {
    counts.push_back(counts.back() + counts[counts.size() - 2]);
  }
  for (int most : {5, 7, 15}) {
    std::vector<uint8_t> lengths = CodeLengths(counts, most);
    EXPECT_LE(*std::max_element(lengths.begin(), lengths.end()), most);
    EXPECT_EQ(KraftSum(lengths), 1) << most;
  }
}

TEST(Huffman, AtLeastTwoSymbolsHaveCodes) {
  EXPECT_EQ(CodeLengths(std::array<uint32_t, 4>{0, 0, 9, 0}, 15),
            (std::vector<uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(CodeLengths(std::array<uint32_t, 3>{}, 15),
            (std::vector<uint8_t>{1, 1, 0}));
}

TEST(Huffman, CodesAreCanonicalAndTurned) {
  // 0, 10, 110, 111, the first bit lowest.
  EXPECT_EQ(CodesOf(std::array<uint8_t, 4>{2, 1, 3, 3}),
            (std::vector<uint16_t>{0b01, 0b0, 0b011, 0b111}));
}

}  // namespace
}  // namespace sluice
