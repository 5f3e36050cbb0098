#include "sluice/formats/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sluice/base/error.h"

namespace sluice {
namespace {

std::string ErrorOf(std::string_view text) {
  Result<Json> value = Json::Parse(text);
  return value.ok() ? "" : value.status().message();
}

constexpr std::string_view kExample =
    R"({"a": [1, -2.5, 1e3, true, false, null], "b": {"c": "x\ny\u00e9\ud83d\ude00",)"
    R"( "d": {}}, "e": [], "": "é"})";

TEST(Json, ReadsEveryKind) {
  Json j = *Json::Parse(kExample);
  EXPECT_EQ(j.at("a").at(size_t{0}).as_int(), 1);
  EXPECT_EQ(j.at("a").at(1).as_double(), -2.5);
  EXPECT_EQ(j.at("a").at(2).kind(), Json::Kind::kDouble);
  EXPECT_TRUE(j.at("a").at(3).as_bool());
  EXPECT_TRUE(j.at("a").at(5).is_null());
  EXPECT_EQ(j.at("b").at("c").as_string(), "x\nyé😀");
  EXPECT_EQ(j.at("").as_string(), "é");
  EXPECT_EQ(j.at("e").size(), 0u);
}

TEST(Json, WritesWhatItReads) {
  Json j = *Json::Parse(kExample);
  EXPECT_EQ(
      j.dump(),
      R"({"a":[1,-2.5,1000.0,true,false,null],"b":{"c":"x\u000ayé😀","d":{}},)"
      R"("e":[],"":"é"})");
  EXPECT_EQ(*Json::Parse(j.dump()), j);
  EXPECT_EQ(*Json::Parse(j.dump(2)), j);
  EXPECT_EQ(Json::object({{"a", Json::array({1, 2})}}).dump(2),
            "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
}

TEST(Json, NumbersReadBackAsTheSame) {
  double tiny = std::numeric_limits<double>::denorm_min();
  for (double v : {0.0, -0.0, 0.1, 1.0 / 3, 1e300, -1e-300, tiny, 1e22, 5.0}) {
    Json back = *Json::Parse(Json(v).dump());
    ASSERT_EQ(back.kind(), Json::Kind::kDouble) << v;
    EXPECT_EQ(back.as_double(), v);
    EXPECT_EQ(std::signbit(back.as_double()), std::signbit(v));
  }
  for (int64_t v : {int64_t{0}, std::numeric_limits<int64_t>::max(),
                    std::numeric_limits<int64_t>::min()}) {
    EXPECT_EQ(Json::Parse(Json(v).dump())->as_int(), v);
  }
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(ErrorOf("9223372036854775808"),
            "byte 0: the integer does not fit into 64 bits");
  EXPECT_EQ(ErrorOf("[1e999]"), "byte 1: the number is too large");
  EXPECT_EQ(ErrorOf("1" + std::string(400, '0') + "e-1"),
            "byte 0: the number is too large");
  for (std::string_view text :
       {"1e-999", "0.00001e-400", "1e-99999999999999999999"}) {
    EXPECT_EQ(Json::Parse(text)->as_double(), 0) << text;
  }
  EXPECT_EQ(Json::Parse("0." + std::string(400, '0') + "1")->as_double(), 0);
}

TEST(Json, MistakesAreNamedByByte) {
  EXPECT_EQ(ErrorOf(""), "byte 0: got the end of the text; wanted a value");
  EXPECT_EQ(ErrorOf("[1,]"), "byte 3: got \"]\"; wanted a value");
  EXPECT_EQ(ErrorOf("[1 2]"), "byte 3: got \"2\"; wanted \",\" or \"]\"");
  EXPECT_EQ(ErrorOf("{\"a\" 1}"), "byte 5: got \"1\"; wanted \":\"");
  EXPECT_EQ(ErrorOf("{a: 1}"), "byte 1: got \"a\"; wanted a name in quotes");
  EXPECT_EQ(ErrorOf("{\"a\":1,\"a\":2}"),
            "byte 0: the object has two members \"a\"");
  EXPECT_EQ(ErrorOf("1 2"), "byte 2: got \"2\"; wanted the end of the text");
  EXPECT_EQ(ErrorOf("01"), "byte 0: a number begins with 0");
  EXPECT_EQ(ErrorOf("1."), "byte 2: got the end of the text; wanted a digit");
  EXPECT_EQ(ErrorOf("\"ab"), "byte 0: the string does not end");
  EXPECT_EQ(ErrorOf("\"a\nb\""), "byte 2: a control character in a string");
  EXPECT_EQ(ErrorOf("\"\\ud800x\""), "byte 1: half of a surrogate pair");
  EXPECT_EQ(ErrorOf("\"\xff\""), "byte 1: the bytes are no UTF-8");
  for (std::string_view text :
       {"nul", "+1", ".5", "NaN", "'a'", "\"\\x\"", "\"\\u12g4\"", "[", "{",
        "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "1e", "--1",
        "\"\\udc00\"", "/**/1"}) {
    EXPECT_NE(ErrorOf(text), "") << text;
  }
}

TEST(Json, DeepNestingIsRefusedNotRunInto) {
  EXPECT_EQ(ErrorOf(std::string(100, '[') + std::string(100, ']')), "");
  EXPECT_EQ(ErrorOf(std::string(101, '[')), "byte 100: nested deeper than 100");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_EQ(ErrorOf(objects), "byte 500: nested deeper than 100");
}

TEST(Json, TruncatedAnywhereIsAnError) {
  for (size_t n = 0; n < kExample.size(); ++n) {
    EXPECT_NE(ErrorOf(kExample.substr(0, n)), "") << n;
  }
}

// All accepted text can be written and parsed again.
TEST(Json, FlippedBitsAreReadOrRefused) {
  for (size_t bit = 0; bit < kExample.size() * 8; ++bit) {
    std::string text(kExample);
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ 1 << bit % 8);
    Result<Json> value = Json::Parse(text);
    if (!value.ok()) continue;
    EXPECT_EQ(*Json::Parse(value->dump()), *value) << text;
  }
}

TEST(Json, BuiltByHand) {
  Json j;
  j["b"] = 1;
  j["a"].push_back("x");
  j["b"] = 2.5;
  EXPECT_EQ(j.dump(), R"({"b":2.5,"a":["x"]})");
  EXPECT_EQ(j.find("c"), nullptr);
  EXPECT_EQ(Json("a\xff\"").dump(), "\"a\xef\xbf\xbd\\\"\"");
  EXPECT_THROW(j.at("c"), Error);
  EXPECT_THROW(j.at("b").as_int(), Error);
  EXPECT_THROW(j["b"]["c"], Error);
  EXPECT_THROW(j.push_back(1), Error);
  EXPECT_THROW(Json::array().at(size_t{0}), Error);
}

}  // namespace
}  // namespace sluice
