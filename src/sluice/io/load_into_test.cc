#include "sluice/io/load_into.h"

#include "sluice/front/front_test_util.h"

namespace sluice::io {
namespace {

StateDict File() {
  return {{"module.fc1.weight", full({2, 3}, 1.0f)},
          {"module.fc1.bias", full({2}, 2.0f)},
          {"old_head", full({4}, 3.0f)}};
}

TEST(LoadInto, CopiesIntoTheTensorsThatAreThere) {
  Tensor w = zeros({2, 3}).clone().requires_grad_();
  Tensor b = zeros({2}).clone(), view = b;
  Tensor head = zeros({4}).clone();
  StateDict targets = {{"fc1.weight", w}, {"fc1.bias", b}, {"head", head}};
  KeyReport report = load_into(
      targets, File(),
      {.rename = {{"old_head", "head"}}, .prefixes = {{"module.", ""}}});
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.fitting, 3u);
  EXPECT_EQ(report.table(), "all tensors fit");
  EXPECT_EQ(w.to_vector<float>(), std::vector<float>(6, 1));
  EXPECT_TRUE(w.is_leaf());
  EXPECT_TRUE(w.requires_grad());
  EXPECT_EQ(view.to_vector<float>(), std::vector<float>(2, 2));
  EXPECT_EQ(head.to_vector<float>(), std::vector<float>(4, 3));
}

TEST(LoadInto, ATableOfWhatDoesNotFit) {
  Tensor w = zeros({2, 3}).clone(), b = zeros({3}).clone();
  StateDict targets = {
      {"fc1.weight", w}, {"fc1.bias", b}, {"scale", zeros({}, f64).clone()}};
  LoadOptions options{.prefixes = {{"module.", ""}}};
  std::string wanted =
      "3 of 4 tensors do not fit: 1 missing, 1 extra, 1 mismatched\n"
      "  name      problem     got     wanted\n"
      "  scale     missing     -       f64[]\n"
      "  old_head  extra       f32[4]  -\n"
      "  fc1.bias  mismatched  f32[2]  f32[3]";
  EXPECT_EQ(ErrorOf([&] { load_into(targets, File(), options); }), wanted);
  EXPECT_EQ(w.to_vector<float>(), std::vector<float>(6, 0)) << "nothing copied";
  options.strict = false;
  KeyReport report = load_into(targets, File(), options);
  EXPECT_EQ(report.table(), wanted);
  EXPECT_EQ(report.fitting, 1u);
  EXPECT_EQ(w.to_vector<float>(), std::vector<float>(6, 1));
  EXPECT_EQ(b.to_vector<float>(), std::vector<float>(3, 0));
}

TEST(LoadInto, LongTablesAreCut) {
  StateDict many;
  for (int i = 0; i < 100; ++i) many.set("t" + std::to_string(i), zeros({1}));
  Contains(compare_keys(many, {}).table(), "\n  ... and 40 more");
}

TEST(LoadInto, Mistakes) {
  Contains(ErrorOf([] {
             renamed(File(), {.rename = {{"old_head", "module.fc1.bias"}}});
           }),
           "two tensors would have the name \"module.fc1.bias\"");
  Contains(ErrorOf([] {
             load_into({{"a", Tensor()}}, {{"a", Tensor()}}, {.strict = false});
           }),
           "holds nothing");
  StateDict named = renamed({{"a", zeros({1})}}, {.prefixes = {{"", "net."}}});
  EXPECT_TRUE(named.contains("net.a"));
}

}  // namespace
}  // namespace sluice::io
