// Elements of each stage, in order, with and without a table.
#include <set>

#include "sluice/data/data_test_util.h"

namespace sluice::data {
namespace {

using Ints = std::vector<int64_t>;

Ints Sorted(Ints v) {
  std::sort(v.begin(), v.end());
  return v;
}

TEST(Dataset, RangeForOverTensors) {
  auto data = from_tensors(constant({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}),
                           constant({7, 8, 9}, i64));
  EXPECT_EQ(data.size(), 3);
  int64_t label = 7;
  for (auto& [x, y] : data) {
    EXPECT_EQ(x.shape(), (PartialShape{2}));
    EXPECT_EQ(y.item<int64_t>(), label++);
  }
  EXPECT_EQ(label, 10);
  int batches = 0;
  for (auto& [x, y] : data.batch(2)) {
    EXPECT_EQ(x.dim(0), batches == 0 ? 2 : 1);
    EXPECT_EQ(y.dim(0), x.dim(0));
    ++batches;
  }
  EXPECT_EQ(batches, 2);
}

TEST(Dataset, RangesGoBothWays) {
  EXPECT_EQ(Numbers(range(4)), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(Numbers(range(2, 9, 3)), (Ints{2, 5, 8}));
  EXPECT_EQ(Numbers(range(3, 0, -2)), (Ints{3, 1}));
  EXPECT_EQ(Numbers(range(3, 0)), Ints{});
  EXPECT_EQ(range(INT64_MIN, INT64_MAX, INT64_MAX).size(), 3);
  Contains(ErrorOf([] { range(0, 1, 0); }), "[range] step is 0");
  Contains(ErrorOf([] { range(INT64_MIN, INT64_MAX); }), "[range] has");
}

// Every chain on a table and on a stream: both must agree in everything.
TEST(Dataset, TablesAndStreamsGiveTheSame) {
  auto chains = [](Dataset<1> d) {
    return std::vector<Dataset<1>>{
        d.shuffle(4, 3),
        d.shuffle(100, 3).batch(3),
        d.take(5).skip(2),
        d.skip(3).take(100),
        d.shard(1, 3),
        d.shard(2, 3).batch(2, {.drop_last = true}),
        d.shuffle(6, 1).repeat(3).batch(4),
        d.shuffle(6, 1).repeat().take(45).batch(4),
        d.repeat(2).shuffle(9, 5).shard(0, 2),
        d.map([](Tensor x) { return x * 2; }).shuffle(5, 2).batch(3),
        d.map([](Tensor x) { return x * 2; }, {.threads = 3}).batch(3),
        d.filter([](Tensor x) { return x.item<int64_t>() % 3 != 0; }).batch(2),
        d.concat(d.skip(8)).shuffle(30, 1).batch(7),
        d.padded_batch(3),
        d.batch(2).prefetch(2).take(3),
    };
  };
  auto tables = chains(range(11)), streams = chains(Stream(11));
  for (size_t i = 0; i < tables.size(); ++i) {
    SCOPED_TRACE(tables[i].describe());
    for (uint64_t epoch : {0, 1}) {
      EXPECT_EQ(AllBits(tables[i].iterator(epoch)),
                AllBits(streams[i].iterator(epoch)));
    }
  }
}

TEST(Zip, RowsGoTogetherInAnyOrder) {
  auto twice = [](Tensor x) { return x * 2; };
  // The first is gathered from tables; in the others something is a stream, or
  // reordered.
  auto table = range(20).zip(range(25).map(twice));
  auto stream = Stream(20).zip(range(25).map(twice));
  for (uint64_t epoch : {0, 1}) {
    EXPECT_EQ(AllBits(table.shuffle(7, 3).batch(4).iterator(epoch)),
              AllBits(stream.shuffle(7, 3).batch(4).iterator(epoch)));
  }
  for (auto& [a, b] : table.shuffle(20, 1).batch(3)) {
    EXPECT_TRUE((a * 2).array().BitEquals(b.array()));
  }
  auto mixed = range(9).shuffle(9, 1).zip(range(9).skip(2));
  EXPECT_EQ(mixed.size(), 7);
  Ints first, second;
  for (auto& [a, b] : mixed.batch(2)) {
    for (int64_t v : a.to_vector<int64_t>()) first.push_back(v);
    for (int64_t v : b.to_vector<int64_t>()) second.push_back(v);
  }
  Ints order = Numbers(range(9).shuffle(9, 1));
  order.resize(7);
  EXPECT_EQ(first, order);
  EXPECT_EQ(second, Numbers(range(2, 9)));
}

TEST(Dataset, SizesAreWhatComes) {
  auto d = range(11);
  std::vector<Dataset<1>> all{d.shuffle(4),
                              d.take(5).skip(2),
                              d.skip(20),
                              d.shard(1, 3),
                              d.shard(2, 3),
                              d.batch(4),
                              d.batch(4, {.drop_last = true}),
                              d.repeat(3).batch(5),
                              d.concat(d),
                              d.repeat().take(30),
                              d.map([](Tensor x) { return x; }).prefetch(2),
                              d.cache(),
                              d.padded_batch(4, {.drop_last = true})};
  for (auto& each : all) {
    SCOPED_TRACE(each.describe());
    EXPECT_EQ(each.size(),
              static_cast<int64_t>(AllBits(each.iterator()).size()));
  }
  EXPECT_EQ(d.zip(d.take(4)).size(), 4);
  EXPECT_EQ(d.repeat().size(), std::nullopt);
  EXPECT_EQ(Stream(3).size(), std::nullopt);
}

TEST(Shuffle, IsAPermutationThatDependsOnSeedAndPass) {
  auto data = range(1000);
  Ints in_order = Numbers(data);
  Ints a = Numbers(data.shuffle(1000, 7));
  EXPECT_NE(a, in_order);
  EXPECT_EQ(Sorted(a), in_order);
  EXPECT_EQ(a, Numbers(data.shuffle(1000, 7)));
  EXPECT_NE(a, Numbers(data.shuffle(1000, 8)));
  EXPECT_NE(a, Numbers(data.shuffle(1000, 7), 1));
  EXPECT_EQ(Numbers(data.shuffle(1, 7)), in_order);
  // With a buffer of k, no element comes out more than k places early.
  Ints small = Numbers(data.shuffle(10, 7));
  EXPECT_EQ(Sorted(small), in_order);
  for (size_t i = 0; i < small.size(); ++i) {
    EXPECT_LT(small[i], static_cast<int64_t>(i) + 10);
  }
}

TEST(Shuffle, MixesEvenly) {
  // The position of element 0 of 8, over many seeds.
  std::vector<int> counts(8);
  for (uint64_t seed = 0; seed < 8000; ++seed) {
    Ints order = Numbers(range(8).shuffle(8, seed));
    ++counts[static_cast<size_t>(std::find(order.begin(), order.end(), 0) -
                                 order.begin())];
  }
  for (int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Shuffle, EachLoopIsAnotherPass) {
  auto data = range(50).shuffle(50, 3);
  auto loop = [&] {
    Ints all;
    for (auto& [x] : data) all.push_back(x.item<int64_t>());
    return all;
  };
  EXPECT_EQ(loop(), Numbers(data, 0));
  EXPECT_EQ(loop(), Numbers(data, 1));
  // Repeat concatenates the same passes.
  Ints both = Numbers(data.repeat(2));
  Ints first = Numbers(data, 0), second = Numbers(data, 1);
  first.insert(first.end(), second.begin(), second.end());
  EXPECT_EQ(both, first);
}

TEST(Shard, PartsAreDisjointAndWhole) {
  auto data = range(103).shuffle(50, 9);
  std::multiset<int64_t> all;
  for (int i = 0; i < 4; ++i) {
    for (int64_t v : Numbers(data.shard(i, 4))) all.insert(v);
  }
  EXPECT_EQ(Ints(all.begin(), all.end()), Numbers(range(103)));
  Contains(ErrorOf([&] { data.shard(4, 4); }), "0 <= index < count");
}

TEST(Map, ChangesTheNumberOfComponents) {
  auto pairs = range(4).map([](Tensor x) { return std::pair(x, x + 10); });
  static_assert(std::is_same_v<decltype(pairs), Dataset<2>>);
  auto sums = pairs.map([](Tensor a, Tensor b) { return a + b; });
  EXPECT_EQ(Numbers(sums), (Ints{10, 12, 14, 16}));
  auto three = sums.map([](Tensor x) { return std::array{x, x, x}; });
  for (auto& [a, b, c] : three.take(1)) EXPECT_EQ(c.item<int64_t>(), 10);
  auto zipped = range(3).zip(pairs);
  static_assert(std::is_same_v<decltype(zipped), Dataset<3>>);
  for (auto& [i, a, b] : zipped) {
    EXPECT_EQ(i.item<int64_t>() + 10, b.item<int64_t>());
  }
}

TEST(Map, RunsImperativelyInsideAGraphScope) {
  auto data = range(3).map([](Tensor x) { return x + 1; });
  Graph graph;
  GraphScope building(graph);
  EXPECT_EQ(Numbers(data), (Ints{1, 2, 3}));
}

TEST(Map, RandomDependsOnSeedPassAndElement) {
  auto noisy = [](int threads, uint64_t seed) {
    return range(40).map(
        [](Random& random, Tensor x) {
          return constant(x.item<int64_t>() * 1000 +
                              static_cast<int64_t>(random.below(1000)),
                          i64);
        },
        {.threads = threads, .seed = seed});
  };
  Ints a = Numbers(noisy(0, 1));
  EXPECT_EQ(a, Numbers(noisy(4, 1)));
  EXPECT_NE(a, Numbers(noisy(0, 2)));
  EXPECT_NE(a, Numbers(noisy(0, 1), 1));
}

TEST(Batch, ScalesBytesOnTheWay) {
  Array bytes = Array::Of<uint8_t>({3, 2}, {0, 255, 51, 102, 1, 2});
  auto data = from_tensors(constant(bytes)).scale(0, 1 / 255.0f);
  auto slow = from_tensors(constant(bytes)).prefetch(1).scale(0, 1 / 255.0f);
  EXPECT_EQ(AllBits(data.iterator()), AllBits(slow.iterator()));
  auto batch = data.batch(3).iterator().next();
  EXPECT_EQ((*batch)[0].to_vector<float>()[1], 255 * (1 / 255.0f));
  EXPECT_EQ((*batch)[0].shape(), (PartialShape{3, 2}));
}

TEST(Batch, RaggedShapesNameTheElement) {
  auto ragged = range(6).map(
      [](Tensor x) { return ones({x.item<int64_t>() == 4 ? 3 : 2}); });
  for (auto data : {ragged.batch(3), ragged.prefetch(1).batch(3)}) {
    auto pass = data.iterator();
    EXPECT_TRUE(pass.next());
    std::string error = ErrorOf([&] { pass.next(); });
    Contains(error, "[batch] element 4 is (f32[3]) and element 3 is (f32[2])");
    Contains(error, "equal shapes");
    Contains(ErrorOf([&] { pass.next(); }), "element 4 is");
  }
  Contains(ErrorOf([] { range(2).batch(0); }), "[batch] n is 0");
}

TEST(PaddedBatch, PadsToTheLargest) {
  auto data = range(1, 4).map([](Tensor x) {
    int64_t n = x.item<int64_t>();
    return std::tuple(full({n, 4 - n}, 1.0f), constant(n));
  });
  auto batch = data.padded_batch(3, {.padding = {-1, 0}}).iterator().next();
  EXPECT_EQ((*batch)[0].shape(), (PartialShape{3, 3, 3}));
  EXPECT_EQ((*batch)[0].to_vector<float>(),
            (std::vector<float>{1, 1,  1,  -1, -1, -1, -1, -1, -1,  //
                                1, 1,  -1, 1,  1,  -1, -1, -1, -1,  //
                                1, -1, -1, 1,  -1, -1, 1,  -1, -1}));
  Contains(ErrorOf([&] {
             data.padded_batch(3, {.padding = {0, 0.5}}).iterator().next();
           }),
           "padding 0.5 for component 1 does not fit");
  Contains(ErrorOf([&] {
             data.padded_batch(3, {.padding = {1}}).iterator().next();
           }),
           "1 numbers for elements of 2 components");
}

TEST(Cache, ReadsItsSourceOnceAndKeepsItWhole) {
  auto calls = std::make_shared<int>(0);
  auto data = Stream(5)
                  .map([calls](Tensor x) {
                    ++*calls;
                    return x;
                  })
                  .cache();
  EXPECT_EQ(Numbers(data, 0, 2), (Ints{0, 1}));  // not complete: not cached
  EXPECT_EQ(Numbers(data), (Ints{0, 1, 2, 3, 4}));
  EXPECT_EQ(*calls, 7);
  for (auto& [x] : data) x.add_(100);  // does not affect the cache
  EXPECT_EQ(Numbers(data), (Ints{0, 1, 2, 3, 4}));
  EXPECT_EQ(*calls, 7);
}

TEST(Sources, RefuseWhatHasNoRows) {
  Contains(ErrorOf([] { from_tensors(constant(1)); }), "an axis 0");
  Contains(ErrorOf([] { from_tensors(ones({2}), ones({3})); }),
           "component 1 is f32[3] but component 0 is f32[2]");
}

TEST(Repeat, OfNothingEnds) {
  EXPECT_EQ(Numbers(range(0).repeat()), Ints{});
  EXPECT_EQ(Numbers(Stream(0).repeat()), Ints{});
  EXPECT_EQ(Numbers(range(3).repeat(0)), Ints{});
}

}  // namespace
}  // namespace sluice::data
