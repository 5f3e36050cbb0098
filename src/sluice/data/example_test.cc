// tf.train.Example, from bytes and from TFRecord files.
#include "sluice/data/example.h"

#include "sluice/data/data_test_util.h"
#include "sluice/formats/protobuf_reader.h"

namespace sluice::data {
namespace {

// Written by hand from the definition of tf.train.Example: a feature "a" with
// the numbers 1 and 300, not packed, and "f" with 0.5, packed.
const std::string kExample(
    "\x0a\x1d"
    "\x0a\x0c\x0a\x01"
    "a"
    "\x12\x07\x1a\x05\x08\x01\x08\xac\x02"
    "\x0a\x0d\x0a\x01"
    "f"
    "\x12\x08\x12\x06\x0a\x04\0\0\0\x3f",
    31);

TEST(Example, PackedOrNot) {
  auto tensors = parse_example(kExample, {{"f", f32}, {"a", i64, {2}}});
  EXPECT_EQ(tensors[0].item<float>(), 0.5f);
  EXPECT_EQ(tensors[1].to_vector<int64_t>(), (std::vector<int64_t>{1, 300}));
}

std::vector<Feature> Wanted() {
  return {{"image", f32, {2, any}},
          {"label", i64},
          {"name", string, {any}},
          {"weight", f32, {}, 1.0}};
}

std::string OurExample() {
  return make_example({{"label", constant(-5, i64)},
                       {"name", constant({"x", ""})},
                       {"image", constant({1.f, 2.f, 3.f, 4.f})},
                       {"other", constant({7}, i64)}});
}

TEST(Example, ComesBackFromAFile) {
  TempFile file("e.tfrecord");
  TFRecordWriter writer(file.path());
  for (int i = 0; i < 10; ++i) writer.write(OurExample());
  writer.close();
  auto data = examples<4>(file.path(), Wanted(), {.threads = 3}).batch(10);
  auto all = data.iterator().next();
  auto& [image, label, name, weight] = *all;
  EXPECT_EQ(image.shape(), (PartialShape{10, 2, 2}));
  EXPECT_EQ(label.to_vector<int64_t>()[9], -5);
  EXPECT_EQ(name.to_vector<std::string>()[0], "x");
  EXPECT_EQ(weight.to_vector<float>()[0], 1);
}

TEST(Example, MistakesNameTheFeature) {
  auto error = [](Feature feature) {
    return ErrorOf([&] { parse_example(OurExample(), {feature}); });
  };
  Contains(error({"label", f32}), "feature \"label\" holds i64; wanted f32");
  Contains(error({"image", f32, {3}}),
           "feature \"image\" has 4 values; wanted f32[3]");
  Contains(error({"image", f32, {3, any}}), "has 4 values; wanted f32[3,?]");
  Contains(error({"nothing"}), "feature \"nothing\" is not in the Example");
  Contains(error({"image", f32, {any, any}}), "one size unknown at most");
  Contains(error({"image", f64}), "is f64; wanted f32, i64 or string");
  Contains(error({"label", i64, {}, 0.5}), "is 0.5 where it is missing");
  TempFile file("bad.tfrecord");
  TFRecordWriter writer(file.path());
  writer.write(OurExample());
  writer.write("\x0a\x7f");
  writer.close();
  auto pass = examples<1>(file.path(), {{"label", i64}}).iterator();
  EXPECT_TRUE(pass.next());
  Contains(ErrorOf([&] { pass.next(); }),
           "[map example] element 1: protobuf data at byte 2: a field of 127 "
           "bytes, of which 0 are there");
  Contains(ErrorOf([&] { examples<2>(file.path(), {{"label", i64}}); }),
           "1 features for 2 components");
}

TEST(Example, AnyBytesGiveAResultOrAnError) {
  for (const std::string& good : {kExample, OurExample()}) {
    Torture(good, [](const std::string& bytes) {
      ErrorOf([&] { parse_example(bytes, Wanted()); });
      ErrorOf([&] { parse_example(bytes, {{"a", i64, {any}}, {"f", f32}}); });
    });
  }
  EXPECT_FALSE(
      WireReader("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02").Next().ok());
}

}  // namespace
}  // namespace sluice::data
