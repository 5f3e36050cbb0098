// Threads of a pipeline: results do not depend on them, errors come out in
// their place, and no thread is left running.
#include <atomic>
#include <condition_variable>
#include <thread>

#include "sluice/data/data_test_util.h"

namespace sluice::data {
namespace {

// Uneven work, so that results are completed out of order.
Tensor Work(Tensor x) {
  int64_t n = x.item<int64_t>();
  volatile int64_t spin = (n * 7919) % 13 * 500;
  while (spin > 0) spin = spin - 1;
  return x * x + 1;
}

TEST(Threads, DoNotChangeResults) {
  for (const Dataset<1>& source : {range(300), Stream(300)}) {
    auto chain = [&](int threads, int prefetch) {
      auto d = source.map(Work, {.threads = threads})
                   .shuffle(50, 3)
                   .map([](Tensor x) { return x - 1; }, {.threads = threads})
                   .batch(7);
      return prefetch ? d.prefetch(prefetch) : d;
    };
    auto alone = AllBits(chain(0, 0).iterator());
    for (int threads : {1, 2, 8, 32}) {
      EXPECT_EQ(AllBits(chain(threads, 3).iterator()), alone) << threads;
    }
  }
}

TEST(Threads, SeveralCallTheFunctionAtOnce) {
  // Two calls wait for each other: this needs two threads.
  struct Meeting {
    std::mutex mu;
    std::condition_variable both;
    int here = 0;
  };
  auto meeting = std::make_shared<Meeting>();
  auto data = Stream(2).map(
      [meeting](Tensor x) {
        std::unique_lock lock(meeting->mu);
        ++meeting->here;
        meeting->both.notify_all();
        meeting->both.wait(lock, [&] { return meeting->here == 2; });
        return x;
      },
      {.threads = 2});
  EXPECT_EQ(Numbers(data), (std::vector<int64_t>{0, 1}));
}

TEST(Threads, AnErrorComesInItsPlaceAndStays) {
  for (const Dataset<1>& source : {range(100), Stream(100)}) {
    for (int threads : {0, 1, 4}) {
      auto data = source.map(
          [](Tensor x) {
            if (x.item<int64_t>() == 17) throw std::runtime_error("boom");
            return x;
          },
          {.threads = threads, .name = "augment"});
      auto pass = data.iterator();
      for (int64_t i = 0; i < 17; ++i) {
        EXPECT_EQ((*pass.next())[0].item<int64_t>(), i);
      }
      std::string error = ErrorOf([&] { pass.next(); });
      Contains(error, "[map augment] element 17");
      Contains(error, "boom");
      EXPECT_EQ(ErrorOf([&] { pass.next(); }), error);
      EXPECT_EQ(pass.taken(), 17);  // before the element that failed
      // Through later stages.
      auto later = data.batch(5).prefetch(3).iterator();
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(later.next());
      Contains(ErrorOf([&] { later.next(); }), "element 17");
    }
  }
}

TEST(Threads, ErrorsOfOpsKeepTheirTextAndCode) {
  auto data =
      range(3).map([](Tensor x) { return matmul(x, x); }, {.threads = 2});
  auto pass = data.iterator();
  try {
    pass.next();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kInvalidArgument);
    Contains(e.what(), "[map] element 0 of the source: [MatMul]");
  }
  auto odd = range(1).map([](Tensor x) {
    throw 5;
    return x;
  });
  Contains(ErrorOf([&] { odd.iterator().next(); }), "no std::exception");
  auto filtered =
      range(3).filter([](Tensor) -> bool { throw std::runtime_error("no"); });
  Contains(ErrorOf([&] { filtered.iterator().next(); }),
           "[filter] element 0 of the source: no");
}

TEST(Threads, AGeneratorThatThrowsNamesItsElement) {
  auto data = from_generator<1>([] {
    return [i = 0]() mutable -> std::optional<std::array<Tensor, 1>> {
      if (i == 3) throw std::runtime_error("disk gone");
      return {{constant(i++)}};
    };
  });
  auto pass = data.prefetch(2).iterator();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(pass.next());
  Contains(ErrorOf([&] { pass.next(); }), "[generator] element 3: disk gone");
}

TEST(Threads, LeavingInTheMiddleJoinsThem) {
  auto running = std::make_shared<std::atomic<int>>(0);
  struct Count {
    std::atomic<int>& n;
    explicit Count(std::atomic<int>& c) : n(c) { ++n; }
    ~Count() { --n; }
  };
  for (int stop = 0; stop < 30; ++stop) {
    auto pass = Stream(1000000)
                    .map(
                        [running](Tensor x) {
                          Count count(*running);
                          return Work(x);
                        },
                        {.threads = 5})
                    .batch(2)
                    .prefetch(4)
                    .iterator();
    for (int i = 0; i < stop; ++i) EXPECT_TRUE(pass.next());
    pass.start(0);  // drops the open pass, as the destructor does
    EXPECT_EQ(*running, 0);
  }
}

TEST(Threads, BuffersAreBounded) {
  auto made = std::make_shared<std::atomic<int64_t>>(0);
  auto pass = Stream(100000)
                  .map([made](Tensor x) {
                    ++*made;
                    return x;
                  })
                  .prefetch(8)
                  .iterator();
  for (int64_t i = 0; i < 2000; ++i) {
    pass.next();
    EXPECT_LE(*made, i + 1 + 8 + 1);
  }
}

TEST(Threads, ManyPassesAtOnce) {
  auto data = range(500)
                  .shuffle(100, 3)
                  .map(Work, {.threads = 2})
                  .batch(10)
                  .prefetch(2);
  auto wanted = AllBits(data.iterator());
  std::vector<std::thread> threads;
  std::atomic<int> same{0};
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] { same += AllBits(data.iterator()) == wanted; });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(same, 6);
}

}  // namespace
}  // namespace sluice::data
