#include "sluice/formats/inflate.h"

#include <algorithm>
#include <array>
#include <new>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

// Reads bits, starting with the lowest of each byte. Reads beyond the end
// return zeros and set overrun().
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  uint32_t Peek(int n) {
    while (count_ < n) {
      uint64_t byte =
          at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_]) : 0;
      bits_ |= byte << count_;
      ++at_;
      count_ += 8;
    }
    return static_cast<uint32_t>(bits_ & ((uint64_t{1} << n) - 1));
  }
  void Drop(int n) {
    bits_ >>= n;
    count_ -= n;
  }
  uint32_t Take(int n) {
    uint32_t v = Peek(n);
    Drop(n);
    return v;
  }
  // Skips to the next whole byte.
  void Align() { Drop(count_ % 8); }
  // The byte after the last one read. REQUIRES: aligned.
  size_t position() const { return at_ - static_cast<size_t>(count_ / 8); }
  bool overrun() const {
    return at_ - static_cast<size_t>(count_ / 8) > bytes_.size();
  }
  // The remaining whole bytes. REQUIRES: aligned.
  std::string_view Rest() const {
    return bytes_.substr(std::min(position(), bytes_.size()));
  }
  void Skip(size_t n) {
    at_ = position() + n;
    bits_ = 0;
    count_ = 0;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  uint64_t bits_ = 0;
  int count_ = 0;
};

// A prefix code: short codes by a table, longer ones bit by bit.
class Code {
 public:
  static constexpr int kMaxBits = 15, kFastBits = 10;

  // False if the lengths form no code. A single one-bit code is allowed, as for
  // distances.
  bool Build(const uint8_t* lengths, int n) {
    count_.fill(0);
    for (int i = 0; i < n; ++i) ++count_[lengths[i]];
    count_[0] = 0;
    int left = 1, used = 0;
    for (int bits = 1; bits <= kMaxBits; ++bits) {
      left = left * 2 - count_[static_cast<size_t>(bits)];
      used += count_[static_cast<size_t>(bits)];
      if (left < 0) return false;
    }
    if (left > 0 && !(used == 0 || (used == 1 && count_[1] == 1))) return false;
    std::array<uint16_t, kMaxBits + 2> next{};
    for (size_t bits = 1; bits <= kMaxBits; ++bits) {
      next[bits + 1] = static_cast<uint16_t>(next[bits] + count_[bits]);
    }
    fast_.fill(0);
    std::array<uint32_t, kMaxBits + 1> code{};
    for (size_t bits = 1; bits < kMaxBits; ++bits) {
      code[bits + 1] = (code[bits] + count_[bits]) * 2;
    }
    for (int i = 0; i < n; ++i) {
      int bits = lengths[i];
      if (bits == 0) continue;
      auto b = static_cast<size_t>(bits);
      symbols_[next[b]++] = static_cast<uint16_t>(i);
      uint32_t c = code[b]++;
      if (bits > kFastBits) continue;
      uint32_t reversed = 0;
      for (int k = 0; k < bits; ++k) reversed |= (c >> k & 1) << (bits - 1 - k);
      for (uint32_t k = reversed; k < (1u << kFastBits); k += 1u << bits) {
        fast_[k] = static_cast<uint16_t>(i << 4 | bits);
      }
    }
    return true;
  }

