// String ops on text. The sweep sees strings as the numbers they spell; here
// they are compared byte by byte.
#include <gtest/gtest.h>

#include <cmath>

#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"

namespace sluice {
namespace {

using Texts = std::vector<std::string>;

Array Text(const Texts& values) {
  return Array::Of<std::string>({static_cast<int64_t>(values.size())}, values);
}

std::vector<Array> Call(const char* op, const std::vector<Array>& in,
                        const Attrs& attrs = {}) {
  auto out = RunOp(*FindOp(op), attrs, in);
  EXPECT_TRUE(out.ok()) << out.status().ToString();
  return out.ok() ? *out : std::vector<Array>(4, Text({}));
}

Texts TextsOf(const Array& a) {
  return {a.data<std::string>(), a.data<std::string>() + a.num_elements()};
}
template <class T>
std::vector<T> ValuesOf(const Array& a) {
  return std::vector<T>(a.data<T>(), a.data<T>() + a.num_elements());
}
using Ints64 = std::vector<int64_t>;

const std::string kNul("a\0b", 3);

TEST(StringOps, LengthOfBytesAndCharacters) {
  Array x = Text({"", "abc", "h\xc3\xa9", "\xe2\x82\xac", kNul});
  EXPECT_EQ(ValuesOf<int64_t>(Call("StringLength", {x})[0]),
            (Ints64{0, 3, 3, 3, 3}));
  EXPECT_EQ(
      ValuesOf<int64_t>(Call("StringLength", {x}, {{"unit", "chars"}})[0]),
      (Ints64{0, 3, 2, 1, 3}));
}

TEST(StringOps, LettersAndSpaces) {
  Array x = Text({" AbZ[z@\t", "\n \r", "\xc3\x89X"});
  EXPECT_EQ(TextsOf(Call("StringLower", {x})[0]),
            (Texts{" abz[z@\t", "\n \r", "\xc3\x89x"}));
  EXPECT_EQ(TextsOf(Call("StringUpper", {x})[0]),
            (Texts{" ABZ[Z@\t", "\n \r", "\xc3\x89X"}));
  EXPECT_EQ(TextsOf(Call("StringStrip", {x})[0]),
            (Texts{"AbZ[z@", "", "\xc3\x89X"}));
}

TEST(StringOps, PartsOfStrings) {
  Array x = Text({"hello", "", kNul});
  auto part = [&](int64_t start, int64_t length) {
    return TextsOf(
        Call("Substr", {x}, {{"start", start}, {"length", length}})[0]);
  };
  EXPECT_EQ(part(1, 3), (Texts{"ell", "", std::string("\0b", 2)}));
  EXPECT_EQ(part(-2, -1), (Texts{"lo", "", std::string("\0b", 2)}));
  EXPECT_EQ(part(7, 2), (Texts{"", "", ""}));
}

TEST(StringOps, FindAndReplace) {
  Array x = Text({"one two two", "", "aaa"});
  EXPECT_EQ(ValuesOf<int64_t>(Call("StringFind", {x}, {{"pattern", "two"}})[0]),
            (Ints64{4, -1, -1}));
  EXPECT_EQ(TextsOf(Call("StringReplace", {x},
                         {{"pattern", "two"}, {"with", "2two"}})[0]),
            (Texts{"one 2two 2two", "", "aaa"}));
  EXPECT_EQ(TextsOf(Call("StringReplace", {x}, {{"pattern", "aa"}})[0]),
            (Texts{"one two two", "", "a"}));
}

TEST(StringOps, JoinAndEqualBroadcast) {
  Array a = Array::Of<std::string>({2, 1}, {"x", "y"});
  Array b = Text({"1", "2", ""});
  Array joined = Call("StringJoin", {a, b, a}, {{"separator", "-"}})[0];
  EXPECT_EQ(joined.shape(), (Shape{2, 3}));
  EXPECT_EQ(TextsOf(joined),
            (Texts{"x-1-x", "x-2-x", "x--x", "y-1-y", "y-2-y", "y--y"}));
  Array equal = Call("StringEqual", {a, Text({"x", "X", "y"})})[0];
  EXPECT_EQ(ValuesOf<bool>(equal),
            (std::vector<bool>{true, false, false, false, false, true}));
}

TEST(StringOps, Split) {
  Array x = Text({" to  be\tor ", "", "not"});
  auto words = Call("StringSplit", {x});
  EXPECT_EQ(TextsOf(words[0]), (Texts{"to", "be", "or", "not"}));
  EXPECT_EQ(ValuesOf<int64_t>(words[1]), (Ints64{0, 3, 3, 4}));
  auto fields =
      Call("StringSplit", {Text({"a::b::", "", "::"})}, {{"separator", "::"}});
  EXPECT_EQ(TextsOf(fields[0]), (Texts{"a", "b", "", "", "", ""}));
  EXPECT_EQ(ValuesOf<int64_t>(fields[1]), (Ints64{0, 3, 4, 6}));
}

TEST(StringOps, NumbersToTextAndBack) {
  EXPECT_EQ(
      TextsOf(Call("AsString",
                   {Array::Vector<float>({0.1f, -0.0f, 1e30f, INFINITY})})[0]),
      (Texts{"0.1", "-0", "1e+30", "inf"}));
  EXPECT_EQ(TextsOf(Call("AsString", {Array::Vector<double>({2.0 / 3, -7.125})},
                         {{"precision", 2}})[0]),
            (Texts{"0.67", "-7.12"}));
  EXPECT_EQ(TextsOf(Call("AsString", {Array::Vector<bool>({true, false})})[0]),
            (Texts{"true", "false"}));
  EXPECT_EQ(
      TextsOf(Call("AsString", {Array::Vector<uint64_t>({UINT64_MAX, 0})})[0]),
      (Texts{"18446744073709551615", "0"}));
  // Every f16 survives the round trip.
  Array halves = Array::Zeros(DType::kF16, {65536});
  for (int i = 0; i < 65536; ++i) {
    f16 h;
    h.bits = static_cast<uint16_t>(i);
    if ((i & 0x7c00) == 0x7c00) h.bits = static_cast<uint16_t>(i & 0xfc00);
    halves.mutable_data<f16>()[i] = h;
  }
  Array text = Call("AsString", {halves})[0];
  Array back = Call("StringToNumber", {text}, {{"dtype", DType::kF16}})[0];
  EXPECT_TRUE(back.BitEquals(halves));
}

TEST(StringOps, HashNeverChanges) {
  Array y = Call("StringHashBucket", {Text({"", "a", "sluice", "12345678x"})},
                 {{"num_buckets", INT64_MAX}})[0];
  EXPECT_EQ(ValuesOf<int64_t>(y),
            (Ints64{3746585686858627171, 7637065861573909784,
                    7630515531903206002, 1264144022732093009}));
}

TEST(StringOps, HashSpreads) {
  Texts words;
  for (int i = 0; i < 20000; ++i) words.push_back("w" + std::to_string(i));
  Array y = Call("StringHashBucket", {Text(words)}, {{"num_buckets", 20}})[0];
  std::vector<int> counts(20);
  for (int64_t b : ValuesOf<int64_t>(y)) ++counts[static_cast<size_t>(b)];
  for (int count : counts) EXPECT_NEAR(count, 1000, 160);
}

TEST(StringOps, RawBytes) {
  Array x = Text({std::string("\1\0\2\0", 4), std::string("\0\1\xff\xff", 4)});
  Array little = Call("DecodeRaw", {x}, {{"dtype", DType::kI16}})[0];
  EXPECT_EQ(little.shape(), (Shape{2, 2}));
  EXPECT_EQ(ValuesOf<int16_t>(little), (std::vector<int16_t>{1, 2, 256, -1}));
  Attrs big{{"dtype", DType::kI16}, {"little_endian", false}};
  EXPECT_EQ(ValuesOf<int16_t>(Call("DecodeRaw", {x}, big)[0]),
            (std::vector<int16_t>{256, 512, 1, -1}));
  EXPECT_EQ(TextsOf(Call("EncodeRaw", {little})[0]), TextsOf(x));
  EXPECT_EQ(
      TextsOf(Call("EncodeRaw", {little}, {{"little_endian", false}})[0])[0],
      std::string("\0\1\0\2", 4));
  Array bools = Call("DecodeRaw", {Text({std::string("\0\1\x80", 3)})},
                     {{"dtype", DType::kBool}})[0];
  EXPECT_EQ(ValuesOf<bool>(bools), (std::vector<bool>{false, true, true}));
}

TEST(StringOps, Csv) {
  Array records = Text({"1,\"Smith, J.\",0.5,true",
                        "-2,\"say \"\"hi\"\"\",,0\r\n", "3,,1e3,false\n"});
  auto columns =
      Call("DecodeCsv", {records},
           {{"dtypes", std::vector<DType>{DType::kI32, DType::kString,
                                          DType::kF32, DType::kBool}},
            {"defaults", Texts{"0", "nobody", "-1", "false"}}});
  EXPECT_EQ(ValuesOf<int32_t>(columns[0]), (std::vector<int32_t>{1, -2, 3}));
  EXPECT_EQ(TextsOf(columns[1]), (Texts{"Smith, J.", "say \"hi\"", "nobody"}));
  EXPECT_EQ(ValuesOf<float>(columns[2]), (std::vector<float>{0.5f, -1, 1000}));
  EXPECT_EQ(ValuesOf<bool>(columns[3]),
            (std::vector<bool>{true, false, false}));
}

}  // namespace
}  // namespace sluice
