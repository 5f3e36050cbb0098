// A graph with a queue, for tests of what waits inside branches and loops.
#pragma once

#include "tests/conformance/conformance_test_util.h"

namespace sluice {

class QueuesInLoops : public ::testing::Test {
 protected:
  // A graph with one queue of i64, made anew for every executor and bound.
  struct Made {
    explicit Made(int64_t capacity) : scope(graph) {
      queue = fifo_queue(capacity, {i64}, {Shape()});
      x = Scalar(i64, "x");
      put = queue.enqueue({x});
      take = queue.dequeue()[0];
      size = queue.size();
      close = queue.close();
    }
    Graph graph;
    GraphScope scope;
    Queue queue;
    Tensor x, take, size;
    Operation put, close;
  };

  static void EachBound(
      const std::function<void(LoopOptions, const RunOptions&)>& f) {
    for (int64_t parallel : {1, 4, 32}) {
      SCOPED_TRACE(parallel);
      EachExecutor([&](const RunOptions& options) {
        f({.parallel_iterations = parallel}, options);
      });
    }
  }
  // 0, 3, 6, ...
  static std::vector<int64_t> Multiples(int64_t n) {
    std::vector<int64_t> all(static_cast<size_t>(n));
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = 3 * static_cast<int64_t>(i);
    return all;
  }
};

}  // namespace sluice
