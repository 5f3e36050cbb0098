#include "sluice/formats/inflate.h"

#include <gtest/gtest.h>

#include "sluice/base/random.h"

namespace sluice {
namespace {

std::string FromHex(const char* hex) {
  std::string out;
  for (; hex[0] && hex[1]; hex += 2) {
    out.push_back(
        static_cast<char>(std::stoi(std::string(hex, 2), nullptr, 16)));
  }
  return out;
}

// A gzip member around deflate data.
std::string Member(const std::string& deflated, const std::string& plain) {
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  out += deflated;
  uint32_t crc = Crc32(plain), size = static_cast<uint32_t>(plain.size());
  for (uint32_t v : {crc, size}) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(v >> (8 * i)));
  }
  return out;
}

std::string Stored(const std::string& plain) {
  std::string out("\1", 1);
  auto n = static_cast<uint32_t>(plain.size());
  for (uint32_t v : {n, ~n}) {
    out.push_back(static_cast<char>(v));
    out.push_back(static_cast<char>(v >> 8));
  }
  return out + plain;
}

constexpr char kFixed[] =
    "1f8b0800000000000203cb48cdc9c957c8402701e3513d8d17000000";
constexpr char kDynamic[] =
    "1f8b08000000000002036d9641ae1c210c44af9223804dd3cc7db28f94cdbf7ea27159aa"
    "27b169c48c3176b95ce6e7cfdfdf797efdfc5fea3bb396a796ef37deda8c5a3eb5c477c9"
    "fd5d967e2ccb5c7e20cad72acf5996a99d5c6f5fa242598a61baebf29cd32d12a14499e8"
    "d2da846543477ec5c2f5822511bd0e6f07298187fb8de141c06e96f70847f8f5ac02404d"
    "a4537ecb601d3bab43dbbe6b783a8df44230db0b257095891257a05db68d02d7a5312dd2"
    "b6986e88c43a17e2bb4092e38ec3374db1d719d005d9863748311db1c84b9e8a54269de0"
    "7092ef0b74ebbd39997e2cb6619060aeec8773f5f19b73382ccb5d0496eedb05e06e316a"
    "a76e561f0a92eee6c711741e4a25de4befebafc6785f1a4c9875998e775de0b60e0b9d1b"
    "7e4c182758dad442072bb08f1f0b103f2081090511f413823189efe3494201028d22c086"
    "61783c0ec11ace5c3565eb85ffa508552dd535a06513a175bcae8ac9dc81aa588a52f6dd"
    "e70252ff37415a105f0495362992a43e84a1d4868f8b67e282844a0c8c84e95da40c128a"
    "d9176c4ffc86097a3aa1a6ad83e1827c3c99c7ef6a73668d722ca86ef738f011f4da81a5"
    "4171c4cc6c41742af6c4f9b82e0674998610b1e56ad153033a0ec05ff87d014c38c6fe15"
    "105d25d8756b426dfbe9023d1e3e8e81be6833115c704004cab52faf839ea3982f9d14c0"
    "9a405763a0db605f9e21a2d380b8c27e91add3882ca0a410b2185099813707959932f378"
    "3a07c4799c38c7413897a712e679529ead50e71f64d8af0bab0a0000";
constexpr char kNamed[] =
    "1f8b08080000000002ff6e616d652e74787400cb4bcc4d4d010087cce07105000000";

// The contents of kDynamic.
std::string DynamicPlain() {
  std::string out;
  uint32_t x = 1;
  for (int i = 0; i < 400; ++i) {
    x = (x * 1103515245u + 12345u) & 0x7fffffffu;
    out += (i ? " word" : "word") + std::to_string((x >> 16) % 50);
  }
  return out;
}

TEST(Inflate, Crc32KnownAnswer) { EXPECT_EQ(Crc32("123456789"), 0xcbf43926u); }

TEST(Inflate, EveryKindOfBlock) {
  EXPECT_EQ(*Gunzip(FromHex(kFixed), 1000), "hello hello hello hello");
  EXPECT_EQ(*Gunzip(FromHex(kDynamic), 100000), DynamicPlain());
  EXPECT_EQ(*Gunzip(Member(Stored("abc"), "abc"), 1000), "abc");
  EXPECT_EQ(*Gunzip(Member(Stored(""), ""), 0), "");
  EXPECT_EQ(*Gunzip(FromHex(kNamed), 100), "named");
}

TEST(Inflate, MembersFollowEachOther) {
  EXPECT_EQ(*Gunzip(Member(Stored("abc"), "abc") + FromHex(kFixed), 1000),
            "abchello hello hello hello");
  EXPECT_FALSE(Gunzip(Member(Stored("abc"), "abc") + "x", 1000).ok());
}

TEST(Inflate, NoMoreThanAskedFor) {
  EXPECT_EQ(Gunzip(FromHex(kFixed), 22).status().code(),
            Code::kResourceExhausted);
  EXPECT_TRUE(Gunzip(FromHex(kFixed), 23).ok());
  EXPECT_EQ(Gunzip(FromHex(kDynamic), 100).status().code(),
            Code::kResourceExhausted);
  EXPECT_EQ(Gunzip(Member(Stored("abc"), "abc"), 2).status().code(),
            Code::kResourceExhausted);
}

// Cut and changed anywhere: an error or, if the changed header byte has no
// meaning, the same text; never more output than requested and no access
// outside.
TEST(Inflate, DamagedDataAreRefused) {
  for (const char* hex : {kFixed, kDynamic, kNamed}) {
    std::string whole = FromHex(hex), plain = *Gunzip(whole, 100000);
    for (size_t n = 0; n < whole.size(); ++n) {
      EXPECT_FALSE(Gunzip(whole.substr(0, n), 100000).ok()) << n;
    }
    int refused = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string bytes = whole;
        bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
        auto got = Gunzip(bytes, 100000);
        if (got.ok()) {
          EXPECT_EQ(*got, plain) << i;
        } else {
          ++refused;
        }
      }
    }
    EXPECT_GT(refused, static_cast<int>(whole.size()) * 4);
  }
}

TEST(Inflate, NoiseIsSurvived) {
  RandomKey key = RandomKey::Of(1, 2, 3, 4);
  for (uint64_t round = 0; round < 3000; ++round) {
    std::string bytes("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    for (uint64_t i = 0; i < 60; ++i) {
      bytes.push_back(static_cast<char>(RandomBits(key, round * 64 + i)[0]));
    }
    EXPECT_FALSE(Gunzip(bytes, 100000).ok());
  }
}

}  // namespace
}  // namespace sluice
