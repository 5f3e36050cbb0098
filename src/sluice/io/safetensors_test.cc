#include "sluice/io/safetensors.h"

#include <cstring>

#include "sluice/base/file.h"
#include "sluice/base/temp_folder_test_util.h"
#include "sluice/formats/safetensors.h"
#include "sluice/front/front_test_util.h"
#include "sluice/io/json.h"

namespace sluice::io {
namespace {

Tensor Of(Array array) { return constant(std::move(array)); }

// One of every type the format has, in an order that wants moving about.
StateDict EveryType() {
  StateDict s;
  s.set("u8", Of(Array::Vector<uint8_t>({1, 2, 255})));
  s.set("f32", Of(Array::Of<float>({2, 2}, {1, -0.0f, 1e-40f, 3})));
  s.set("bool", Of(Array::Vector<bool>({true, false, true})));
  s.set("f64", Of(Array::Scalar<double>(0.1)));
  s.set("f16", Of(Array::Vector<f16>({f16(1.5f)})));
  s.set("bf16", Of(Array::Vector<bf16>({bf16(-2.0f), bf16(3.0f)})));
  s.set("i8", Of(Array::Vector<int8_t>({-1})));
  s.set("i16", Of(Array::Vector<int16_t>({-300, 300})));
  s.set("i32", Of(Array::Vector<int32_t>({1 << 30})));
  s.set("i64", Of(Array::Vector<int64_t>({int64_t{1} << 60})));
  s.set("u16", Of(Array::Vector<uint16_t>({65535})));
  s.set("u32", Of(Array::Vector<uint32_t>({4000000000u})));
  s.set("u64", Of(Array::Vector<uint64_t>({~uint64_t{0}})));
  s.set("c64", Of(Array::Vector<complex64>({{1, 2}})));
  s.set("empty", Of(Array::Zeros(DType::kF32, {0, 3})));
  s.set("näme/\"x\"\n", Of(Array::Scalar<float>(7)));
  return s;
}

void ExpectSame(const StateDict& got, const StateDict& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  auto w = wanted.begin();
  for (const auto& [name, tensor] : got) {
    EXPECT_EQ(name, w->first);
    EXPECT_TRUE(tensor.array().BitEquals(w->second.array())) << name;
    ++w;
  }
}

TEST(Safetensors, EveryTypeThereAndBack) {
  TempFolder folder;
  std::string path = folder / "all.safetensors";
  StateDict state = EveryType();
  save_safetensors(path, state, {{"format", "pt"}, {"note", "ä"}});
  ExpectSame(load_safetensors(path), state);
  SafetensorsReader reader(path);
  EXPECT_EQ(reader.metadata(), (Metadata{{"format", "pt"}, {"note", "ä"}}));
  ASSERT_EQ(reader.tensors().size(), state.size());
  EXPECT_EQ(reader.tensors()[1].name, "f32");
  EXPECT_EQ(reader.tensors()[1].type, "F32");
  EXPECT_EQ(reader.tensors()[1].dtype, f32);
  EXPECT_EQ(reader.tensors()[1].shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(reader.tensors()[1].bytes, 16);
  EXPECT_EQ(reader.read("u16").to_vector<uint16_t>()[0], 65535);
  EXPECT_TRUE(reader.contains("i8"));
  EXPECT_FALSE(reader.contains("i9"));
}

TEST(Safetensors, LaidOutAsTheFormatSays) {
  TempFolder folder;
  std::string path = folder / "x";
  save_safetensors(path, {{"a", Of(Array::Vector<uint8_t>({7, 8, 9}))},
                          {"b", Of(Array::Vector<float>({1.0f}))}});
  std::string bytes = *ReadFileBytes(path);
  uint64_t length;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  std::string header = bytes.substr(8, length);
  header.resize(header.find_last_not_of(' ') + 1);
  EXPECT_EQ(header, R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[4,7]},)"
                    R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})");
  EXPECT_EQ(bytes.substr(8 + length), std::string("\0\0\x80\x3f\7\x8\x9", 7));
}

