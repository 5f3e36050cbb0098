// Reader threads during training: back-pressure, a clean end, errors that reach
// the consumer.
#include <atomic>
#include <thread>

#include "sluice/data/data_test_util.h"

namespace sluice::data {
namespace {

// A graph with a queue of numbers; enqueue steps increment a counter.
struct Numbered {
  explicit Numbered(int64_t capacity, int64_t batch) {
    GraphScope building(graph);
    queue = fifo_queue(capacity, {i64}, {Shape()});
    item = placeholder(i64, Shape(), "item");
    fill = queue.enqueue({item});
    taken = queue.dequeue_many(batch)[0];
    size = queue.size();
  }
  Graph graph;
  Queue queue;
  Tensor item, taken, size;
  Operation fill;
};

TEST(QueueRunner, ReadersFillWhileTrainingTakes) {
  Numbered g(8, 5);
  Session session(g.graph);
  std::vector<int64_t> seen;
  {
    QueueRunner readers(
        session, g.queue,
        enqueue_steps(session, range(100).shuffle(30, 1), g.fill, {g.item}),
        {.threads = 4});
    while (readers.feed([&] {
      Array got = session.run(g.taken);
      for (int64_t v : got.i64s()) seen.push_back(v);
    })) {
    }
    EXPECT_TRUE(readers.status().ok());
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, Numbers(range(100)));
}

TEST(QueueRunner, OneReaderKeepsTheOrder) {
  Numbered g(3, 4);
  Session session(g.graph);
  std::vector<int64_t> seen;
  QueueRunner reader(session, g.queue,
                     enqueue_steps(session, range(40), g.fill, {g.item}));
  while (reader.feed([&] {
    Array got = session.run(g.taken);
    for (int64_t v : got.i64s()) seen.push_back(v);
  })) {
  }
  EXPECT_EQ(seen, Numbers(range(40)));
}

TEST(QueueRunner, AFullQueueHoldsReadersBack) {
  Numbered g(6, 1);
  Session session(g.graph);
  std::atomic<int64_t> made{0};
  QueueRunner readers(session, g.queue,
                      [&] {
                        session.run(g.fill, {{g.item, made.fetch_add(1)}});
                        return true;
                      },
                      {.threads = 3});
  for (int64_t taken = 0; taken < 200; ++taken) {
    session.run(g.taken);
    // The queue's contents, and one element held by each reader.
    EXPECT_LE(made, taken + 1 + 6 + 3);
    EXPECT_LE(session.run(g.size).i64s()[0], 6);
  }
  readers.stop();  // in the middle: blocked readers are released
  EXPECT_TRUE(readers.status().ok());
}

TEST(QueueRunner, StepsOfTheGraphReadFiles) {
  // Reading is part of the graph too: no C++ runs between the steps.
  TempFile file("numbers.txt", "1\n2\n3\n4\n5\n6\n");
  Graph graph;
  Queue queue;
  Operation fill;
  Tensor batch;
  {
    GraphScope building(graph);
    auto reader = text_reader(file.path());
    queue = fifo_queue(2, {string}, {Shape()});
    fill = queue.enqueue({reader.read().value});
    batch = queue.dequeue_many(2)[0];
  }
  Session session(graph);
  std::vector<std::string> seen;
  QueueRunner readers(session, queue, fill, {.threads = 3});
  while (readers.feed([&] {
    Array got = session.run(batch);
    for (int64_t i = 0; i < 2; ++i) {
      seen.push_back(got.data<std::string>()[i]);
    }
  })) {
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "2", "3", "4", "5", "6"}));
}

TEST(FileReader, ReadsAndRemembersWhereItStands) {
  TempFile file("reader.tfrecord");
  TFRecordWriter writer(file.path());
  for (const char* record : {"a", "b", "c", "d"}) writer.write(record);
  writer.close();
  Graph graph;
  GraphScope building(graph);
  auto reader = record_reader(file.path());
  auto one = reader.read().value;
  auto many = reader.read_up_to(2).value;
  auto state = reader.state();
  auto text = placeholder(string, Shape(), "state");
  auto restore = reader.restore(text);
  auto reset = reader.reset();
  Session session(graph);
  auto next = [&] { return session.run(one).data<std::string>()[0]; };
  EXPECT_EQ(next(), "a");
  std::string saved = session.run(state).data<std::string>()[0];
  EXPECT_EQ(session.run(many).data<std::string>()[1], "c");
  session.run(restore, {{text, saved}});
  EXPECT_EQ(next(), "b");
  session.run(reset);
  for (int i = 0; i < 4; ++i) next();
  try {
    next();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kOutOfRange);
  }
}

TEST(QueueRunner, AReadersErrorReachesTheConsumer) {
  for (int threads : {1, 4}) {
    Numbered g(4, 2);
    Session session(g.graph);
    auto bad = range(1000).map([](Tensor x) {
      if (x.item<int64_t>() == 20) throw std::runtime_error("bad picture");
      return x;
    });
    QueueRunner readers(session, g.queue,
                        enqueue_steps(session, bad, g.fill, {g.item}),
                        {.threads = threads});
    int64_t batches = 0;
    std::string error = ErrorOf([&] {
      while (readers.feed([&] { session.run(g.taken); })) ++batches;
    });
    Contains(error, "[QueueRunner] a step that fills the queue failed");
    Contains(error, "[map] element 20");
    Contains(error, "bad picture");
    EXPECT_LE(batches, 10);
    readers.join();
    // The error is repeated for every caller.
    Contains(ErrorOf([&] { readers.feed([&] { session.run(g.taken); }); }),
             "bad picture");
  }
}

TEST(QueueRunner, ErrorsOfTrainingStayTheirOwn) {
  Numbered g(4, 2);
  Session session(g.graph);
  QueueRunner readers(session, g.queue,
                      enqueue_steps(session, range(1000000), g.fill, {g.item}),
                      {.threads = 2});
  Contains(ErrorOf([&] {
             readers.feed([&] {
               session.run(g.taken);
               throw Error(InvalidArgument("the loss is NaN"));
             });
           }),
           "the loss is NaN");
  // Going out of scope with a full queue joins the blocked readers.
}

TEST(QueueRunner, ASessionThatClosesEndsIt) {
  Numbered g(2, 1);
  Session session(g.graph);
  QueueRunner readers(session, g.queue,
                      enqueue_steps(session, range(1000000), g.fill, {g.item}),
                      {.threads = 3});
  session.run(g.taken);
  session.close();
  readers.join();
  EXPECT_TRUE(readers.status().ok());
}

TEST(QueueRunner, RefusesNoThreads) {
  Numbered g(2, 1);
  Session session(g.graph);
  Contains(ErrorOf([&] {
             QueueRunner none(session, g.queue, g.fill, {.threads = 0});
           }),
           "[QueueRunner] threads is 0");
}

}  // namespace
}  // namespace sluice::data