  // -1 if the bits are not a symbol.
  int Next(BitReader& in) const {
    uint16_t entry = fast_[in.Peek(kFastBits)];
    if (entry != 0) {
      in.Drop(entry & 15);
      return entry >> 4;
    }
    uint32_t bits = in.Peek(kMaxBits);
    int code = 0, first = 0, index = 0;
    for (int length = 1; length <= kMaxBits; ++length) {
      code |= static_cast<int>(bits >> (length - 1) & 1);
      int count = count_[static_cast<size_t>(length)];
      if (code - first < count) {
        in.Drop(length);
        return symbols_[static_cast<size_t>(index + code - first)];
      }
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return -1;
  }

 private:
  std::array<uint16_t, kMaxBits + 1> count_{};
  std::array<uint16_t, 320> symbols_{};
  std::array<uint16_t, 1 << kFastBits> fast_{};
};

constexpr uint16_t kLengthBase[29] = {
    3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr uint8_t kLengthExtra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                      1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                      4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr uint16_t kDistanceBase[30] = {
    1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
    33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
    1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr uint8_t kDistanceExtra[30] = {0, 0, 0,  0,  1,  1,  2,  2,  3,  3,
                                        4, 4, 5,  5,  6,  6,  7,  7,  8,  8,
                                        9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

// Reads the codes of a dynamic block; returns "" or the error.
const char* ReadCodes(BitReader& in, Code* literals, Code* distances) {
  constexpr uint8_t kOrder[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                  11, 4,  12, 3, 13, 2, 14, 1, 15};
  int num_literals = static_cast<int>(in.Take(5)) + 257;
  int num_distances = static_cast<int>(in.Take(5)) + 1;
  int num_lengths = static_cast<int>(in.Take(4)) + 4;
  if (num_literals > 286 || num_distances > 30) return "too many codes";
  uint8_t lengths[320] = {};
  for (int i = 0; i < num_lengths; ++i) {
    lengths[kOrder[i]] = static_cast<uint8_t>(in.Take(3));
  }
  Code code;
  if (!code.Build(lengths, 19)) return "bad code lengths";
  std::fill(lengths, lengths + 320, 0);
  for (int i = 0; i < num_literals + num_distances;) {
    int symbol = code.Next(in);
    if (symbol < 0 || in.overrun()) return "bad code lengths";
    if (symbol < 16) {
      lengths[i++] = static_cast<uint8_t>(symbol);
      continue;
    }
    if (symbol == 16 && i == 0) return "bad code lengths";
    uint8_t value = symbol == 16 ? lengths[i - 1] : 0;
    int again = symbol == 16   ? 3 + static_cast<int>(in.Take(2))
                : symbol == 17 ? 3 + static_cast<int>(in.Take(3))
                               : 11 + static_cast<int>(in.Take(7));
    if (i + again > num_literals + num_distances) return "bad code lengths";
    for (; again > 0; --again) lengths[i++] = value;
  }
  if (lengths[256] == 0) return "no code ends a block";
  if (!literals->Build(lengths, num_literals) ||
      !distances->Build(lengths + num_literals, num_distances)) {
    return "bad codes";
  }
  return "";
}

void FixedCodes(Code* literals, Code* distances) {
  uint8_t lengths[288];
  for (int i = 0; i < 288; ++i) {
    lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  }
  literals->Build(lengths, 288);
  std::fill(lengths, lengths + 32, 5);
  distances->Build(lengths, 32);
}

constexpr char kTooLong[] = "too long";

// Reads one block's literals and copies; a copy reaches back no further than
// `start`.
const char* ReadBlock(BitReader& in, const Code& literals,
                      const Code& distances, size_t start, size_t most,
                      std::string* out) {
  for (;;) {
    int symbol = literals.Next(in);
    if (symbol < 0) return "no such code";
    if (in.overrun()) return "the data end in a block";
    if (symbol < 256) {
      if (out->size() >= most) return kTooLong;
      out->push_back(static_cast<char>(symbol));
      continue;
    }
    if (symbol == 256) return "";
    if (symbol > 285) return "no such length";
    auto s = static_cast<size_t>(symbol - 257);
    size_t length = kLengthBase[s] + in.Take(kLengthExtra[s]);
    int d = distances.Next(in);
    if (d < 0 || d > 29) return "no such distance";
    size_t distance = kDistanceBase[d] + in.Take(kDistanceExtra[d]);
    if (in.overrun()) return "the data end in a block";
    if (distance > out->size() - start) return "a copy from before the start";
    if (length > most - out->size()) return kTooLong;
    // Byte by byte if source and copy overlap, which repeats a pattern.
    size_t from = out->size() - distance;
    if (distance >= length) {
      out->append(*out, from, length);
    } else {
      for (size_t i = 0; i < length; ++i) out->push_back((*out)[from + i]);
    }
  }
}

const char* Inflate(BitReader& in, size_t most, std::string* out) {
  size_t start = out->size();
  for (bool last = false; !last;) {
    last = in.Take(1) != 0;
    uint32_t kind = in.Take(2);
    if (in.overrun()) return "the data end before the last block";
    if (kind == 3) return "no such kind of block";
    if (kind == 0) {
      in.Align();
      uint32_t length = in.Take(16), complement = in.Take(16);
      if (in.overrun() || (length ^ complement) != 0xffff) {
        return "the length of a stored block is wrong";
      }
      std::string_view rest = in.Rest();
      if (rest.size() < length) return "the data end in a block";
      if (length > most - out->size()) return kTooLong;
      out->append(rest.substr(0, length));
      in.Skip(length);
      continue;
    }
    Code literals, distances;
    const char* wrong = "";
    if (kind == 1) {
      FixedCodes(&literals, &distances);
    } else {
      wrong = ReadCodes(in, &literals, &distances);
    }
    if (!*wrong) wrong = ReadBlock(in, literals, distances, start, most, out);
    if (*wrong) return wrong;
  }
  return "";
}

// The length of the header at the beginning of `bytes`; 0 if there is none.
size_t HeaderLength(std::string_view bytes) {
  if (bytes.size() < 10 || !LooksLikeGzip(bytes)) return 0;
  auto flags = static_cast<unsigned char>(bytes[3]);
  if (bytes[2] != 8 || (flags & 0xe0) != 0) return 0;
  size_t at = 10;
  if (flags & 4) {
    if (bytes.size() < at + 2) return 0;
    at += 2 + static_cast<unsigned char>(bytes[at]) +
          256u * static_cast<unsigned char>(bytes[at + 1]);
  }
  for (int text : {8, 16}) {  // a name, a comment
    if (!(flags & text)) continue;
    size_t end = at < bytes.size() ? bytes.find('\0', at) : bytes.npos;
    if (end == bytes.npos) return 0;
    at = end + 1;
  }
  if (flags & 2) at += 2;
  return at <= bytes.size() ? at : 0;
}

uint32_t Little32(std::string_view bytes) {
  uint32_t v = 0;
  for (size_t i = 0; i < 4; ++i) {
    v |= uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return v;
}

}  // namespace

uint32_t Crc32(std::string_view bytes, uint32_t before) {
  static constexpr auto kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t b = 0; b < 256; ++b) {
      uint32_t crc = b;
      for (int k = 0; k < 8; ++k) {
        crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0);
      }
      table[b] = crc;
    }
    return table;
  }();
  uint32_t crc = ~before;
  for (char c : bytes) {
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  }
  return ~crc;
}

bool LooksLikeGzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

Result<std::string> Gunzip(std::string_view bytes, int64_t max_bytes) {
  std::string out;
  size_t at = 0;
  auto damaged = [&](size_t where, std::string_view what) {
    return DataLoss(StrCat("gzip data at byte ", where, ": ", what));
  };
  auto most = static_cast<size_t>(max_bytes);
  do {
    size_t header = HeaderLength(bytes.substr(at));
    if (header == 0) return damaged(at, "no gzip header");
    BitReader in(bytes.substr(at + header));
    size_t start = out.size();
    const char* wrong = "";
    try {
      wrong = Inflate(in, most, &out);
    } catch (const std::bad_alloc&) {
      wrong = kTooLong;
    }
    in.Align();
    at = std::min(bytes.size(), at + header + in.position());
    if (wrong == kTooLong) {
      return ResourceExhausted(
          StrCat("gzip data unpack to more than ", max_bytes, " bytes"));
    }
    if (*wrong) return damaged(at, wrong);
    if (bytes.size() - at < 8) return damaged(at, "the checksum is missing");
    std::string_view member = std::string_view(out).substr(start);
    if (Little32(bytes.substr(at)) != Crc32(member) ||
        Little32(bytes.substr(at + 4)) !=
            static_cast<uint32_t>(member.size())) {
      return damaged(at, "the checksum is wrong");
    }
    at += 8;
  } while (at < bytes.size());
  return out;
}

}  // namespace sluice
