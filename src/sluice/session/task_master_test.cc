#include "sluice/session/task_master.h"

#include <gtest/gtest.h>

#include <thread>

#include "sluice/base/event_count.h"
#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/graph/binary_reader.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/graph/text_printer.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/session/split_test_util.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/random_flow_test_util.h"

namespace sluice {
namespace {

using Arrays = Result<std::vector<Array>>;

// The count in one task, the sum of its roots in the other; with n < 0 it goes
// on for ever.
const char* const kLoop = R"(graph g(%n: i64[], %x: f32[]) -> (%i, %y, %s) {
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

struct Tasks {
  explicit Tasks(const Graph& g, int n = 2, TaskMasterOptions options = {})
      : graph(g.Clone()) {
    std::vector<Worker*> all;
    for (int i = 0; i < n; ++i) {
      workers.push_back(
          std::make_unique<LocalWorker>(StrCat("/job:t/task:", i), queue));
      all.push_back(workers.back().get());
    }
    master = std::make_unique<TaskMaster>(*graph, all, queue, options);
  }
  Arrays Run(const std::vector<Array>& args, const RunOptions& options = {}) {
    const Region& root = graph->root();
    FeedList feeds;
    for (size_t i = 0; i < args.size(); ++i) {
      feeds.emplace_back(root.arg(static_cast<int>(i)), args[i]);
    }
    return master->Run(root.results(), feeds, root.targets(), options);
  }

  std::unique_ptr<Graph> graph;
  StepQueue queue;
  std::vector<std::unique_ptr<LocalWorker>> workers;
  std::unique_ptr<TaskMaster> master;
};

std::vector<Array> LoopArgs(int64_t n) {
  return {Array::Scalar(n), Array::Scalar(0.0f)};
}

TEST(TaskMaster, ALoopOverTwoTasksGivesWhatOneGives) {
  Tasks tasks(*MustParse(kLoop));
  for (int64_t n : {0, 1, 2, 30, 1000}) {
    Arrays got = tasks.Run(LoopArgs(n));
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ(*(*got)[0].data<int64_t>(), n);
    EXPECT_EQ(*(*got)[1].data<float>(), static_cast<float>(n));
    EXPECT_EQ(*(*got)[2].data<float>(), static_cast<float>(n * (n + 1) / 2));
  }
  EXPECT_EQ(tasks.master->num_programs(), 1u);
  EXPECT_EQ(tasks.workers[0]->num_pieces(), 1u);
  EXPECT_EQ(tasks.workers[1]->num_pieces(), 1u);
  tasks.master = nullptr;
  EXPECT_EQ(tasks.workers[0]->num_pieces(), 0u);
  EXPECT_EQ(tasks.workers[1]->num_running(), 0u);
}

TEST(TaskMaster, AnyNumberOfStepsAtOnce) {
  Tasks tasks(*MustParse(kLoop));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t n = t; n < 100; n += 7) {
        Arrays got = tasks.Run(LoopArgs(n));
        ASSERT_TRUE(got.ok()) << got.status().ToString();
        EXPECT_EQ(*(*got)[1].data<float>(), static_cast<float>(n));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(TaskMaster, RandomProgramsGiveWhatOneTaskGives) {
  const uint32_t programs = SL_TSAN || SL_ASAN ? 40 : 200;
  for (uint32_t seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    RandomFlow flow = MakeStructuredFlow(seed + 500'000);
    ResourceManager resources;
    StepContext step;
    step.step_id = 1;
    step.resources = &resources;
    Arrays want = Interpret(*flow.graph, flow.args, step);
    ASSERT_TRUE(want.ok()) << want.status().ToString();
    // Pruning copies nodes: tasks are known by the names these keep.
    RandomTasks random(*flow.graph, 3, seed);
    TaskMasterOptions options;
    options.split.device_of =
        [&, device = random.options().device_of](const Node& node) {
          const Node* whole = flow.graph->FindNode(node.name());
          return whole ? device(*whole) : std::string("/job:t/task:0");
        };
    Tasks tasks(*flow.graph, 3, options);
    Arrays got = tasks.Run(flow.args);
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    for (size_t i = 0; i < want->size(); ++i) {
      ASSERT_TRUE((*got)[i].BitEquals((*want)[i])) << "result " << i << "\n"
                                                   << PrintGraph(*flow.graph);
    }
  }
}

TEST(TaskMaster, PiecesMayGoAsBytes) {
  auto graph = MustParse(kLoop);
  Result<std::vector<TaskPiece>> pieces = SplitByTask(*graph);
  ASSERT_TRUE(pieces.ok()) << pieces.status().ToString();
  for (TaskPiece& piece : *pieces) {
    Result<std::unique_ptr<Graph>> read = ReadBinary(WriteBinary(*piece.graph));
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(PrintGraph(**read), PrintGraph(*piece.graph));
    piece.graph = std::move(*read);
  }
  Arrays got = RunPieces(std::move(*pieces), LoopArgs(5), 3, {});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(*(*got)[2].data<float>(), 15.0f);
}

// ---- Errors ----

TEST(TaskMaster, AnErrorNamesOpIterationAndTaskAndEndsTheStepEverywhere) {
  auto graph = MustParse(R"(graph g(%n: i64[], %x: f32[?]) -> (%i, %y) {
    %zero = Const [value = 0 : i64[]]
    %i, %y = While(%zero, %x) [dtypes = {i64, f32}] {
      cond(%i: i64[], %y: f32[?]) {
        %c = NotEqual(%i, %n) on "/job:t/task:0"
        yield %c
      }
      body(%i: i64[], %y: f32[?]) {
        %j = Add(%i, 1) on "/job:t/task:0"
        %z = Slice(%y) [begin = {1}, size = {-1}] on "/job:t/task:1"
        yield %j, %z
      }
    }
  })");
  Tasks tasks(*graph);
  Array three = Array::Vector<float>({1, 2, 3});
  // Goes on for ever, but for the error.
  Arrays got = tasks.Run({Array::Scalar<int64_t>(-1), three});
  ASSERT_FALSE(got.ok());
  std::string text = got.status().ToString();
  EXPECT_NE(text.find("[Slice]"), text.npos) << text;
  EXPECT_NE(text.find("(node \"z\")"), text.npos) << text;
  EXPECT_NE(text.find("in iteration 3 of the loop"), text.npos) << text;
  EXPECT_NE(text.find("in task /job:t/task:1"), text.npos) << text;
  EXPECT_EQ(text.find("task:0"), text.npos) << text;
  EXPECT_EQ(tasks.workers[0]->num_running(), 0u);
  EXPECT_EQ(tasks.workers[1]->num_running(), 0u);
  got = tasks.Run({Array::Scalar<int64_t>(2), three});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ((*got)[1].num_elements(), 1);
}

TEST(TaskMaster, ADeadlineEndsTheStepInAllTasks) {
  Tasks tasks(*MustParse(kLoop));
  RunOptions options;
  options.timeout_ms = 20;
  Arrays got = tasks.Run(LoopArgs(-1), options);
  EXPECT_EQ(got.status().code(), Code::kDeadlineExceeded);
  EXPECT_EQ(tasks.workers[0]->num_running(), 0u);
  EXPECT_TRUE(tasks.Run(LoopArgs(3)).ok());
}

TEST(TaskMaster, ACallersSwitchEndsTheStepInAllTasks) {
  Tasks tasks(*MustParse(kLoop));
  RunOptions options;
  options.cancellation = std::make_shared<Cancellation>();
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (tasks.workers[1]->num_running() == 0 && !over) SpinPause();
    options.cancellation->Cancel(Cancelled("enough"));
  });
  Arrays got = tasks.Run(LoopArgs(-1), options);
  over = true;
  other.join();
  EXPECT_EQ(got.status().message(), "enough");
  EXPECT_TRUE(tasks.Run(LoopArgs(3)).ok());
}

TEST(TaskMaster, ATaskThatDisappearsInTheMiddleEndsTheStepAndNothingElse) {
  Tasks tasks(*MustParse(kLoop));
  for (size_t which : {size_t{1}, size_t{0}}) {
    LocalWorker& worker = *tasks.workers[which];
    std::string gone = StrCat("task /job:t/task:", which, " has disappeared");
    std::atomic<bool> over{false};
    std::thread other([&] {
      while ((tasks.workers[0]->num_running() == 0 ||
              tasks.workers[1]->num_running() == 0) &&
             !over) {
        SpinPause();
      }
      worker.Disappear();
    });
    Arrays got = tasks.Run(LoopArgs(-1));
    over = true;
    other.join();
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.status().code(), Code::kUnavailable);
    EXPECT_NE(got.status().message().find(gone), std::string::npos)
        << got.status().ToString();
    // While it is gone, every run says so.
    got = tasks.Run(LoopArgs(3));
    EXPECT_NE(got.status().message().find(gone), std::string::npos)
        << got.status().ToString();
    worker.Return();
    got = tasks.Run(LoopArgs(3));
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ(*(*got)[1].data<float>(), 3.0f);
  }
}

