// Imperative calls in the scope of a task of a cluster of real processes.
#include <gtest/gtest.h>

#include "sluice/cluster/cluster_test_util.h"
#include "sluice/cluster/connect.h"
#include "sluice/eager/call.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/manual_seed.h"
#include "sluice/eager/operators.h"
#include "sluice/eager/scope.h"
#include "sluice/front/function.h"

namespace sluice::cluster {
namespace {

using Floats = std::vector<float>;

constexpr const char* kTask = "/job:worker/task:1";

std::string ErrorOf(const std::function<void()>& statement) {
  try {
    statement();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Tensor Call(const char* op, const std::vector<Operand>& operands,
            const Attrs& attrs = {},
            std::source_location where = std::source_location::current()) {
  return front_internal::CallOne(op, operands, attrs, {}, where);
}

class CallsOverTasks : public testing::Test {
 protected:
  void SetUp() override {
    cluster_ = StartCluster(2);
    ASSERT_TRUE(cluster_);
    connection_ = ValueOrThrow(Connect(cluster_->target()));
  }
  int64_t Runs(int task) { return GaugeOf(*cluster_, task, "runs_total"); }

  std::unique_ptr<LocalCluster> cluster_;
  std::unique_ptr<ClusterConnection> connection_;
};

TEST_F(CallsOverTasks, AreComputedThereAndGiveWhatThisProcessGives) {
  Tensor x = constant({0.3f, 1.f, -2.f});
  Floats want = (Call("Sin", {x}) * x + 1).to_vector<float>();
  EXPECT_EQ(Runs(1), 0);
  {
    DeviceScope there(kTask);
    Tensor y = Call("Sin", {x}) * x + 1;
    EXPECT_EQ(y.to_vector<float>(), want);
    EXPECT_EQ(Runs(1), 3);
    // A call with another size is of the same kind.
    EXPECT_EQ((constant({1.f, 2.f}) + 1).to_vector<float>(), (Floats{2, 3}));
    {
      DeviceScope here("/device:cpu:0");
      EXPECT_EQ((x * x).to_vector<float>()[1], 1);
    }
    EXPECT_EQ(Runs(1), 4);
  }
  EXPECT_EQ((x + 1).to_vector<float>()[1], 2);
  EXPECT_EQ(Runs(1), 4);
  // The other task was not involved.
  EXPECT_EQ(Runs(0), 0);
}

TEST_F(CallsOverTasks, HaveGradients) {
  auto gradient = [](bool there) {
    Tensor x = constant({0.5f, 2.f});
    x.requires_grad_();
    std::optional<DeviceScope> scope;
    if (there) scope.emplace(kTask);
    Tensor y = Call("Sin", {x}) * x;
    y.backward(constant({1.f, 1.f}), {});
    return x.grad().to_vector<float>();
  };
  Floats want = gradient(false);
  EXPECT_EQ(gradient(true), want);
  EXPECT_GT(Runs(1), 2);
}

TEST_F(CallsOverTasks, DrawTheSameNumbers) {
  auto draw = [](bool there) {
    manual_seed(7);
    std::optional<DeviceScope> scope;
    if (there) scope.emplace(kTask);
    Floats all;
    for (int i = 0; i < 3; ++i) {
      Tensor x = Call("RandomUniform", {}, {{"shape", Shape({3})}});
      for (float v : x.to_vector<float>()) all.push_back(v);
    }
    return all;
  };
  Floats want = draw(false);
  EXPECT_EQ(draw(true), want);
}

TEST_F(CallsOverTasks, WriteTensorsOfThisProcess) {
  Tensor x = constant({1.f, 2.f});
  Tensor part = x[{slice(1, 2)}];
  DeviceScope there(kTask);
  x.add_(constant({1.f, 1.f}));
  EXPECT_EQ(x.to_vector<float>(), (Floats{2, 3}));
  EXPECT_EQ(part.to_vector<float>(), (Floats{3}));
  // The same for a view made in the scope.
  x[{slice(0, 1)}].add_(constant({5.f}));
  EXPECT_EQ(x.to_vector<float>(), (Floats{7, 3}));
}

TEST_F(CallsOverTasks, AFunctionCalledInTheScopeIsOneStepThere) {
  auto f = function([](Tensor x) { return Call("Sin", {x}) * x + 1; });
  Tensor x = constant({0.3f, 1.f});
  Floats want = f(x).to_vector<float>();
  EXPECT_EQ(Runs(1), 0);
  DeviceScope there(kTask);
  EXPECT_EQ(f(x).to_vector<float>(), want);
  EXPECT_EQ(f(x).to_vector<float>(), want);
  EXPECT_EQ(Runs(1), 2);
  EXPECT_EQ(f.traces().size(), 2u);
}

TEST_F(CallsOverTasks, ErrorsNameTheTaskAndTheLine) {
  DeviceScope there(kTask);
  std::string error =
      ErrorOf([] { Call("Gather", {Operand({1.f, 2.f}), constant({7, 0})}); });
  EXPECT_NE(error.find(kTask), std::string::npos) << error;
  EXPECT_NE(error.find("calls_over_tasks_test.cc"), std::string::npos) << error;
}

TEST_F(CallsOverTasks, AScopeOfATaskThatIsNotThereIsAnError) {
  {
    DeviceScope nowhere("/job:worker/task:7");
    std::string error = ErrorOf([] { (void)(constant({1.f}) + 1); });
    EXPECT_NE(error.find("there is no task /job:worker/task:7"),
              std::string::npos)
        << error;
  }
  connection_ = nullptr;
  std::string error = ErrorOf([] { DeviceScope there(kTask); });
  EXPECT_NE(error.find("no cluster is connected"), std::string::npos) << error;
}

TEST_F(CallsOverTasks, AKilledTaskIsNamedAndItsSuccessorServesTheNextCall) {
  DeviceScope there(kTask);
  Tensor x = constant({1.f, 2.f});
  EXPECT_EQ((x + 1).to_vector<float>(), (Floats{2, 3}));
  cluster_->Kill(1);
  std::string error = ErrorOf([&] { (void)(x + 1); });
  EXPECT_NE(error.find(kTask), std::string::npos) << error;
  ThrowIfError(cluster_->Restart(1));
  EXPECT_EQ((x + 1).to_vector<float>(), (Floats{2, 3}));
}

}  // namespace
}  // namespace sluice::cluster
