// Memory that runs out in a step over two tasks, whose pieces wait for each
// other in every iteration. Wanted for every n: an error or the result; nothing
// waits for ever, and the next step is right.
// Not under sanitizers, which replace the allocator themselves.
#include "sluice/base/failing_allocation_test_util.h"
#include "sluice/base/strings.h"
#include "sluice/graph/text_parser.h"
#include "sluice/session/task_master.h"

namespace sluice {
namespace {

constexpr char kLoop[] = R"(graph g(%n: i64[], %x: f32[]) -> (%i, %y, %s) {
    %zero = Const [value = 0 : i64[]]
    %i, %y, %s = While(%zero, %x, %x) [dtypes = {i64, f32, f32}] {
      cond(%i: i64[], %y: f32[], %s: f32[]) {
        %c = NotEqual(%i, %n) on "/job:t/task:0"
        yield %c
      }
      body(%i: i64[], %y: f32[], %s: f32[]) {
        %j = Add(%i, 1) on "/job:t/task:0"
        %z = Add(%y, 1) on "/job:t/task:1"
        %t = Add(%s, %z) on "/job:t/task:0"
        yield %j, %z, %t
      }
    }
  })";
constexpr int64_t kIterations = 4;

class TwoTasks {
 public:
  TwoTasks() {
    graph_ = *ParseGraph(kLoop);
    std::vector<Worker*> all;
    for (int i = 0; i < 2; ++i) {
      workers_.push_back(
          std::make_unique<LocalWorker>(StrCat("/job:t/task:", i), queue_));
      all.push_back(workers_.back().get());
    }
    master_ =
        std::make_unique<TaskMaster>(*graph_, all, queue_, TaskMasterOptions());
  }
  Result<float> Run() {
    const Region& root = graph_->root();
    FeedList feeds;
    feeds.emplace_back(root.arg(0), Array::Scalar(kIterations));
    feeds.emplace_back(root.arg(1), Array::Scalar(0.0f));
    RunOptions options;
    // One that waits for ever is told by another code.
    options.timeout_ms = 20'000;
    SL_ASSIGN_OR_RETURN(
        std::vector<Array> got,
        master_->Run(root.results(), feeds, root.targets(), options));
    return *got[2].data<float>();
  }

 private:
  std::unique_ptr<Graph> graph_;
  StepQueue queue_;
  std::vector<std::unique_ptr<LocalWorker>> workers_;
  std::unique_ptr<TaskMaster> master_;
};

TEST(FailingTasks, OfAStep) {
  TwoTasks tasks;
  ASSERT_EQ(*tasks.Run(), 10.0f);
  ForEveryAllocation([&] { return tasks.Run().status(); },
                     [&] {
                       Result<float> got = tasks.Run();
                       ASSERT_TRUE(got.ok()) << got.status().ToString();
                       ASSERT_EQ(*got, 10.0f);
                     });
}

TEST(FailingTasks, OfNewTasks) {
  ForEveryAllocation(
      []() -> Status {
        TwoTasks tasks;
        return tasks.Run().status();
      },
      [] {});
  TwoTasks tasks;
  EXPECT_EQ(*tasks.Run(), 10.0f);
}

}  // namespace
}  // namespace sluice
