// Captured functions that name tasks of a cluster of real processes.
#include <gtest/gtest.h>

#include "sluice/cluster/cluster_test_util.h"
#include "sluice/cluster/connect.h"
#include "sluice/eager/call.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/manual_seed.h"
#include "sluice/eager/operators.h"
#include "sluice/eager/scope.h"
#include "sluice/front/autograd.h"
#include "sluice/front/function.h"
#include "sluice/front/queue.h"
#include "sluice/front/variable.h"

namespace sluice::cluster {
namespace {

using Floats = std::vector<float>;

std::string ErrorOf(const std::function<void()>& statement) {
  try {
    statement();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Tensor Sin(const Tensor& x) {
  Operand operands[] = {x};
  return front_internal::CallOne("Sin", operands, {}, {},
                                 std::source_location::current());
}

// On two tasks, or without a task.
Tensor Compute(const Tensor& x, bool on_tasks) {
  std::optional<DeviceScope> there;
  if (on_tasks) there.emplace("/job:worker/task:0");
  Tensor y = Sin(x) * 3;
  there.reset();
  if (on_tasks) there.emplace("/job:worker/task:1");
  return y * x + 1;
}

class FunctionOverTasks : public testing::Test {
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

TEST_F(FunctionOverTasks, IsOneStepAndGivesWhatOneProcessGives) {
  {
    auto f = function([](Tensor x) { return Compute(x, true); });
    for (int n = 1; n <= 3; ++n) {
      Tensor x = constant({0.3f * static_cast<float>(n), 1.f, -2.f});
      EXPECT_EQ(f(x).to_vector<float>(), Compute(x, false).to_vector<float>());
      EXPECT_EQ(Runs(0), n);
      EXPECT_EQ(Runs(1), n);
    }
    EXPECT_EQ(f.traces().size(), 1u);
  }
  ExpectNothingLeft(*cluster_, {0, 1});
}

TEST_F(FunctionOverTasks, GradientsOfAnyOrderAreStepsOverThem) {
  auto f = function([](Tensor x) { return Compute(x, true); });
  auto both = [](const std::function<Tensor(Tensor)>& g) {
    Tensor x = constant({0.5f, 2.f});
    x.requires_grad_();
    Tensor one = constant({1.f, 1.f});
    Tensor first = grad(g(x), x, {.grad_ys = {one}, .create_graph = true});
    Tensor second = grad(first, x, {.grad_ys = {one}});
    Floats all = first.to_vector<float>();
    for (float v : second.to_vector<float>()) all.push_back(v);
    return all;
  };
  Floats here = both([](const Tensor& x) { return Compute(x, false); });
  const int64_t before = Runs(1);
  EXPECT_EQ(both([&](const Tensor& x) { return f(x); }), here);
  EXPECT_EQ(Runs(1), before + 3) << "the call, and a step for each gradient";
}

TEST_F(FunctionOverTasks, VariablesAroundItAreReadAndWrittenAsInOneProcess) {
  auto train = [](bool on_tasks) {
    Variable w = variable({1.f, 2.f});
    Tensor seen = w.tensor();
    auto step = function([&](Tensor x) {
      Tensor loss = Compute(w.tensor() * x, on_tasks);
      w.assign_sub(loss * 0.125f);
      Variable count = variable({0.f});
      count.assign_add({1.f});
      return loss * count.read();
    });
    Floats all;
    for (float at : {0.5f, 1.5f, 0.25f}) {
      for (float v : step(constant({at, at})).to_vector<float>()) {
        all.push_back(v);
      }
      // Other tasks see its writes, and it sees theirs.
      for (float v : seen.to_vector<float>()) all.push_back(v);
      w.assign_add({1.f, 1.f});
    }
    return all;
  };
  EXPECT_EQ(train(true), train(false));
  EXPECT_EQ(Runs(1), 3);
}

TEST_F(FunctionOverTasks, DrawsTheSameNumbers) {
  auto draw = [](bool on_tasks) {
    manual_seed(7);
    auto f = function([&](Tensor x) {
      std::optional<DeviceScope> there;
      if (on_tasks) there.emplace("/job:worker/task:1");
      return x * front_internal::CallOne("RandomUniform", {},
                                         {{"shape", Shape({3})}}, {},
                                         std::source_location::current());
    });
    Floats all;
    for (int i = 0; i < 3; ++i) {
      for (float v : f(constant(1.f)).to_vector<float>()) all.push_back(v);
    }
    return all;
  };
  EXPECT_EQ(draw(true), draw(false));
}

TEST_F(FunctionOverTasks, StateOfTheProcessIsRefusedWithTheLine) {
  auto f = function([](Tensor x) {
    DeviceScope there("/job:worker/task:1");
    fifo_queue(4, {DType::kF32}).enqueue({x});
    return x * 2;
  });
  std::string error = ErrorOf([&] { f(constant(1.f)); });
  EXPECT_NE(error.find("names tasks of a cluster and uses a queue"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("function_over_tasks_test.cc"), std::string::npos)
      << error;
}

TEST_F(FunctionOverTasks, ErrorsNameTheTaskAndTheLine) {
  auto f = function([](Tensor x) {
    DeviceScope there("/job:worker/task:1");
    Operand operands[] = {Operand({1.f, 2.f}), x};
    return front_internal::CallOne("Gather", operands, {}, {},
                                   std::source_location::current());
  });
  EXPECT_EQ(f(constant({1, 0})).to_vector<float>(), (Floats{2, 1}));
  std::string error = ErrorOf([&] { f(constant({7, 0})); });
  EXPECT_NE(error.find("/job:worker/task:1"), std::string::npos) << error;
  EXPECT_NE(error.find("function_over_tasks_test.cc"), std::string::npos)
      << error;
  auto nowhere = function([](Tensor x) {
    DeviceScope there("/job:worker/task:7");
    return x * 2;
  });
  error = ErrorOf([&] { nowhere(constant(1.f)); });
  EXPECT_NE(error.find("there is no task /job:worker/task:7"),
            std::string::npos)
      << error;
}

// Tasks keep no state of it, so none is lost with them.
TEST_F(FunctionOverTasks, GoesOnWhenItsMasterWasRestarted) {
  Variable w = variable(0.f);
  auto f = function([&](Tensor x) {
    DeviceScope there("/job:worker/task:0");
    w.assign_add(x);
    return w.read() * 1;
  });
  EXPECT_EQ(f(constant(1.f)).item<float>(), 1);
  cluster_->Kill(0);
  EXPECT_NE(ErrorOf([&] { f(constant(1.f)); }), "");
  ASSERT_TRUE(cluster_->Restart(0).ok());
  EXPECT_EQ(f(constant(5.f)).item<float>(), 6) << "the failed call did nothing";
}

TEST_F(FunctionOverTasks, NeedsAConnection) {
  auto f = function([](Tensor x) { return Compute(x, true); });
  f(constant(1.f));
  connection_ = nullptr;
  EXPECT_NE(ErrorOf([&] { f(constant(2.f)); }).find("no cluster is connected"),
            std::string::npos);
  auto g = function([](Tensor x) { return Compute(x, true); });
  EXPECT_NE(ErrorOf([&] { g(constant(2.f)); }).find("no cluster is connected"),
            std::string::npos);
  // Another cluster works as well.
  auto other = StartCluster(2);
  ASSERT_TRUE(other);
  connection_ = ValueOrThrow(Connect(other->target(1)));
  Tensor x = constant(3.f);
  EXPECT_EQ(f(x).item<float>(), Compute(x, false).item<float>());
  EXPECT_EQ(GaugeOf(*other, 0, "runs_total"), 1);
  EXPECT_FALSE(Connect("grpc://127.0.0.1:1").ok());
}

}  // namespace
}  // namespace sluice::cluster
