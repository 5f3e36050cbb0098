// Progress: how far training is, as people want to see it: one line that is
// drawn over on a terminal, and a plain line now and then anywhere else.
//
//   report::Progress progress({.total = steps, .items_per_step = 64,
//                              .unit = "images"});
//   for (auto& [images, labels] : loader)
//     progress.update(step(images, labels));      // the loss
//
//   42% [=====>.......] 420/1000  loss 0.1234  1.2k images/s  eta 0:17
//
// The last line stays when it finishes, which its end does at the latest. What
// cannot be written is not shown, and nothing else. Thread safe; it owns the
// terminal's last line meanwhile, so other text should go through note().
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
class Tensor;
}

namespace sluice::report {

struct ProgressOptions {
  int64_t total = 0;           // steps; 0: nobody knows
  int64_t start = 0;           // steps done already, by a run that goes on
  std::string label = {};      // in front: "epoch 2/5"
  double items_per_step = 1;   // for the rate
  std::string unit = "steps";  // of the rate
  // Off where steps are only parts of the way: no counts, no rate.
  bool show_steps = true;
  std::string loss_name = "loss";
  // How much of the shown loss is that of steps before; 0 shows the last one's.
  double smoothing = 0.9;

  double redraw_seconds = 0.1;  // on a terminal; faster than that nobody reads
  double line_seconds = 10;     // elsewhere
  int64_t line_steps = 0;       // elsewhere, instead of by time

  std::FILE* out = nullptr;  // null: stderr
  // What else would be asked of the system; for tests.
  enum class Answer : uint8_t { kAsk, kNo, kYes };
  Answer terminal = Answer::kAsk, color = Answer::kAsk, utf8 = Answer::kAsk;
  int columns = 0;                     // 0: ask, at every line
  std::function<double()> clock = {};  // seconds from any beginning
};

class Progress {
 public:
  // Shown behind the loss, in this order; each stays until a new one comes.
  using Metrics = std::vector<std::pair<std::string, double>>;

  explicit Progress(ProgressOptions options = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more step is done, with this loss. A loss that is not finite is shown
  // at once and not mixed with others.
  void update(double loss, const Metrics& metrics = {});
  // Throws when it is not one real number.
  void update(const Tensor& loss, const Metrics& metrics = {});
  // Steps without a loss.
  void advance(int64_t steps = 1, const Metrics& metrics = {});
  void advance_to(int64_t step, const Metrics& metrics = {});

  // A line of text above the bar.
  void note(std::string_view text);
  // The last line. Nothing is shown afterwards.
  void finish();

  double seconds() const;  // since the beginning
  double loss() const;     // as shown; NaN before the first

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::report
