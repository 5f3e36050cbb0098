// For tests of resources: the reply of an operation that may wait.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sluice/state/waiting.h"

namespace sluice {

// Shares its state with its replies, so it may be destroyed before they arrive.
class Answer {
 public:
  Reply reply() const {
    return [state = state_](Status status, std::vector<Array> outputs) {
      std::lock_guard lock(state->mu);
      ++state->count;
      state->status = std::move(status);
      state->outputs = std::move(outputs);
      state->cv.notify_all();
    };
  }
  // The number of replies received; any number other than 0 or 1 is a bug.
  int count() const {
    std::lock_guard lock(state_->mu);
    return state_->count;
  }
  bool pending() const { return count() == 0; }
  void Wait() const {
    std::unique_lock lock(state_->mu);
    state_->cv.wait(lock, [&] { return state_->count > 0; });
  }
  // REQUIRES (as for all below): the reply has arrived.
  Status status() const {
    std::lock_guard lock(state_->mu);
    EXPECT_EQ(state_->count, 1);
    return state_->status;
  }
  const Array& out(size_t i) const {
    EXPECT_TRUE(status().ok()) << status().ToString();
    EXPECT_LT(i, state_->outputs.size());
    return state_->outputs.at(i);
  }
  template <class T>
  T value(size_t i = 0) const {
    EXPECT_EQ(out(i).num_elements(), 1);
    return out(i).template data<T>()[0];
  }
  template <class T>
  std::vector<T> values(size_t i = 0) const {
    const Array& a = out(i);
    return {a.data<T>(), a.data<T>() + a.num_elements()};
  }

 private:
  struct State {
    std::mutex mu;
    std::condition_variable cv;
    int count = 0;
    Status status;
    std::vector<Array> outputs;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

inline void ExpectError(const Status& status, Code code,
                        const std::string& message) {
  EXPECT_EQ(status.code(), code) << status.ToString();
  EXPECT_NE(status.message().find(message), std::string::npos)
      << "got:    " << status.message() << "\nwanted: " << message;
}

}  // namespace sluice