TEST(Safetensors, ViewsAreWrittenAsTheyLook) {
  TempFolder folder;
  Tensor x = constant(Array::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  Tensor t = transpose(x);
  save_safetensors(folder / "v", {{"t", t}});
  EXPECT_EQ(load_safetensors(folder / "v").at("t").to_vector<float>(),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(Safetensors, WhatCannotBeSavedIsNamed) {
  TempFolder folder;
  std::string path = folder / "x";
  save_safetensors(path, {{"a", constant(1.0f)}});
  auto save = [&](StateDict state) {
    return ErrorOf([&] { save_safetensors(path, state); });
  };
  Contains(save({{"s", constant("text")}}), "tensor \"s\" is string[]");
  Contains(save({{"s", Tensor()}}), "tensor \"s\" holds nothing");
  Contains(save({{"__metadata__", constant(1.0f)}}), "__metadata__");
  Contains(save({{"a\xff", constant(1.0f)}}), "wanted UTF-8");
  Contains(ErrorOf([&] { save_safetensors(path, {}, {{"a", "\xff"}}); }),
           "metadata \"a\"");
  Contains(ErrorOf([&] { save_safetensors(folder / "no/x", {}); }),
           "No such file");
  // All that left the file alone, and nothing beside it.
  EXPECT_EQ(load_safetensors(path).at("a").item<float>(), 1.0f);
  EXPECT_EQ(NamesIn(folder.path())->size(), 1u);
  Contains(ErrorOf([&] { SafetensorsReader(path).read("b.a"); }),
           "has no tensor \"b.a\" among its 1; there is a");
}

class Hostile : public testing::Test {
 protected:
  // A file with this header and so many bytes behind it.
  std::string Load(std::string header, size_t data) {
    uint64_t length = header.size();
    std::string bytes(reinterpret_cast<const char*>(&length), 8);
    return LoadBytes(bytes + header + std::string(data, '\1'));
  }
  std::string LoadBytes(const std::string& bytes) {
    // A fresh file each time: some systems sync one that is written over.
    std::string path = folder_ / "x";
    unlink(path.c_str());
    EXPECT_TRUE(WriteFileBytes(path, bytes, false).ok());
    return ErrorOf([&] { load_safetensors(path); });
  }
  TempFolder folder_;
};

std::string Entry(std::string_view shape, std::string_view offsets,
                  std::string_view type = "F32") {
  return std::string("{\"a\":{\"dtype\":\"") + std::string(type) +
         "\",\"shape\":" + std::string(shape) +
         ",\"data_offsets\":" + std::string(offsets) + "}}";
}

TEST_F(Hostile, HeadersThatLie) {
  EXPECT_EQ(Load(Entry("[1]", "[0,4]"), 4), "");
  Contains(Load(Entry("[2]", "[0,4]"), 4), "f32[2] does not take 4 bytes");
  Contains(Load(Entry("[1]", "[0,4]"), 3), "there are 3");
  Contains(Load(Entry("[1]", "[0,4]"), 5), "bytes; wanted");
  Contains(Load(Entry("[1]", "[4,8]"), 8), "where the one before it ends");
  Contains(Load(Entry("[1]", "[4,0]"), 4), "no places");
  Contains(Load(Entry("[-1]", "[0,4]"), 4), "a size is no size");
  Contains(Load(Entry("[1.0]", "[0,4]"), 4), "a size is no size");
  Contains(Load(Entry("[4294967296,4294967296,4]", "[0,4]"), 4),
           "does not take 4 bytes");
  Contains(Load(Entry("[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4), "tensor \"a\"");
  Contains(Load(Entry("[4]", "[0,4]", "BOOL"), 4), "");
  Contains(Load(Entry("[1]", "[0,4]", "F8_E4M3"), 4),
           "is of type F8_E4M3, which is unknown");
  Contains(Load("[]", 0), "no object");
  Contains(Load("{\"a\":1}", 0), "wanted dtype");
  Contains(Load("{\"a\":", 0), "byte 5");
  Contains(Load("{\"__metadata__\":{\"a\":1}}", 0), "metadata");
  Contains(Load(std::string(200, '['), 0), "nested deeper");
  // Two tensors over the same elements.
  std::string twice = Entry("[1]", "[0,4]");
  twice.back() = ',';
  twice += "\"b\"" + twice.substr(4);
  twice.back() = '}';
  Contains(Load(twice, 4), "where the one before it ends");
}

TEST_F(Hostile, TruthThatIsNeither) {
  std::string bytes(8, '\0');
  std::string header = Entry("[1]", "[0,1]", "BOOL");
  bytes[0] = static_cast<char>(header.size());
  Contains(LoadBytes(bytes + header + "\2"), "a truth value that is 2");
}

TEST_F(Hostile, TruncatedAnywhere) {
  save_safetensors(folder_ / "good", EveryType());
  std::string bytes = *ReadFileBytes(folder_ / "good");
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_NE(LoadBytes(bytes.substr(0, n)), "") << n;
  }
  Contains(LoadBytes(bytes + "x"), "bytes; wanted");
}

// Read or refused, and never a crash; a header has no checksum of its own.
TEST_F(Hostile, FlippedBits) {
  save_safetensors(folder_ / "good",
                   {{"a", constant(1.0f)}, {"b", constant({1, 2})}});
  std::string bytes = *ReadFileBytes(folder_ / "good");
  int refused = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string bad = bytes;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    refused += LoadBytes(bad).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
}

TEST(Sharded, SavedAndLoaded) {
  TempFolder folder;
  std::string index = folder / "model.safetensors.index.json";
  StateDict state = EveryType();
  save_sharded_safetensors(index, state, 16);
  EXPECT_GT(NamesIn(folder.path())->size(), 4u);
  EXPECT_TRUE(NamesIn(folder.path())->front().starts_with("model-00001-of-0"));
  ExpectSame(load_safetensors(index), state);
  EXPECT_EQ(SafetensorsReader(index).read("i8").item<int8_t>(), -1);
  Contains(ErrorOf([&] { SafetensorsReader(index).read("x"); }),
           "has no tensor \"x\"");
  Contains(ErrorOf([&] { save_sharded_safetensors(folder / "x", {}, 1); }),
           "ends in .safetensors.index.json");
}

TEST(Sharded, AnIndexReachesOnlyFilesBesideIt) {
  TempFolder folder;
  std::string index = folder / "m.index.json";
  auto load = [&](const std::string& text) {
    EXPECT_TRUE(WriteFileBytes(index, text, false).ok());
    return ErrorOf([&] { load_safetensors(index); });
  };
  for (const char* name : {"../x", "/etc/passwd", "", ".", "a/b"}) {
    Json j;
    j["weight_map"]["a"] = name;
    Contains(load(j.dump()), "wanted the name of a file beside it");
  }
  Contains(load("{}"), "wanted an object weight_map");
  Contains(load("{"), "is no JSON: byte 1");
  Contains(load(R"({"weight_map":{"a":"b.safetensors"}})"), "No such file");
  save_safetensors(folder / "b.safetensors", {{"c", constant(1.0f)}});
  Contains(load(R"({"weight_map":{"a":"b.safetensors"}})"),
           "tensor \"a\" is not in \"b.safetensors\"");
}

TEST(JsonFiles, WrittenAndRead) {
  TempFolder folder;
  Json j = Json::object({{"a", 1}});
  write_json(folder / "j", j);
  EXPECT_EQ(read_json(folder / "j"), j);
  Contains(ErrorOf([&] { parse_json("[1"); }), "this is no JSON: byte 2");
  Contains(ErrorOf([&] { read_json(folder / "k"); }), "No such file");
}

}  // namespace
}  // namespace sluice::io
