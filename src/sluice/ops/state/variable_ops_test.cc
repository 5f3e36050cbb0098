#include <thread>

#include "sluice/ops/state/state_ops_test_util.h"

namespace sluice {
namespace {

const Attrs kF32x2{{"dtype", DType::kF32}, {"shape", PartialShape({2})}};
const Attrs kReadF32{{"dtype", DType::kF32}};

using VariableOps = StateOps;

TEST_F(VariableOps, AssignReadUpdate) {
  Array w = Handle("Variable", kF32x2, "w");
  ExpectError(RunStatus("ReadVariable", {w}, kReadF32),
              Code::kFailedPrecondition,
              "[ReadVariable] variable \"w\" is not initialised; run its "
              "initialiser first");
  EXPECT_FALSE((*Run("IsInitialized", {w}))[0].data<bool>()[0]);
  ASSERT_TRUE(Run("Assign", {w, Array::Vector<float>({1, 2})}).ok());
  ASSERT_TRUE(Run("AssignAdd", {w, Array::Vector<float>({10, 10})}).ok());
  ASSERT_TRUE(Run("AssignSub", {w, Array::Vector<float>({1, 0})}).ok());
  EXPECT_TRUE((*Run("ReadVariable", {w}, kReadF32))[0].BitEquals(
      Array::Vector<float>({10, 12})));
  EXPECT_TRUE((*Run("IsInitialized", {w}))[0].data<bool>()[0]);
  EXPECT_EQ((*Run("VariableVersion", {w}))[0].data<int64_t>()[0], 3);
}

TEST_F(VariableOps, ReadSharesTheArray) {
  Array w = Handle("Variable", kF32x2, "w");
  Array value = Array::Vector<float>({1, 2});
  ASSERT_TRUE(Run("Assign", {w, value}).ok());
  EXPECT_EQ((*Run("ReadVariable", {w}, kReadF32))[0].raw(), value.raw());
}

TEST_F(VariableOps, WrongValues) {
  Array w = Handle("Variable", kF32x2, "w");
  ExpectError(RunStatus("Assign", {w, Array::Zeros(DType::kF32, {3})}),
              Code::kInvalidArgument,
              "[Assign] value is f32[3]; wanted f32[2] as variable \"w\"");
  ExpectError(RunStatus("AssignAdd", {w, Array::Zeros(DType::kF32, {2})}),
              Code::kFailedPrecondition, "[AssignAdd] variable \"w\" is not");
  ExpectError(RunStatus("AssignAdd", {w, Array::Scalar(std::string("x"))}),
              Code::kInvalidArgument, "[AssignAdd] value is string");
}

TEST_F(VariableOps, WrongHandles) {
  Array w = Handle("Variable", kF32x2, "w");
  Array m = Handle("Mutex", {}, "m");
  ExpectError(RunStatus("ReadVariable", {m}, kReadF32), Code::kInvalidArgument,
              "[ReadVariable] handle is a mutex; wanted a variable");
  ExpectError(RunStatus("Enqueue", {w, Array::Scalar(1.0f)}),
              Code::kInvalidArgument,
              "[Enqueue] handle is a variable f32[2]; wanted a queue");
  ExpectError(RunStatus("AccumulatorCount", {w}), Code::kInvalidArgument,
              "wanted an accumulator");
  Array empty = *Array::Make(DType::kResource, {});
  ExpectError(RunStatus("ReadVariable", {empty}, kReadF32),
              Code::kInvalidArgument,
              "[ReadVariable] handle is empty; wanted a variable");
  Array none = *Array::Make(DType::kResource, {0});
  ExpectError(RunStatus("ReadVariable", {none}, kReadF32),
              Code::kInvalidArgument, "handle is resource[0]");
}

TEST_F(VariableOps, NamesAndContainers) {
  Array a = Handle("Variable", kF32x2, "w"),
        b = Handle("Variable", kF32x2, "w");
  EXPECT_EQ(a.handle(), b.handle());
  Attrs shared = kF32x2;
  shared.set("shared_name", "w");
  EXPECT_EQ(Handle("Variable", shared, "other").handle(), a.handle());
  Attrs elsewhere = shared;
  elsewhere.set("container", "c");
  EXPECT_FALSE(Handle("Variable", elsewhere, "w").handle() == a.handle());
  EXPECT_EQ(resources_.Names("c"), (std::vector<std::string>{"w"}));

  Attrs longer{{"dtype", DType::kF32}, {"shape", PartialShape({3})}};
  ExpectError(RunStatus("Variable", {}, longer, "w"), Code::kInvalidArgument,
              "[Variable] \"w\" is there already as a variable f32[2]; wanted "
              "a variable f32[3]");
  ExpectError(RunStatus("Mutex", {}, {}, "w"), Code::kInvalidArgument,
              "[Mutex] \"w\" is there already as a variable f32[2]; wanted a "
              "mutex");
  ExpectError(RunStatus("Variable", {}, kF32x2, ""), Code::kInvalidArgument,
              "[Variable] has no name");
  step_.resources = nullptr;
  ExpectError(RunStatus("Variable", {}, kF32x2, "w"), Code::kFailedPrecondition,
              "[Variable] no resources are kept");
}

TEST_F(VariableOps, AHandleOutlivesItsContainer) {
  Array w = Handle("Variable", kF32x2, "w");
  ASSERT_TRUE(Run("Assign", {w, Array::Vector<float>({1, 2})}).ok());
  resources_.Reset("");
  EXPECT_TRUE(Run("ReadVariable", {w}, kReadF32).ok());
  Array fresh = Handle("Variable", kF32x2, "w");
  EXPECT_FALSE(Run("ReadVariable", {fresh}, kReadF32).ok());
}

TEST_F(VariableOps, ClaimsMustBeTrue) {
  Array w = Handle("Variable", kF32x2, "w");
  ASSERT_TRUE(Run("Assign", {w, Array::Vector<float>({1, 2})}).ok());
  ExpectError(RunStatus("ReadVariable", {w}, {{"dtype", DType::kF64}}),
              Code::kInvalidArgument,
              "[ReadVariable] the attributes say f64[...]; wanted f32[2] as "
              "variable \"w\"");
  ExpectError(RunStatus("ReadVariable", {w},
                        {{"dtype", DType::kF32}, {"shape", PartialShape({3})}}),
              Code::kInvalidArgument,
              "the attributes say f32[3]; wanted f32[2]");
  EXPECT_TRUE(Run("ReadVariable", {w}, kF32x2).ok());
}

TEST_F(VariableOps, Shapes) {
  EXPECT_EQ(ShapeOf("Variable", {}, {}, kF32x2), "[]");
  EXPECT_EQ(ShapeOf("ReadVariable", {DType::kResource}, {{}}, kF32x2), "[2]");
  EXPECT_EQ(ShapeOf("ReadVariable", {DType::kResource}, {{}}, kReadF32),
            "[...]");
}

// Steps share nothing but the handle.
TEST_F(VariableOps, ConcurrentStepsLoseNothing) {
  constexpr int kThreads = 4, kSteps = 500;
  Array w = Handle("Variable", {{"dtype", DType::kI64}}, "w");
  ASSERT_TRUE(Run("Assign", {w, Array::Scalar<int64_t>(0)}).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kSteps; ++i) {
        Cancellation cancellation;
        StepContext step;
        step.resources = &resources_;
        step.cancellation = &cancellation;
        Array in[] = {w, Array::Scalar<int64_t>(1)};
        EXPECT_TRUE(RunOp(Op("AssignAdd"), {}, in, &step).ok());
      }
    });
  }
  for (auto& t : threads) t.join();
  Attrs read{{"dtype", DType::kI64}};
  EXPECT_EQ((*Run("ReadVariable", {w}, read))[0].data<int64_t>()[0],
            kThreads * kSteps);
}

}  // namespace
}  // namespace sluice
