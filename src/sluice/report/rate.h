// RecentRate: the recent rate of work per second. An average over the whole
// time would hide a slowdown; that of the last step would fluctuate.
//
// A plain value.
#pragma once

#include <deque>
#include <limits>

namespace sluice::report {

class RecentRate {
 public:
  // At that time, `done` was the total so far. Neither may decrease.
  void Mark(double seconds, double done) {
    if (marks_.size() > 1 &&
        seconds - marks_[marks_.size() - 2].seconds < kApart) {
      marks_.back() = {seconds, done};
    } else {
      marks_.push_back({seconds, done});
    }
    while (marks_.size() > 2 && seconds - marks_[1].seconds >= kWindow) {
      marks_.pop_front();
    }
  }
  // NaN while unknown.
  double PerSecond() const {
    if (marks_.size() > 1) {
      double seconds = marks_.back().seconds - marks_.front().seconds;
      double done = marks_.back().done - marks_.front().done;
      if (seconds > 0) return done / seconds;
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

 private:
  static constexpr double kWindow = 30, kApart = 0.25;  // seconds
  struct At {
    double seconds, done;
  };
  std::deque<At> marks_;
};

}  // namespace sluice::report
