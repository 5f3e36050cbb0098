#include <gtest/gtest.h>

#include "sluice/sluice.h"

namespace sluice::front_internal {
namespace {

BodyResult Scaled(const Tensor& x, float by) {
  return {{x * by}, std::make_shared<const float>(by)};
}

FunctionVariant By(float by) {
  FunctionVariant variant;
  variant.body = [by](const std::vector<Tensor>& args) {
    return Scaled(args[0], by);
  };
  variant.names = {"x"};
  variant.fixed = by == 2 ? "by=2" : "by=3";
  variant.why = "argument by is another";
  return variant;
}

float NoteOf(const BodyResult& result) {
  return *static_cast<const float*>(result.note.get());
}

TEST(FunctionVariant, EachIsRecordedByItselfAndSaysWhatItNoted) {
  FunctionCore core(FunctionOptions{"f"});
  auto twice = core.Add(By(2)), thrice = core.Add(By(3));
  auto here = std::source_location::current();
  for (int i = 0; i < 2; ++i) {
    BodyResult a = core.Call(twice, {ones({2})}, here);
    BodyResult b = core.Call(thrice, {ones({2})}, here);
    EXPECT_EQ(a.tensors[0].to_vector<float>(), std::vector<float>({2, 2}));
    EXPECT_EQ(b.tensors[0].to_vector<float>(), std::vector<float>({3, 3}));
    EXPECT_EQ(NoteOf(a), 2);
    EXPECT_EQ(NoteOf(b), 3);
  }
  std::vector<TraceInfo> traces = core.traces();
  ASSERT_EQ(traces.size(), 2u);
  core.Call(thrice, {ones({2, 2})}, here);
  core.Drop(twice);
  traces = core.traces();
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0].signature, "x: f32[?], by=3");
  EXPECT_EQ(traces[0].why, "argument by is another");
  EXPECT_EQ(traces[1].why, "argument x is f32[?,?]; the last trace has f32[?]");
}

TEST(FunctionVariant, AGraphKeptOutlivesARecordingThatFails) {
  std::shared_ptr<Graph> kept;
  Tensor leaked, inner;
  FunctionCore core(FunctionOptions{"f"});
  FunctionVariant failing;
  failing.opened = [&](const std::shared_ptr<Graph>& graph) { kept = graph; };
  failing.body = [&](const std::vector<Tensor>& args) -> BodyResult {
    leaked = args[0] + 1;
    return {{cond(
        sum(args[0]) > 0,
        [&] {
          inner = leaked * 2;
          throw Error(InvalidArgument("no"));
          return inner;
        },
        [&] { return leaked; })}};
  };
  auto variant = core.Add(failing);
  EXPECT_THROW(core.Call(variant, {ones({2})}, std::source_location::current()),
               Error);
  EXPECT_TRUE(core.traces().empty());
  EXPECT_EQ(leaked.dtype(), DType::kF32);
  // The branch was discarded; holders of its tensors may still ask for types.
  EXPECT_EQ(inner.dtype(), DType::kF32);
  EXPECT_EQ(inner.ToString().find("f32"), 0u) << inner.ToString();
  EXPECT_THROW(inner + leaked, Error);
}

}  // namespace
}  // namespace sluice::front_internal
