#include "sluice/report/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/tensor.h"
#include "sluice/report/number.h"
#include "sluice/report/progress_line.h"
#include "sluice/report/rate.h"
#include "sluice/report/terminal.h"

namespace sluice::report {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double Now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool Decide(ProgressOptions::Answer answer, bool (*ask)()) {
  return answer == ProgressOptions::Answer::kAsk
             ? ask()
             : answer == ProgressOptions::Answer::kYes;
}

}  // namespace

struct Progress::Impl {
  ProgressOptions options;
  std::FILE* out = nullptr;
  bool terminal = false, color = false, utf8 = false;
  double start = 0;

  mutable Mutex mu;
  ProgressState state SL_GUARDED_BY(mu);
  RecentRate rate SL_GUARDED_BY(mu);
  // The average and its weight, which is below 1 while there are few losses.
  double average SL_GUARDED_BY(mu) = 0, weight SL_GUARDED_BY(mu) = 0;
  double last_shown SL_GUARDED_BY(mu) = -1;  // seconds since the start
  int64_t last_step SL_GUARDED_BY(mu) = -1;  // shown
  bool finished SL_GUARDED_BY(mu) = false;

  double Seconds() const { return std::max(options.clock() - start, 0.0); }

  void Learn(double loss) SL_REQUIRES(mu) {
    state.loss_name = options.loss_name;
    if (!std::isfinite(loss)) {
      state.loss = loss;
      return;
    }
    double keep = std::clamp(options.smoothing, 0.0, 1.0);
    average = keep * average + (1 - keep) * loss;
    weight = keep * weight + (1 - keep);
    state.loss = weight > 0 ? average / weight : loss;
  }

  void Step(int64_t to, const Metrics& metrics) SL_REQUIRES(mu) {
    for (const auto& [name, value] : metrics) {
      auto at = std::find_if(state.metrics.begin(), state.metrics.end(),
                             [&](const auto& m) { return m.first == name; });
      if (at == state.metrics.end()) {
        state.metrics.emplace_back(name, value);
      } else {
        at->second = value;
      }
    }
    state.step = std::max(state.step, to);
    double now = Seconds();
    rate.Mark(now, static_cast<double>(state.step));
    if (!finished && Due(now)) Show(now);
  }

  bool Due(double now) const SL_REQUIRES(mu) {
    if (last_step < 0) return true;  // a first sign of life
    if (terminal) return now - last_shown >= options.redraw_seconds;
    if (options.line_steps > 0) {
      return state.step / options.line_steps > last_step / options.line_steps;
    }
    return now - last_shown >= options.line_seconds;
  }

  void Show(double now) SL_REQUIRES(mu) {
    last_shown = now;
    last_step = state.step;
    state.elapsed = now;
    double per_second = rate.PerSecond();
    state.rate = per_second * options.items_per_step;
    state.remaining = kNaN;
    if (state.total > 0 && per_second > 0) {
      auto left =
          static_cast<double>(std::max<int64_t>(state.total - state.step, 0));
      state.remaining = left / per_second;
    }
    if (terminal) {
      LineStyle style{.columns = options.columns > 0 ? options.columns
                                                     : TerminalColumns(out),
                      .color = color,
                      .utf8 = utf8};
      // Erased behind the line, not before it: that would flicker.
      std::fprintf(out, "\r%s\x1b[K", BarLine(state, style).c_str());
    } else {
      std::fprintf(out, "%s\n", PlainLine(state).c_str());
    }
    std::fflush(out);
  }
};

Progress::Progress(ProgressOptions options) : impl_(std::make_unique<Impl>()) {
  Impl& p = *impl_;
  if (!options.clock) options.clock = Now;
  p.options = std::move(options);
  p.out = p.options.out ? p.options.out : stderr;
  using Answer = ProgressOptions::Answer;
  p.terminal = p.options.terminal == Answer::kAsk
                   ? IsTerminal(p.out)
                   : p.options.terminal == Answer::kYes;
  p.color = p.terminal && Decide(p.options.color, WantsColor);
  p.utf8 = p.terminal && Decide(p.options.utf8, WantsUtf8);
  p.start = p.options.clock();
  MutexLock lock(p.mu);
  p.state.label = p.options.label;
  p.state.total = std::max<int64_t>(p.options.total, 0);
  p.state.step = p.options.start;
  p.state.unit = p.options.unit;
  p.state.counts = p.options.show_steps;
  p.state.loss = kNaN;
  p.rate.Mark(0, static_cast<double>(p.options.start));
}

Progress::~Progress() { finish(); }

void Progress::update(double loss, const Metrics& metrics) {
  MutexLock lock(impl_->mu);
  impl_->Learn(loss);
  impl_->Step(impl_->state.step + 1, metrics);
}

void Progress::update(const Tensor& loss, const Metrics& metrics) {
  Result<double> number = NumberOf(ValueOrThrow(OnHost(loss.array())));
  if (!number.ok()) {
    throw Error(Status(number.status().code(),
                       StrCat("[Progress] loss: ", number.status().message())));
  }
  update(*number, metrics);
}

void Progress::advance(int64_t steps, const Metrics& metrics) {
  MutexLock lock(impl_->mu);
  impl_->Step(impl_->state.step + steps, metrics);
}

void Progress::advance_to(int64_t step, const Metrics& metrics) {
  MutexLock lock(impl_->mu);
  impl_->Step(step, metrics);
}

void Progress::note(std::string_view text) {
  MutexLock lock(impl_->mu);
  std::string line(text);
  bool drawn = impl_->terminal && impl_->last_step >= 0 && !impl_->finished;
  std::fprintf(impl_->out, "%s%s\n", drawn ? "\r\x1b[K" : "", line.c_str());
  if (drawn) impl_->Show(impl_->Seconds());
  std::fflush(impl_->out);
}

void Progress::finish() {
  MutexLock lock(impl_->mu);
  if (impl_->finished) return;
  impl_->finished = true;
  if (impl_->last_step < 0) return;  // nothing was ever shown
  impl_->state.finished = true;
  // On a terminal the line is drawn once more, with the time it took; a plain
  // line that was there already is not repeated.
  if (impl_->terminal || impl_->last_step != impl_->state.step) {
    impl_->Show(impl_->Seconds());
  }
  if (impl_->terminal) {
    std::fputc('\n', impl_->out);
    std::fflush(impl_->out);
  }
}

double Progress::seconds() const { return impl_->Seconds(); }

double Progress::loss() const {
  MutexLock lock(impl_->mu);
  return impl_->state.loss;
}

}  // namespace sluice::report
