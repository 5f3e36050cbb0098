// Planning a large graph takes a while: others go on meanwhile, and a deadline
// and Ctrl-C count.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "sluice/base/clock.h"
#include "sluice/base/interruption.h"
#include "sluice/graph/node.h"
#include "sluice/op/record.h"
#include "sluice/session/local_master.h"

namespace sluice {
namespace {

// What the shape function of TestPlanned does for vectors of three, on whatever
// thread it is called.
std::mutex mu;
std::condition_variable changed;
void (*at_three)() = nullptr;
bool entered = false, released = false;

void Wait() {
  std::unique_lock lock(mu);
  entered = true;
  changed.notify_all();
  changed.wait(lock, [] { return released; });
}

Status Infer(ShapeContext& c) {
  if (at_three && c.in(0).rank() == 1 && c.in(0)[0] == 3) at_three();
  return shapes::same_as_first(c);
}

Status Copy(KernelContext& ctx) {
  ctx.out(0).CopyFrom(ctx.in(0));
  return OkStatus();
}

SL_OP(TestPlanned)
    .doc("Its shape function may take its time.")
    .input("x: f32")
    .output("y: f32")
    .shape(Infer)
    .cpu(Copy)
    .stateful();

class Planning : public testing::Test {
 protected:
  Planning() : graph_("g") {
    x_ = (*graph_.Add(
              graph_.root(), "Placeholder", {},
              {{"dtype", DType::kF32}, {"shape", PartialShape({kUnknownDim})}}))
             ->output();
    y_ = (*graph_.Add(graph_.root(), "TestPlanned", {{x_}}, {}))->output();
    z_ = (*graph_.Add(graph_.root(), "Neg", {{x_}}, {}))->output();
    master_ = std::make_unique<LocalMaster>(graph_);
    entered = released = false;
  }
  ~Planning() override { at_three = nullptr; }

  Status Run(const Value& fetch, int64_t n, const RunOptions& options = {}) {
    Array fed = Array::Zeros(DType::kF32, Shape{n});
    Value fetches[] = {fetch};
    return master_->Run(fetches, {{x_, fed}}, {}, options).status();
  }

  Graph graph_;
  Value x_, y_, z_;
  std::unique_ptr<LocalMaster> master_;
};

// It was done under the locks of the program and of the session.
TEST_F(Planning, OthersRunMeanwhile) {
  at_three = &Wait;
  Status slow;
  std::thread planner([&] { slow = Run(y_, 3); });
  {
    std::unique_lock lock(mu);
    changed.wait(lock, [] { return entered; });
  }
  EXPECT_TRUE(Run(z_, 3).ok());  // another program
  EXPECT_TRUE(Run(y_, 4).ok());  // another plan of the same one
  // The same plan: this thread waits, until it is interrupted.
  Interruption stop;
  Interruption* before = Interruption::SetCurrent(&stop);
  stop.Request();
  EXPECT_EQ(Run(y_, 3).code(), Code::kCancelled);
  Interruption::SetCurrent(before);
  {
    std::lock_guard lock(mu);
    released = true;
    changed.notify_all();
  }
  planner.join();
  EXPECT_TRUE(slow.ok()) << slow.ToString();
  at_three = nullptr;
  EXPECT_TRUE(Run(y_, 3).ok());
}

Interruption* asked = nullptr;

TEST_F(Planning, CanBeInterrupted) {
  Interruption stop;
  asked = &stop;
  at_three = [] { asked->Request(); };
  Interruption* before = Interruption::SetCurrent(&stop);
  EXPECT_EQ(Run(y_, 3).code(), Code::kCancelled);
  stop.Clear();
  at_three = nullptr;
  EXPECT_TRUE(Run(y_, 3).ok());
  Interruption::SetCurrent(before);
}

TEST_F(Planning, CountsTowardsTheDeadline) {
  at_three = [] {
    int64_t until = NowNanos() + 3'000'000;
    while (NowNanos() < until) std::this_thread::yield();
  };
  RunOptions options;
  options.timeout_ms = 1;
  EXPECT_EQ(Run(y_, 3, options).code(), Code::kDeadlineExceeded);
  EXPECT_TRUE(Run(z_, 4).ok());
}

}  // namespace
}  // namespace sluice
