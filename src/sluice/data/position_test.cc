// A restored position continues with the same elements, bit for bit.
#include <atomic>

#include "sluice/data/data_test_util.h"
#include "sluice/data/position_text.h"

namespace sluice::data {
namespace {

Tensor Twice(Tensor x) { return x * 2; }

std::vector<Dataset<1>> Pipelines(const Dataset<1>& d) {
  return {
      d,
      d.shuffle(5, 3).batch(4),
      d.map(Twice, {.threads = 3}).shuffle(6, 2).batch(2),
      d.shuffle(30, 3).map(Twice, {.threads = 2}).batch(3).prefetch(3),
      d.map(Twice, {.threads = 2}).prefetch(2).shuffle(7, 1).shard(1, 2),
      d.shuffle(8, 4).repeat(3).batch(5),
      d.repeat(2).shuffle(9, 4).skip(3).take(30).batch(4),
      d.filter([](Tensor x) { return x.item<int64_t>() % 3 > 0; }).batch(2),
      d.concat(d.shuffle(4, 1)).shuffle(11, 5).padded_batch(3),
      d.map(
          [](Random& random, Tensor x) {
            return x * 100 + static_cast<int64_t>(random.below(100));
          },
          {.threads = 3, .seed = 5}),
      d.shuffle(6, 1).cache().batch(3),
      d.batch(3).shuffle(3, 1).map(Twice, {.threads = 4}),
  };
}

TEST(Position, GoesOnExactlyFromAnyElement) {
  for (const Dataset<1>& source : {range(17), Stream(17)}) {
    for (const Dataset<1>& data : Pipelines(source)) {
      SCOPED_TRACE(data.describe());
      for (uint64_t epoch : {0, 2}) {
        std::vector<std::string> all = AllBits(data.iterator(epoch));
        ASSERT_FALSE(all.empty());
        auto pass = data.iterator(epoch);
        for (size_t taken = 0; taken <= all.size(); ++taken) {
          auto other = data.iterator();
          other.restore(pass.state());
          EXPECT_EQ(other.epoch(), epoch);
          EXPECT_EQ(
              AllBits(std::move(other)),
              std::vector<std::string>(
                  all.begin() + static_cast<std::ptrdiff_t>(taken), all.end()))
              << "after " << taken;
          if (taken < all.size()) {
            EXPECT_EQ(Bits(*pass.next()), all[taken]);
          }
        }
        EXPECT_FALSE(pass.next());
      }
    }
  }
}

TEST(Position, CountsWhatWasReceivedNotWhatWasMade) {
  auto made = std::make_shared<std::atomic<int>>(0);
  auto data = Stream(100)
                  .map([made](Tensor x) {
                    ++*made;
                    return x;
                  })
                  .prefetch(50);
  auto pass = data.iterator();
  for (int i = 0; i < 3; ++i) pass.next();
  while (*made < 20) std::this_thread::yield();  // far ahead
  EXPECT_EQ(pass.taken(), 3);
  auto other = data.iterator();
  other.restore(pass.state());
  EXPECT_EQ((*other.next())[0].item<int64_t>(), 3);
}

TEST(Position, MapsAreNotCalledForWhatWasTaken) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  auto data = range(1000)
                  .map([calls](Tensor x) {
                    ++*calls;
                    return x;
                  })
                  .shuffle(1000, 1)
                  .repeat()
                  .batch(10);
  auto pass = data.iterator();
  pass.restore(PositionText{data.describe(), 0, 1000000}.ToText());
  EXPECT_EQ(*calls, 0);
  EXPECT_TRUE(pass.next());
  EXPECT_EQ(*calls, 10);
}

TEST(Position, ThreadsAreNoPartOfIt) {
  auto one = range(50).shuffle(20, 1).map(Twice).batch(4);
  auto many =
      range(50).shuffle(20, 1).map(Twice, {.threads = 4}).batch(4).prefetch(2);
  auto from = one.iterator(), to = many.iterator();
  for (int i = 0; i < 5; ++i) from.next();
  to.restore(from.state());
  EXPECT_EQ(AllBits(std::move(to)), AllBits(std::move(from)));
}

TEST(Position, IsALineOfJson) {
  auto pass = range(9).shuffle(3, 7).batch(2).iterator(4);
  pass.next();
  EXPECT_EQ(pass.state(),
            "{\"pipeline\": \"range(0, 9, 1) > shuffle(3, seed 7) > "
            "batch(2)\", \"epoch\": 4, \"taken\": 1}");
}

TEST(Position, RefusesOtherTextsAndStaysWhereItIs) {
  auto pass = range(9).batch(2).iterator();
  pass.next();
  std::string good = pass.state();
  Contains(ErrorOf([&] { pass.restore(range(9).batch(3).iterator().state()); }),
           "a position in another pipeline: \"range(0, 9, 1) > batch(3)\"; "
           "wanted \"range(0, 9, 1) > batch(2)\"");
  // Every prefix of the text, and every text with one byte changed.
  for (size_t n = 0; n < good.size(); ++n) {
    EXPECT_NE(ErrorOf([&] { pass.restore(good.substr(0, n)); }), "") << n;
  }
  for (size_t n = 0; n < good.size(); ++n) {
    for (char c : {'\0', '"', '{', '9', '\\', '-', '\xff'}) {
      std::string bad = good;
      bad[n] = c;
      auto victim = range(9).batch(2).iterator();
      ErrorOf([&] { victim.restore(bad); });
    }
  }
  Contains(ErrorOf([&] {
             pass.restore("{\"pipeline\": \"\", \"epoch\": 0, \"taken\": -1}");
           }),
           "goes wrong at byte");
  EXPECT_EQ((*pass.next())[0].to_vector<int64_t>()[0], 2);
}

std::vector<std::string> Train(Loader<1>& loader, uint64_t epochs,
                               size_t stop_after, std::string* saved) {
  std::vector<std::string> seen;
  while (loader.epoch() < epochs) {
    for (auto& batch : loader) {
      seen.push_back(Bits(batch));
      if (seen.size() == stop_after) {
        *saved = loader.state();
        return seen;
      }
    }
  }
  return seen;
}

TEST(Loader, AProgramThatStopsAndGoesOnSeesTheSame) {
  auto data = range(23).shuffle(10, 3).batch(4).prefetch(2);  // 6 a pass
  std::string unused;
  Loader<1> whole(data);
  auto all = Train(whole, 3, 1000, &unused);
  EXPECT_EQ(all.size(), 18u);
  for (size_t stop = 1; stop <= 18; ++stop) {
    std::string saved;
    Loader<1> first(data), second(data);
    auto seen = Train(first, 3, stop, &saved);
    second.restore(saved);
    auto rest = Train(second, 3, 1000, &unused);
    seen.insert(seen.end(), rest.begin(), rest.end());
    EXPECT_EQ(seen, all) << "stopped after " << stop;
  }
}

TEST(Loader, ALoopLeftEarlyIsFollowedByTheNextPass) {
  Loader<1> loader(range(10).shuffle(10, 1));
  for (auto& [x] : loader) {
    (void)x;
    if (loader.taken() == 3) break;
  }
  EXPECT_EQ(loader.epoch(), 0u);
  std::vector<int64_t> seen;
  for (auto& [x] : loader) seen.push_back(x.item<int64_t>());
  EXPECT_EQ(seen, Numbers(loader.dataset(), 1));
  EXPECT_EQ(loader.epoch(), 2u);
}

TEST(DataLoader, HasTheOptionsOfPyTorch) {
  auto data = range(100).map([](Tensor x) { return std::pair(x, x * x); });
  DataLoader loader(data, {.batch_size = 8,
                           .shuffle = true,
                           .num_workers = 3,
                           .drop_last = true,
                           .seed = 5});
  EXPECT_EQ(loader.size(), 12);
  std::vector<std::string> seen, alone;
  for (auto& batch : loader) seen.push_back(Bits(batch));
  EXPECT_EQ(seen.size(), 12u);
  DataLoader one(
      data, {.batch_size = 8, .shuffle = true, .drop_last = true, .seed = 5});
  for (auto& batch : one) alone.push_back(Bits(batch));
  EXPECT_EQ(seen, alone);

  DataLoader plain(data);
  for (auto& [x, y] : plain) {
    EXPECT_EQ(x.shape(), (PartialShape{1}));
    EXPECT_EQ(y.shape(), (PartialShape{1}));
  }
  // With a stream.
  DataLoader stream(Stream(20),
                    {.batch_size = 6, .shuffle = true, .num_workers = 2});
  EXPECT_EQ(Numbers(stream.dataset()).size(), 20u);
  Contains(ErrorOf([&] { DataLoader bad(data, {.num_workers = -1}); }),
           "[DataLoader] num_workers is -1");
}

}  // namespace
}  // namespace sluice::data