TEST(TaskMaster, BadInputIsToldWithTheUsersWords) {
  auto graph = MustParse(kLoop);
  {
    Tasks tasks(*graph, 1);
    EXPECT_EQ(tasks.Run(LoopArgs(3)).status().message(),
              "there is no worker for task /job:t/task:1; there are "
              "/job:t/task:0");
    EXPECT_EQ(tasks.workers[0]->num_pieces(), 0u);
  }
  Tasks tasks(*graph);
  EXPECT_EQ(
      tasks.Run({Array::Scalar(1.0f), Array::Scalar(0.0f)}).status().message(),
      "the feed of \"n\" is f32[]; wanted i64[]\n  in task "
      "/job:t/task:0");
  EXPECT_TRUE(tasks.Run(LoopArgs(1)).ok());
}

TEST(LocalWorker, StateStaysWithItsTask) {
  auto graph = MustParse(R"(graph g(%x: f32[]) -> (%v) run %a {
    %w = Variable [dtype = f32, shape = []] on "/job:t/task:1"
    %y = Add(%x, 1) on "/job:t/task:0"
    %a = Assign(%w, %y) on "/job:t/task:1"
    %r = ReadVariable(%w) [dtype = f32, shape = []] on "/job:t/task:1"
    %v = Neg(%r) on "/job:t/task:0"
  })");
  Tasks tasks(*graph);
  Arrays got = tasks.Run({Array::Scalar(2.0f)});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(*(*got)[0].data<float>(), -3.0f);
  EXPECT_EQ(tasks.workers[0]->resources().Names("").size(), 0u);
  EXPECT_EQ(tasks.workers[1]->resources().Names("").size(), 1u);
}

}  // namespace
}  // namespace sluice
