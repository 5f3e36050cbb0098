// Two threads share a graph and a session: one fills a queue, the other takes
// batches out of it. Steps that wait hold no thread of the session.
//
// Prints:
//   mean of 0 .. 3: 1.5
//   mean of 4 .. 7: 5.5
//   the queue is closed and empty
#include <sluice/sluice.h>

#include <cstdio>
#include <thread>

namespace sl = sluice;

int main() {
  sl::Graph graph;
  sl::GraphScope building(graph);
  auto queue = sl::fifo_queue(/*capacity=*/2, {sl::f32}, {sl::Shape{}});
  auto item = sl::placeholder(sl::f32, sl::Shape{}, "item");
  auto put = queue.enqueue({item});
  auto close = queue.close();
  auto batch = queue.dequeue_many(4)[0];
  auto mean = sl::mean(batch);

  sl::Session session(graph);
  std::thread producer([&] {
    for (int i = 0; i < 8; ++i) session.run(put, {{item, i}});
    session.run(close);
  });
  try {
    for (;;) {
      auto got = session.run({batch, mean});
      const float* b = got[0].data<float>();
      std::printf("mean of %g .. %g: %g\n", b[0], b[3],
                  got[1].data<float>()[0]);
    }
  } catch (const sl::Error& e) {
    if (e.code() != sl::Code::kOutOfRange) throw;
    std::printf("the queue is closed and empty\n");
  }
  producer.join();
}
