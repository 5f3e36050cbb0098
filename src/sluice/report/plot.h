// Plot: lines over an axis as a picture, such as the loss of a training run.
//
//   report::Plot plot({.title = "Loss", .y_label = "cross entropy",
//                      .smooth = 0.02});
//   plot.line("train", steps, losses).line("test", test_steps, test_losses);
//   plot.save("loss.png");
//
// Points that are not finite (or, on a logarithmic axis, not positive) leave a
// gap in their line. Throws sluice::Error when a line's numbers do not agree or
// the file cannot be written. A plain value, not thread safe.
#pragma once

#include <string>
#include <vector>

namespace sluice::report {

struct PlotOptions {
  std::string title = {};
  std::string x_label = "step", y_label = {};
  int width = 960, height = 540;  // pixels, 160 to 8192
  bool log_y = false;
  // Above 0: each line also as the average of its neighbourhood, which is this
  // part of the line; the line itself is then faint. 0.05 is much.
  double smooth = 0;
};

class Plot {
 public:
  explicit Plot(PlotOptions options = {});

  // As many of both.
  Plot& line(std::string name, std::vector<double> x, std::vector<double> y);
  // Over 0, 1, 2, ...
  Plot& line(std::string name, std::vector<double> y);

  // Bytes of a PNG.
  std::string png() const;
  void save(const std::string& path) const;
  int width() const { return options_.width; }
  int height() const { return options_.height; }

 private:
  struct Series {
    std::string name;
    std::vector<double> x, y;
  };
  friend class PlotPainter;

  PlotOptions options_;
  std::vector<Series> series_;
};

}  // namespace sluice::report
