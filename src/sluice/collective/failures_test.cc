// Ranks that disagree, die, hang or leave: the others end with an error that
// names the rank and the reason, and never wait forever.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "sluice/base/strings.h"
#include "sluice/collective/ranks_test_util.h"
#include "sluice/collective/tcp_links.h"

namespace sluice::collective {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

TEST(Failures, CallsThatDifferAreNamedOnBothSides) {
  struct Case {
    std::function<Work(ProcessGroup&, int)> call;
    std::string zero, one;
  };
  auto floats = [](int64_t n) { return Array::Zeros(DType::kF32, {n}); };
  const Case cases[] = {
      {[&](ProcessGroup& g, int r) {
         return g.AllReduce(floats(r == 1 ? 5 : 4), ReduceOp::kSum);
       },
       "all_reduce(f32[4], sum)", "all_reduce(f32[5], sum)"},
      {[&](ProcessGroup& g, int r) {
         return g.AllReduce(floats(4),
                            r == 1 ? ReduceOp::kMax : ReduceOp::kSum);
       },
       "all_reduce(f32[4], sum)", "all_reduce(f32[4], max)"},
      {[&](ProcessGroup& g, int r) {
         return g.AllReduce(
             Array::Zeros(r == 1 ? DType::kF64 : DType::kF32, {4}),
             ReduceOp::kSum);
       },
       "all_reduce(f32[4], sum)", "all_reduce(f64[4], sum)"},
      {[&](ProcessGroup& g, int r) {
         return g.AllReduce(
             r == 1 ? Array::Zeros(DType::kF32, {2, 2}) : floats(4),
             ReduceOp::kSum);
       },
       "all_reduce(f32[4], sum)", "all_reduce(f32[2,2], sum)"},
      {[&](ProcessGroup& g, int r) {
         return r == 1 ? g.Barrier() : g.AllReduce(floats(4), ReduceOp::kSum);
       },
       "all_reduce(f32[4], sum)", "barrier()"},
      {[&](ProcessGroup& g, int r) {
         return g.Broadcast(floats(4), r == 1 ? 1 : 0);
       },
       "broadcast(f32[4], root 0)", "broadcast(f32[4], root 1)"},
      {[&](ProcessGroup& g, int r) {
         if (r == 1) return g.SendReceive({0, floats(5)}, {});
         if (r == 0) return g.SendReceive({}, {1, floats(4)});
         return g.Barrier();
       },
       "recv(f32[4], rank 1)", "send(f32[5], rank 0)"},
  };
  for (int ranks : {2, 3, 4}) {
    for (const Case& c : cases) {
      OnThreads(ranks, [&](ProcessGroup& g) {
        Status s = c.call(g, g.rank()).Wait();
        EXPECT_EQ(s.code(), Code::kFailedPrecondition) << s.ToString();
        EXPECT_TRUE(Contains(s.message(), c.zero)) << s.ToString();
        EXPECT_TRUE(Contains(s.message(), c.one)) << s.ToString();
        EXPECT_TRUE(Contains(s.message(), "rank 1 (")) << s.ToString();
        // Permanently.
        EXPECT_FALSE(g.Barrier().Wait().ok());
        EXPECT_TRUE(Contains(g.FlightRecord(), "#1 ")) << g.FlightRecord();
        EXPECT_TRUE(Contains(g.FlightRecord(), "failed"));
      });
    }
  }
}

// With shared memory, and with TCP alone.
class FailuresOfProcesses : public testing::TestWithParam<bool> {
  void SetUp() override { ranks_share_memory = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Memory, FailuresOfProcesses, testing::Bool());

TEST_P(FailuresOfProcesses, CallsOfProcessesThatDifferAreNamedOnBothSides) {
  std::vector<int> ends = OnProcesses(3, [](ProcessGroup& g) {
    Array good = Array::Zeros(DType::kF32, {100000});
    // A rank may still be in the first call when the others detect the second.
    Status s = g.AllReduce(good, ReduceOp::kSum).Wait();
    Array x = Array::Zeros(DType::kF32, {g.rank() == 2 ? 100001 : 100000});
    if (s.ok()) s = g.AllReduce(x, ReduceOp::kSum).Wait();
    bool named = Contains(s.message(), "rank 2 (127.0.0.1, process ") &&
                 Contains(s.message(), "#2 all_reduce(f32[100000], sum)") &&
                 Contains(s.message(), "#2 all_reduce(f32[100001], sum)");
    if (!named) std::fprintf(stderr, "%s\n", s.ToString().c_str());
    return named ? 0 : 2;
  });
  EXPECT_EQ(ends, std::vector<int>({0, 0, 0}));
}

TEST_P(FailuresOfProcesses, AKilledRankEndsTheOthersWithItsName) {
  for (int dies : {0, 1, 2}) {
    std::vector<int> ends = OnProcesses(3, [&](ProcessGroup& g) {
      Array x = Array::Zeros(DType::kF32, {1000});
      Status s = g.AllReduce(x, ReduceOp::kSum).Wait();
      if (g.rank() == dies) raise(SIGKILL);
      // This rank never gets here, but others may still be in the first call.
      if (s.ok()) s = g.AllReduce(x, ReduceOp::kSum).Wait();
      bool named =
          s.code() == Code::kUnavailable &&
          Contains(s.message(), StrCat("rank ", dies, " (127.0.0.1")) &&
          Contains(s.message(), "killed");
      if (!named) std::fprintf(stderr, "%s\n", s.ToString().c_str());
      return named ? 0 : 2;
    });
    std::vector<int> wanted(3, 0);
    wanted[static_cast<size_t>(dies)] = 128 + SIGKILL;
    EXPECT_EQ(ends, wanted);
  }
}

// During large messages, at any time.
TEST_P(FailuresOfProcesses, ARankKilledWhileDataFlowsEndsTheOthersWithItsName) {
  std::vector<int> ends = OnProcesses(
      3,
      [](ProcessGroup& g) {
        Array x = Array::Zeros(DType::kF32, {1 << 20});
        while (true) {
          Status s = g.AllReduce(x, ReduceOp::kSum).Wait();
          if (s.ok()) continue;
          bool named = Contains(s.message(), "rank 1 (127.0.0.1");
          if (!named) std::fprintf(stderr, "%s\n", s.ToString().c_str());
          return named ? 0 : 2;
        }
      },
      {},
      [](const std::vector<int>& processes) {
        usleep(30'000);  // an arbitrary moment
        kill(processes[1], SIGKILL);
      });
  EXPECT_EQ(ends, std::vector<int>({0, 128 + SIGKILL, 0}));
}

TEST(Failures, ARankThatHangsIsNamedWhenTheTimeIsOver) {
  GroupOptions options;
  options.timeout_ns = kSecond / 5;
  OnThreads(
      3,
      [&](ProcessGroup& g) {
        if (g.rank() == 2) {
          // Does nothing until the other ranks have given up.
          while (g.cause().ok()) usleep(1000);
          return;
        }
        Status s = g.Barrier().Wait();
        EXPECT_EQ(s.code(), Code::kDeadlineExceeded) << s.ToString();
        EXPECT_TRUE(Contains(s.message(), "waited for rank ")) << s.ToString();
        EXPECT_TRUE(Contains(s.message(), "#1 barrier()")) << s.ToString();
      },
      options);
}

TEST_P(FailuresOfProcesses, AbortReachesAllWithItsReason) {
  std::vector<int> ends = OnProcesses(3, [](ProcessGroup& g) {
    if (g.rank() == 1) {
      g.Abort(InvalidArgument("rank 1: the loss is NaN at step 7"));
      return 0;
    }
    Status s = g.Barrier().Wait();
    bool told = Contains(s.message(), "rank 1: the loss is NaN at step 7") &&
                s.code() == Code::kInvalidArgument;
    if (!told) std::fprintf(stderr, "%s\n", s.ToString().c_str());
    return told ? 0 : 2;
  });
  EXPECT_EQ(ends, std::vector<int>({0, 0, 0}));
}

TEST_P(FailuresOfProcesses, WhoLeftIsNamedByWhoStillCalls) {
  std::vector<int> ends = OnProcesses(2, [](ProcessGroup& g) {
    Array x = Array::Vector<float>({1});
    if (!g.AllReduce(x, ReduceOp::kSum).Wait().ok()) return 1;
    if (g.rank() == 1) return g.Leave().ok() ? 0 : 3;
    Status s = g.AllReduce(x, ReduceOp::kSum).Wait();
    bool named = Contains(s.message(), "rank 1 (127.0.0.1") &&
                 Contains(s.message(), "has left the group");
    if (!named) std::fprintf(stderr, "%s\n", s.ToString().c_str());
    return named ? 0 : 2;
  });
  EXPECT_EQ(ends, std::vector<int>({0, 0}));
}

TEST_P(FailuresOfProcesses, AForkedChildIsNoRank) {
  std::vector<int> ends = OnProcesses(2, [](ProcessGroup& g) {
    Array x = Array::Vector<float>({1});
    if (!g.AllReduce(x, ReduceOp::kSum).Wait().ok()) return 1;
    pid_t child = fork();
    if (child == 0) {
      Status s = g.AllReduce(x, ReduceOp::kSum).Wait();
      g.Abort(Internal("a child's"));
      bool left = g.Leave().ok();
      g.~ProcessGroup();
      _exit(left && Contains(s.message(), "which this one was forked from")
                ? 0
                : 7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 2;
    // The group does not notice.
    if (!g.AllReduce(x, ReduceOp::kSum).Wait().ok()) return 3;
    return g.Leave().ok() && x.data<float>()[0] == 4.0f ? 0 : 4;
  });
  EXPECT_EQ(ends, std::vector<int>({0, 0}));
}

TEST(Failures, NoCollectiveAfterLeaving) {
  OnThreads(1, [](ProcessGroup& g) {
    EXPECT_TRUE(g.Leave().ok());
    EXPECT_EQ(g.Barrier().Wait().message(),
              "[barrier] this rank has left the group \"world\"");
  });
}

TEST(Failures, RanksThatDoNotComeAreNamed) {
  TcpOptions options;
  options.addresses.assign(3, "127.0.0.1:0");
  options.timeout_ns = kSecond / 10;
  Result<std::unique_ptr<Links>> links = MeetByTcp(options);
  ASSERT_FALSE(links.ok());
  EXPECT_EQ(links.status().message(),
            "rank 0 at 127.0.0.1:0 waited for ranks 1, 2 of 3: nobody came");
  options.rank = 3;
  EXPECT_EQ(MeetByTcp(options).status().message(),
            "rank is 3 of 3 ranks; wanted 0 to the number of ranks - 1");
  options.rank = 0;
  options.addresses[0] = "nowhere";
  EXPECT_EQ(MeetByTcp(options).status().message(),
            "\"nowhere\" is no address; wanted host:port");
}

}  // namespace
}  // namespace sluice::collective
