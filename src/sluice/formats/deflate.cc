#include "sluice/formats/deflate.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "sluice/formats/bit_writer.h"
#include "sluice/formats/huffman.h"
#include "sluice/formats/lz_matches.h"

namespace sluice {

namespace {

constexpr size_t kBlockTokens = 1 << 15;
constexpr size_t kLiterals = 286, kDistances = 30, kEndOfBlock = 256;
constexpr size_t kStoredMost = 0xffff;

// Lengths and distances are encoded as ranges: the first value of each, and the
// number of bits that select a value in it.
struct Ranges {
  std::span<const uint16_t> first;
  std::span<const uint8_t> bits;

  size_t Of(size_t value) const {
    auto after = std::upper_bound(first.begin(), first.end(), value);
    return static_cast<size_t>(after - first.begin()) - 1;
  }
};

constexpr std::array<uint16_t, 29> kLengthFirst = {
    3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<uint8_t, 29> kLengthBits = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                                 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                                 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<uint16_t, 30> kDistanceFirst = {
    1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
    33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
    1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::array<uint8_t, 30> kDistanceBits = {
    0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
    6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
constexpr Ranges kLength{kLengthFirst, kLengthBits};
constexpr Ranges kDistance{kDistanceFirst, kDistanceBits};

struct Code {
  std::vector<uint8_t> lengths;
  std::vector<uint16_t> codes;

  explicit Code(std::vector<uint8_t> of) : lengths(std::move(of)) {
    codes = CodesOf(lengths);
  }
  void Put(BitWriter& out, size_t symbol) const {
    out.Put(codes[symbol], lengths[symbol]);
  }
};

// The lengths of both codes in a block's form: runs are shortened.
struct LengthsText {
  struct Piece {
    uint8_t symbol, extra, extra_bits;
  };
  std::vector<Piece> pieces;
  size_t literals, distances;

  LengthsText(const Code& literal, const Code& distance) {
    auto used = [](const std::vector<uint8_t>& lengths, size_t least) {
      size_t n = lengths.size();
      while (n > least && lengths[n - 1] == 0) --n;
      return n;
    };
    literals = used(literal.lengths, 257);
    distances = used(distance.lengths, 1);
    std::vector<uint8_t> all(
        literal.lengths.begin(),
        literal.lengths.begin() + static_cast<std::ptrdiff_t>(literals));
    all.insert(
        all.end(), distance.lengths.begin(),
        distance.lengths.begin() + static_cast<std::ptrdiff_t>(distances));
    for (size_t i = 0; i < all.size();) {
      size_t end = i + 1;
      while (end < all.size() && all[end] == all[i]) ++end;
      Run(all[i], end - i);
      i = end;
    }
  }

 private:
  void Run(uint8_t value, size_t count) {
    if (value != 0) {
      pieces.push_back({value, 0, 0});
      --count;
    }
    while (count >= 3) {
      size_t now = std::min<size_t>(count, value != 0 ? 6 : 138);
      if (value != 0) {
        pieces.push_back({16, static_cast<uint8_t>(now - 3), 2});
      } else if (now <= 10) {
        pieces.push_back({17, static_cast<uint8_t>(now - 3), 3});
      } else {
        pieces.push_back({18, static_cast<uint8_t>(now - 11), 7});
      }
      count -= now;
    }
    for (; count > 0; --count) pieces.push_back({value, 0, 0});
  }
};

constexpr uint8_t kLengthOrder[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};

std::vector<uint8_t> FixedLiterals() {
  std::vector<uint8_t> lengths(288);
  for (size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  }
  return lengths;
}

// One block: tokens, symbol counts, and the bytes they represent.
class PackedBlock {
 public:
  void Add(const LzToken& token) {
    tokens_.push_back(token);
    if (token.length == 0) {
      ++literal_counts_[token.literal];
    } else {
      ++literal_counts_[257 + kLength.Of(token.length)];
      ++distance_counts_[kDistance.Of(token.distance)];
    }
  }
  bool full() const { return tokens_.size() >= kBlockTokens; }

  // Chooses the shortest of the three forms.
  void Write(std::string_view bytes, bool last, BitWriter& out) {
    literal_counts_[kEndOfBlock] = 1;
    Code literal(CodeLengths(literal_counts_, 15));
    Code distance(CodeLengths(distance_counts_, 15));
    LengthsText text(literal, distance);
    std::array<uint32_t, 19> text_counts{};
    for (const auto& piece : text.pieces) ++text_counts[piece.symbol];
    Code text_code(CodeLengths(text_counts, 7));
    size_t text_lengths = 19;
    while (text_code.lengths[kLengthOrder[text_lengths - 1]] == 0) {
      --text_lengths;
    }

    uint64_t own = 14 + 3 * text_lengths + Bits(literal, distance);
    for (const auto& piece : text.pieces) {
      own += text_code.lengths[piece.symbol] + uint64_t{piece.extra_bits};
    }
    static const Code fixed_literal(FixedLiterals());
    static const Code fixed_distance(std::vector<uint8_t>(kDistances, 5));
    uint64_t fixed = Bits(fixed_literal, fixed_distance);
    uint64_t stored = 8 * bytes.size() + 40 * (bytes.size() / kStoredMost + 1);
    if (stored <= std::min(own, fixed)) {
      Store(bytes, last, out);
    } else if (fixed <= own) {
      out.Put(last, 1);
      out.Put(1, 2);
      PutTokens(fixed_literal, fixed_distance, out);
    } else {
      out.Put(last, 1);
      out.Put(2, 2);
      out.Put(static_cast<uint32_t>(text.literals - 257), 5);
      out.Put(static_cast<uint32_t>(text.distances - 1), 5);
      out.Put(static_cast<uint32_t>(text_lengths - 4), 4);
      for (size_t i = 0; i < text_lengths; ++i) {
        out.Put(text_code.lengths[kLengthOrder[i]], 3);
      }
      for (const auto& piece : text.pieces) {
        text_code.Put(out, piece.symbol);
        out.Put(piece.extra, piece.extra_bits);
      }
      PutTokens(literal, distance, out);
    }
  }

 private:
  uint64_t Bits(const Code& literal, const Code& distance) const {
    uint64_t bits = 0;
    for (size_t i = 0; i < kLiterals; ++i) {
      uint64_t extra = i > 256 ? kLengthBits[i - 257] : 0;
      bits += literal_counts_[i] * (literal.lengths[i] + extra);
    }
    for (size_t i = 0; i < kDistances; ++i) {
      bits += uint64_t{distance_counts_[i]} *
              (distance.lengths[i] + uint64_t{kDistanceBits[i]});
    }
    return bits;
  }

  static void Store(std::string_view bytes, bool last, BitWriter& out) {
    do {
      std::string_view part = bytes.substr(0, kStoredMost);
      bytes.remove_prefix(part.size());
      out.Put(last && bytes.empty(), 1);
      out.Put(0, 2);
      out.Align();
      auto length = static_cast<uint32_t>(part.size());
      out.Put(length, 16);
      out.Put(~length & 0xffff, 16);
      out.PutBytes(part);
    } while (!bytes.empty());
  }

  void PutTokens(const Code& literal, const Code& distance,
                 BitWriter& out) const {
    auto put_range = [&](const Code& code, size_t offset, const Ranges& ranges,
                         size_t value) {
      size_t range = ranges.Of(value);
      code.Put(out, offset + range);
      out.Put(static_cast<uint32_t>(value - ranges.first[range]),
              ranges.bits[range]);
    };
    for (const LzToken& token : tokens_) {
      if (token.length == 0) {
        literal.Put(out, token.literal);
      } else {
        put_range(literal, 257, kLength, token.length);
        put_range(distance, 0, kDistance, token.distance);
      }
    }
    literal.Put(out, kEndOfBlock);
  }

  std::vector<LzToken> tokens_;
  std::array<uint32_t, kLiterals> literal_counts_{};
  std::array<uint32_t, kDistances> distance_counts_{};
};

}  // namespace

std::string Deflate(std::string_view bytes) {
  BitWriter out;
  LzMatches matches(bytes);
  size_t start = 0;
  do {
    PackedBlock block;
    LzToken token;
    while (!block.full() && matches.Next(&token)) block.Add(token);
    size_t end = matches.position();
    block.Write(bytes.substr(start, end - start), end == bytes.size(), out);
    start = end;
  } while (start < bytes.size());
  return out.Take();
}

uint32_t Adler32(std::string_view bytes, uint32_t before) {
  constexpr uint32_t kModulus = 65521;
  // This many sums fit into 32 bits before they must be reduced.
  constexpr size_t kMost = 5552;
  uint32_t a = before & 0xffff, b = before >> 16;
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, kMost);
    bytes.remove_prefix(part.size());
    for (char c : part) {
      a += static_cast<unsigned char>(c);
      b += a;
    }
    a %= kModulus;
    b %= kModulus;
  }
  return b << 16 | a;
}

std::string ZlibPack(std::string_view bytes) {
  std::string out = "\x78\x9c";  // deflate, 32 KiB window, default effort
  out += Deflate(bytes);
  uint32_t sum = Adler32(bytes);
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(sum >> shift));
  }
  return out;
}

}  // namespace sluice
