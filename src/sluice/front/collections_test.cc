#include "sluice/front/collections.h"

#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

TEST(CollectionsFace, AccumulatorGivesTheMean) {
  Graph graph;
  GraphScope building(graph);
  auto sums = accumulator(f32, {2});
  auto give = placeholder(f32, {2});
  auto apply = sums.apply(0, give);
  Session session(graph);
  session.run(apply, {{give, {1, 2}}});
  session.run(apply, {{give, {3, 6}}});
  EXPECT_EQ(session.run(sums.count()).data<int64_t>()[0], 2);
  EXPECT_EQ(Elements<float>(session.run(sums.take(2))),
            (std::vector<float>{2, 4}));
}

TEST(CollectionsFace, TableFindsWhatWasInserted) {
  Graph graph;
  GraphScope building(graph);
  auto table = hash_table(sluice::string, f32);
  Session session(graph);
  session.run(table.insert({"a", "b"}, {1, 2}));
  EXPECT_EQ(Elements<float>(session.run(table.find({"b", "x", "a"}, -1))),
            (std::vector<float>{2, -1, 1}));
  session.run(table.erase({"b"}));
  EXPECT_EQ(session.run(table.size()).data<int64_t>()[0], 1);
  auto entries = table.entries();
  EXPECT_EQ(Elements<float>(session.run(entries.values)),
            (std::vector<float>{1}));
}

TEST(CollectionsFace, BarrierJoinsComponents) {
  Graph graph;
  GraphScope building(graph);
  auto join = barrier({f32, i64}, {Shape(), Shape()});
  Session session(graph);
  session.run(join.insert(0, {"a", "b"}, {1, 2}));
  session.run(join.insert(1, {"b"}, {20}));
  EXPECT_EQ(session.run(join.ready_size()).data<int64_t>()[0], 1);
  EXPECT_EQ(session.run(join.incomplete_size()).data<int64_t>()[0], 1);
  auto taken = join.take(1);
  std::vector<Array> got = session.run({taken[0], taken[1], taken[2]});
  EXPECT_EQ(Elements<std::string>(got[0]), (std::vector<std::string>{"b"}));
  EXPECT_EQ(Elements<float>(got[1]), (std::vector<float>{2}));
  EXPECT_EQ(Elements<int64_t>(got[2]), (std::vector<int64_t>{20}));
}

TEST(CollectionsFace, MutexIsHeldByOneStep) {
  Graph graph;
  GraphScope building(graph);
  auto lock = mutex();
  auto ticket = lock.acquire();
  auto release = lock.release(ticket);
  Session session(graph);
  session.run(release);  // acquires first: its operand
  Array held = session.run(ticket);
  Contains(ErrorOf([&] { session.run(ticket, {}, {.timeout_ms = 1}); }),
           "deadline");
  session.run(release, {{ticket, held}});
  session.run(release);
}

}  // namespace
}  // namespace sluice
