// Results of collectives, with ranks as threads and as processes.
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>

#include "sluice/base/random.h"
#include "sluice/collective/ranks_test_util.h"

namespace sluice::collective {
namespace {

// Values whose sums are not exact, so that another order would be noticed.
Array Values(int rank, int64_t n) {
  Array x = Array::Zeros(DType::kF32, {n});
  for (int64_t i = 0; i < n; ++i) {
    x.mutable_data<float>()[i] = std::sin(static_cast<float>(i + 1) * 0.7f +
                                          static_cast<float>(rank) * 1.3f) *
                                 (rank % 2 ? 1000.0f : 1.0f);
  }
  return x;
}

double Sum(int ranks, int64_t n, int64_t i) {
  double sum = 0;
  for (int r = 0; r < ranks; ++r) sum += Values(r, n).data<float>()[i];
  return sum;
}

TEST(Collectives, AllReduceAddsWhatAllHave) {
  for (int ranks : {1, 2, 3, 4, 5}) {
    for (int64_t n : {1, 3, 1000, 100003}) {
      std::mutex mu;
      std::vector<Array> got;
      OnThreads(ranks, [&](ProcessGroup& g) {
        Array x = Values(g.rank(), n);
        Status s = g.AllReduce(x, ReduceOp::kSum).Wait();
        EXPECT_TRUE(s.ok()) << s.ToString();
        EXPECT_TRUE(g.Leave().ok());
        std::lock_guard lock(mu);
        got.push_back(x);
      });
      for (const Array& x : got) {
        EXPECT_TRUE(x.BitEquals(got[0])) << "ranks differ";
        for (int64_t i = 0; i < n; i += n / 7 + 1) {
          EXPECT_NEAR(x.data<float>()[i], Sum(ranks, n, i), 1e-2);
        }
      }
    }
  }
}

TEST(Collectives, EveryReduction) {
  struct Case {
    ReduceOp op;
    int64_t wanted;
  };
  for (Case c : {Case{ReduceOp::kSum, 6 + 5 + 3},
                 {ReduceOp::kProduct, 90},
                 {ReduceOp::kMin, 3},
                 {ReduceOp::kMax, 6},
                 {ReduceOp::kBand, 6 & 5 & 3},
                 {ReduceOp::kBor, 7},
                 {ReduceOp::kBxor, 6 ^ 5 ^ 3}}) {
    for (DType dtype : {DType::kI8, DType::kU16, DType::kI32, DType::kI64}) {
      OnThreads(3, [&](ProcessGroup& g) {
        const int values[] = {6, 5, 3};
        const int64_t n = 5000;
        Array x = Array::Zeros(dtype, {n});
        const int64_t size = DTypeSize(dtype);
        for (int64_t i = 0; i < n; ++i) {
          static_cast<char*>(x.mutable_raw())[i * size] =
              static_cast<char>(values[g.rank()]);
        }
        Status s = g.AllReduce(x, c.op).Wait();
        ASSERT_TRUE(s.ok()) << s.ToString();
        for (int64_t i : {int64_t{0}, n / 2, n - 1}) {
          EXPECT_EQ(static_cast<const char*>(x.raw())[i * size], c.wanted)
              << ReduceName(c.op);
        }
        EXPECT_TRUE(g.Leave().ok());
      });
    }
  }
}

TEST(Collectives, AverageOfFloatsAndHalves) {
  OnThreads(4, [](ProcessGroup& g) {
    auto v = static_cast<float>(g.rank());
    Array f = Array::Vector<float>({v, 2 * v});
    Array h = Array::Vector<bf16>({static_cast<bf16>(v)});
    EXPECT_TRUE(g.AllReduce(f, ReduceOp::kAvg).Wait().ok());
    EXPECT_TRUE(g.AllReduce(h, ReduceOp::kAvg).Wait().ok());
    EXPECT_EQ(f.data<float>()[0], 1.5f);
    EXPECT_EQ(f.data<float>()[1], 3.0f);
    EXPECT_EQ(static_cast<float>(h.data<bf16>()[0]), 1.5f);
    EXPECT_TRUE(g.Leave().ok());
  });
}

TEST(Collectives, NanWinsMinAndMax) {
  OnThreads(3, [](ProcessGroup& g) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (ReduceOp op : {ReduceOp::kMin, ReduceOp::kMax}) {
      for (int who = 0; who < 3; ++who) {
        Array x = Array::Vector<float>({g.rank() == who ? nan : 1.0f});
        EXPECT_TRUE(g.AllReduce(x, op).Wait().ok());
        EXPECT_TRUE(std::isnan(x.data<float>()[0])) << who;
      }
    }
    EXPECT_TRUE(g.Leave().ok());
  });
}

TEST(Collectives, GatherScatterBroadcastAndAllToAll) {
  for (int ranks : {1, 2, 3, 5}) {
    for (int64_t n : {0, 1, 700, 300000}) {
      OnThreads(ranks, [&](ProcessGroup& g) {
        Array x = Values(g.rank(), n);
        Array all = Array::Zeros(DType::kF32, {ranks, n});
        EXPECT_TRUE(g.AllGather(x, all).Wait().ok());
        for (int r = 0; r < ranks; ++r) {
          Array theirs = Values(r, n);
          EXPECT_TRUE(n == 0 ||
                      std::equal(theirs.data<float>(), theirs.data<float>() + n,
                                 all.data<float>() + r * n));
        }
        // For gathered data: every rank has the same, so the sum is a multiple.
        Array part = Array::Zeros(DType::kF32, {n});
        EXPECT_TRUE(g.ReduceScatter(all, part, ReduceOp::kAvg).Wait().ok());
        Array mine = Values(g.rank(), n);
        for (int64_t i = 0; i < n; ++i) {
          ASSERT_NEAR(part.data<float>()[i], mine.data<float>()[i], 1e-3);
        }
        Array b = Values(g.rank(), n);
        EXPECT_TRUE(g.Broadcast(b, ranks - 1).Wait().ok());
        EXPECT_TRUE(b.BitEquals(Values(ranks - 1, n)));
        // Part j of rank r is r * 100 + j; afterwards j * 100 + r.
        Array a = Array::Zeros(DType::kI64, {ranks, 2});
        for (int j = 0; j < ranks * 2; ++j) {
          a.mutable_data<int64_t>()[j] = g.rank() * 100 + j / 2;
        }
        Array moved = Array::Zeros(DType::kI64, {ranks, 2});
        EXPECT_TRUE(g.AllToAll(a, moved).Wait().ok());
        for (int j = 0; j < ranks * 2; ++j) {
          EXPECT_EQ(moved.data<int64_t>()[j], j / 2 * 100 + g.rank());
        }
        EXPECT_TRUE(g.Barrier().Wait().ok());
        EXPECT_TRUE(g.Leave().ok());
      });
    }
  }
}

TEST(Collectives, ManyAtOnceComeBackInOrder) {
  OnThreads(3, [](ProcessGroup& g) {
    std::vector<Array> xs;
    std::vector<Work> works;
    for (int i = 0; i < 50; ++i) {
      xs.push_back(Array::Vector<int64_t>({i, g.rank()}));
      works.push_back(g.AllReduce(xs.back(), ReduceOp::kSum));
    }
    for (int i = 49; i >= 0; --i) {
      EXPECT_TRUE(works[static_cast<size_t>(i)].Wait().ok());
      EXPECT_EQ(xs[static_cast<size_t>(i)].i64s()[0], 3 * i);
      EXPECT_EQ(xs[static_cast<size_t>(i)].i64s()[1], 3);
    }
    EXPECT_TRUE(g.Leave().ok());
  });
}

TEST(Collectives, BadCallsAreRefusedBeforeAnythingIsSent) {
  OnThreads(2, [](ProcessGroup& g) {
    Array x = Array::Vector<float>({1, 2, 3});
    auto message = [](const Work& w) { return w.Wait().message(); };
    EXPECT_EQ(message(g.AllReduce(x, ReduceOp::kBand)),
              "[all_reduce] elements of type f32 have no band; wanted whole "
              "numbers or bool");
    EXPECT_EQ(message(g.AllReduce(Array::Vector<int64_t>({1}), ReduceOp::kAvg)),
              "[all_reduce] elements of type i64 have no avg; wanted "
              "floating-point or complex numbers");
    EXPECT_EQ(
        message(g.AllReduce(Array::Of<std::string>({1}, {std::string("a")}),
                            ReduceOp::kSum)),
        "[all_reduce] string[1]: wanted numbers or bool");
    EXPECT_EQ(message(g.Broadcast(x, 2)),
              "[broadcast] there is no rank 2; wanted 0 to 1");
    EXPECT_EQ(message(g.AllGather(x, x)),
              "[all_gather] got f32[3] for 2 ranks of f32[3]; wanted one such "
              "part for every rank");
    EXPECT_EQ(message(g.ReduceScatter(x, x, ReduceOp::kSum)),
              "[reduce_scatter] got f32[3] for 2 ranks of f32[3]; wanted one "
              "such part for every rank");
    EXPECT_EQ(message(g.AllToAll(x, x)),
              "[all_to_all] got f32[3] into f32[3]; wanted one type and size, "
              "in 2 equal parts");
    EXPECT_EQ(message(g.SendReceive({g.rank(), x}, {})),
              "[send] got rank " + std::to_string(g.rank()) + " on rank " +
                  std::to_string(g.rank()) +
                  " of 2; wanted another one of them");
    // The group remains usable.
    EXPECT_TRUE(g.AllReduce(x, ReduceOp::kSum).Wait().ok());
    EXPECT_EQ(x.data<float>()[2], 6.0f);
    EXPECT_TRUE(g.Leave().ok());
  });
}

TEST(Collectives, NamesOfReductions) {
  EXPECT_EQ(ReduceFromName("max").value(), ReduceOp::kMax);
  EXPECT_EQ(ReduceFromName("mean").status().message(),
            "there is no reduction \"mean\"; wanted one of sum, avg, product, "
            "min, max, band, bor, bxor");
}

// A hash of the bits, as an exit code.
int Digest(const Array& x) {
  uint32_t h = 2166136261u;
  for (int64_t i = 0; i < x.bytes(); ++i) {
    h = (h ^ static_cast<const uint8_t*>(x.raw())[i]) * 16777619u;
  }
  return static_cast<int>(h % 97);
}

// With shared memory, and with TCP alone.
class CollectivesOfProcesses : public testing::TestWithParam<bool> {
  void SetUp() override { ranks_share_memory = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Memory, CollectivesOfProcesses, testing::Bool());

TEST_P(CollectivesOfProcesses, TheSameBitsOnEveryRankAndInEveryRun) {
  for (int ranks : {2, 3, 4}) {
    std::vector<int> first;
    for (int run = 0; run < 3; ++run) {
      std::vector<int> ends = OnProcesses(ranks, [](ProcessGroup& g) {
        Array x = Values(g.rank(), 250007);
        if (!g.AllReduce(x, ReduceOp::kAvg).Wait().ok()) return 110;
        if (!g.Leave().ok()) return 111;
        return Digest(x);
      });
      for (int end : ends) {
        EXPECT_LT(end, 97);
        EXPECT_EQ(end, ends[0]);
      }
      if (run == 0) first = ends;
      EXPECT_EQ(ends, first);
    }
  }
}

TEST_P(CollectivesOfProcesses, TheSameBitsAsThreads) {
  std::vector<int> of_threads(3);
  OnThreads(3, [&](ProcessGroup& g) {
    Array x = Values(g.rank(), 50001);
    EXPECT_TRUE(g.AllReduce(x, ReduceOp::kSum).Wait().ok());
    of_threads[static_cast<size_t>(g.rank())] = Digest(x);
    EXPECT_TRUE(g.Leave().ok());
  });
  std::vector<int> ends = OnProcesses(3, [](ProcessGroup& g) {
    Array x = Values(g.rank(), 50001);
    if (!g.AllReduce(x, ReduceOp::kSum).Wait().ok()) return 110;
    return g.Leave().ok() ? Digest(x) : 111;
  });
  EXPECT_EQ(ends, of_threads);
}

TEST_P(CollectivesOfProcesses, MessagesGoBetweenTwo) {
  std::vector<int> ends = OnProcesses(3, [](ProcessGroup& g) {
    const int next = (g.rank() + 1) % 3, before = (g.rank() + 2) % 3;
    // Around the ring, concurrently, larger than the data in flight at a time.
    Array x = Values(g.rank(), 1'000'003);
    Array y = Array::Zeros(DType::kF32, {1'000'003});
    if (!g.SendReceive({next, x}, {before, y}).Wait().ok()) return 1;
    if (!y.BitEquals(Values(before, 1'000'003))) return 2;
    // From one rank to another without the third; then all together.
    Array z = Array::Vector<int64_t>({g.rank()});
    for (int i = 0; i < 3; ++i) {
      if (g.rank() == 0 && !g.SendReceive({2, z}, {}).Wait().ok()) return 3;
      if (g.rank() == 2 && !g.SendReceive({}, {0, z}).Wait().ok()) return 4;
    }
    if (z.i64s()[0] != (g.rank() == 2 ? 0 : g.rank())) return 5;
    if (!g.AllReduce(z, ReduceOp::kSum).Wait().ok()) return 6;
    if (z.i64s()[0] != 1) return 7;
    return g.Leave().ok() ? 0 : 8;
  });
  EXPECT_EQ(ends, std::vector<int>({0, 0, 0}));
}

// Lengths that end anywhere in a ring of shared memory, with elements of one to
// eight bytes, one after the other.
TEST_P(CollectivesOfProcesses, LengthsOfAllKinds) {
  std::vector<int> ends = OnProcesses(2, [](ProcessGroup& g) {
    int64_t n = 1;
    for (int i = 0; i < 200; ++i) {
      n = (n * 48271) % 2147483647;
      const int64_t size = n % (i % 10 == 0 ? 700001 : 9001);
      const DType dtypes[] = {DType::kU8, DType::kI16, DType::kF32,
                              DType::kI64};
      Array x = Array::Zeros(dtypes[i % 4], {size});
      auto* bytes = static_cast<uint8_t*>(x.mutable_raw());
      const int64_t width = DTypeSize(x.dtype());
      for (int64_t k = 0; k < size && x.dtype() != DType::kF32; ++k) {
        bytes[k * width] = static_cast<uint8_t>(k % 100);
      }
      if (!g.AllReduce(x, ReduceOp::kSum).Wait().ok()) return 1;
      for (int64_t k = 0; k < size && x.dtype() != DType::kF32; ++k) {
        if (bytes[k * width] != k % 100 * 2) return 2;
      }
      Array b = Array::Zeros(DType::kU8, {size});
      if (g.rank() == i % 2 && size > 0)
        b.mutable_data<uint8_t>()[size - 1] = 7;
      if (!g.Broadcast(b, i % 2).Wait().ok()) return 3;
      if (size > 0 && b.data<uint8_t>()[size - 1] != 7) return 4;
    }
    return g.Leave().ok() ? 0 : 5;
  });
  EXPECT_EQ(ends, std::vector<int>({0, 0}));
}

TEST(CollectiveTimes, TheLastToComeIsInItForTheShortestTime) {
  std::mutex mu;
  std::vector<std::vector<CollectiveTime>> times(3);
  OnThreads(3, [&](ProcessGroup& group) {
    EXPECT_TRUE(group.Barrier().Wait().ok());
    if (group.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    EXPECT_TRUE(group.Barrier().Wait().ok());
    std::lock_guard lock(mu);
    times[static_cast<size_t>(group.rank())] = group.Times();
  });
  for (const auto& of_rank : times) {
    ASSERT_EQ(of_rank.size(), 2u);
    EXPECT_EQ(of_rank[0].number, 1u);
    EXPECT_EQ(of_rank[1].number, 2u);
    EXPECT_GE(of_rank[1].came, of_rank[0].ended);
  }
  auto spent = [&](size_t rank) {
    return times[rank][1].ended - times[rank][1].came;
  };
  EXPECT_LT(spent(1), spent(0));
  EXPECT_LT(spent(1), spent(2));
}

TEST_P(CollectivesOfProcesses, AllOfThem) {
  std::vector<int> ends = OnProcesses(3, [](ProcessGroup& g) {
    const int64_t n = 200001;
    Array x = Values(g.rank(), n);
    Array all = Array::Zeros(DType::kF32, {3, n});
    if (!g.AllGather(x, all).Wait().ok()) return 1;
    Array part = Array::Zeros(DType::kF32, {n});
    if (!g.ReduceScatter(all, part, ReduceOp::kMax).Wait().ok()) return 2;
    if (!part.BitEquals(Values(g.rank(), n))) return 3;
    if (!g.Broadcast(part, 1).Wait().ok()) return 4;
    if (!part.BitEquals(Values(1, n))) return 5;
    Array moved = Array::Zeros(DType::kF32, {3, n});
    if (!g.AllToAll(all, moved).Wait().ok()) return 6;
    for (int r = 0; r < 3; ++r) {
      if (moved.data<float>()[r * n + 5] != all.data<float>()[g.rank() * n + 5])
        return 7;
    }
    if (!g.Barrier().Wait().ok()) return 8;
    return g.Leave().ok() ? 0 : 9;
  });
  EXPECT_EQ(ends, std::vector<int>({0, 0, 0}));
}

}  // namespace
}  // namespace sluice::collective
