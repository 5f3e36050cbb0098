// Graphs whose frames make no sense are refused, with nodes and lines.
#include "sluice/plan/frames.h"

#include <gtest/gtest.h>

#include "sluice/step/raw_graph_test_util.h"

namespace sluice {
namespace {

void ExpectRefused(RawGraph& g, std::vector<Value> fetches,
                   const std::vector<std::string>& parts) {
  RawRun run = RunRaw(g.Take(std::move(fetches)), {});
  ASSERT_FALSE(run.status.ok());
  for (const std::string& part : parts) {
    EXPECT_NE(run.status.message().find(part), std::string::npos)
        << "no \"" << part << "\" in: " << run.status.message();
  }
}

TEST(Frames, InputsFromDifferentFrames) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value sum = g("Add", {g.Enter(x, "one"), g.Enter(x, "two")});
  ExpectRefused(g, {g("Exit", {sum})},
                {"has inputs from different frames", "\"one\"", "\"two\"",
                 "raw.cc:1", "raw.cc:2", "raw.cc:3"});
}

TEST(Frames, InsideMeetsOutside) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value y = g("Neg", {x});
  Value sum = g("Add", {g.Enter(x, "one"), y});
  ExpectRefused(g, {g("Exit", {sum})},
                {"has inputs from different frames", "outside of loops"});
}

TEST(Frames, EnteredFromTwoPlaces) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value a = g.Enter(x, "inner");
  Value b = g.Enter(g.Enter(x, "outer"), "inner");
  ExpectRefused(
      g, {g("Exit", {g("Add", {a, b})})},
      {"enter frame \"inner\" from different frames", "raw.cc:1", "raw.cc:3"});
}

TEST(Frames, TwoLoopConds) {
  RawGraph g;
  Value x = g.Arg("x", DType::kBool);
  Value e = g.Enter(x, "f");
  Value c1 = g("LoopCond", {e}), c2 = g("LoopCond", {e});
  ExpectRefused(
      g, {g("Exit", {c1}), g("Exit", {c2})},
      {"[LoopCond]", "wanted one in each loop", "raw.cc:2", "raw.cc:3"});
}

TEST(Frames, ExitAndNextIterationOutsideOfFrames) {
  {
    RawGraph g;
    Value x = g.Arg("x", DType::kI64);
    ExpectRefused(g, {g("Exit", {x})},
                  {"[Exit]", "is in no frame", "raw.cc:1"});
  }
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  ExpectRefused(g, {g("NextIteration", {x})},
                {"[NextIteration]", "is in no frame"});
}

TEST(Frames, NextIterationMustLeadToAMerge) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value next = g("NextIteration", {g.Enter(x, "f")});
  ExpectRefused(g, {g("Exit", {g("Neg", {next})})},
                {"[NextIteration]", "wanted a Merge", "raw.cc:2", "raw.cc:3"});
}

TEST(Frames, ACycleNeedsANextIteration) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value m = g("Merge", {x, x});
  Value y = g("Neg", {m});
  g.graph().SetInput(*m.node, 1, y);
  ExpectRefused(g, {y}, {"cycle"});
}

TEST(Frames, AFetchInsideALoopIsRefused) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value y = g("Neg", {g.Enter(x, "f")});
  ExpectRefused(g, {y}, {"is in frame \"f\"", "wanted a value that has left"});
}

}  // namespace
}  // namespace sluice
