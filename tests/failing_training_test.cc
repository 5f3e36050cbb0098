// Memory that runs out while one thread fills a queue and another trains on
// what it takes from there. Wanted for every n: an error or the result, nothing
// hangs, and the next step is right.
// Not under sanitizers, which replace the allocator themselves.
#include <atomic>
#include <optional>
#include <thread>

#include "sluice/base/failing_allocation_test_util.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

// One thread fills a queue, the other takes batches and trains on them.
class QueueTraining : public testing::Test {
 protected:
  QueueTraining() {
    GraphScope building(graph_);
    queue_ = fifo_queue(2, {f32}, {Shape{4}});
    item_ = placeholder(f32, Shape{4}, "item");
    put_ = queue_.enqueue({item_});
    batch_ = queue_.dequeue_many(3)[0];
    Variable w = variable(ones({4, 2}), "w");
    loss_ = mean(square(matmul(batch_, w)));
    train_ = optim::SGD(0.01).minimize(loss_);
    size_ = queue_.size();
    rest_ = queue_.dequeue()[0];
    init_ = initialize_variables(graph_);
    session_.emplace(graph_);
    session_->run(init_);
  }

  // A step that waits too long would wait for ever.
  static RunOptions Soon() {
    RunOptions options;
    options.timeout_ms = 20'000;
    return options;
  }

  template <class F>
  static Status Try(F f) {
    return Guarded([&]() -> Status {
      f();
      return OkStatus();
    });
  }

  Status Step(std::vector<float>* out) {
    Status put, took;
    std::atomic<bool> putting{true};
    int64_t n = fail_at.exchange(0);
    Array value = Array::Zeros(DType::kF32, {4});
    std::thread producer([&] {
      for (int i = 0; i < 3; ++i) {
        // Once more when it failed: the other waits for three.
        for (int tries = 0; tries < 2; ++tries) {
          Status s =
              Try([&] { session_->run(put_, {{item_, value}}, Soon()); });
          if (s.ok()) break;
          put = s;
        }
      }
      putting = false;
    });
    fail_at = n;
    took = Try([&] {
      std::vector<Array> got = session_->run({loss_}, {}, {train_}, Soon());
      if (out) out->push_back(got[0].data<float>()[0]);
    });
    // What a step that failed leaves in the queue.
    bool more = true;
    while (more || putting) {
      int64_t before = fail_at.exchange(0);
      more = session_->run(size_).data<int64_t>()[0] > 0;
      if (more) session_->run(rest_);
      fail_at = before;
    }
    producer.join();
    return took.ok() ? put : took;
  }

  Graph graph_;
  Queue queue_;
  Tensor item_, batch_, loss_, size_, rest_;
  Operation put_, train_, init_;
  std::optional<Session> session_;
};

TEST_F(QueueTraining, StepsWhoseAllocationsFailDoNotHang) {
  ASSERT_TRUE(Step(nullptr).ok());
  ForEveryAllocation([&] { return Step(nullptr); },
                     [&] {
                       std::vector<float> loss;
                       Status status = Step(&loss);
                       ASSERT_TRUE(status.ok()) << status.ToString();
                       ASSERT_EQ(loss.size(), 1u);
                     });
}

}  // namespace
}  // namespace sluice
