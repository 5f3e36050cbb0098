#include "apps/sluice/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace sluice::app {

namespace {
constexpr int kBar = 28;
constexpr double kRefresh = 0.05;  // seconds; faster than that nobody reads
}  // namespace

Progress::Progress(std::FILE* out)
    : out_(out),
      terminal_(isatty(fileno(out)) != 0),
      start_(std::chrono::steady_clock::now()) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       start_)
      .count();
}

void Progress::Show(double done, const std::string& text) {
  done = std::clamp(done, 0.0, 1.0);
  double now = seconds();
  double stamp = terminal_ ? now : std::floor(done * 10);
  bool due =
      last_shown_ < 0 || done >= 1 ||
      (terminal_ ? stamp - last_shown_ >= kRefresh : stamp > last_shown_);
  if (!due) return;
  last_shown_ = stamp;

  char percent[8];
  std::snprintf(percent, sizeof percent, "%3.0f%%", done * 100);
  std::string line = percent;
  if (terminal_) {
    int full = static_cast<int>(done * kBar);
    line += " [" + std::string(static_cast<size_t>(full), '#') +
            std::string(static_cast<size_t>(kBar - full), '.') + "]";
  }
  line += "  " + text;
  if (done > 0.02 && done < 1) {
    char eta[32];
    std::snprintf(eta, sizeof eta, "  %.0f s left",
                  std::ceil(now / done * (1 - done)));
    line += eta;
  }
  size_t length = line.size();
  if (terminal_) {
    // Blanks over what the longer line before left.
    if (length < last_length_) line.append(last_length_ - length, ' ');
    std::fprintf(out_, "\r%s", line.c_str());
  } else {
    std::fprintf(out_, "%s\n", line.c_str());
  }
  std::fflush(out_);
  last_length_ = length;
}

void Progress::Finish() {
  if (terminal_ && last_length_ > 0) std::fputc('\n', out_);
  last_length_ = 0;
}

}  // namespace sluice::app
