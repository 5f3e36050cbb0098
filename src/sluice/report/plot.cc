#include "sluice/report/plot.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/report/axis.h"
#include "sluice/report/canvas.h"
#include "sluice/report/folders.h"
#include "sluice/report/png.h"
#include "sluice/report/stroke_font.h"
#include "sluice/report/thin_line.h"

namespace sluice::report {

namespace {

constexpr Color kPaper = {255, 255, 255}, kInk = {40, 44, 52},
                kFaint = {110, 116, 126}, kGrid = {228, 231, 236};
constexpr Color kColors[] = {{38, 108, 214}, {232, 120, 40}, {44, 150, 90},
                             {208, 58, 88},  {132, 88, 204}, {20, 156, 172},
                             {156, 106, 58}, {120, 124, 132}};

Color ColorOf(size_t series) { return kColors[series % std::size(kColors)]; }

// Each point as the average of its neighbourhood, `part` of the line wide and
// narrower near the ends, so that nothing is shifted.
std::vector<double> Smoothed(const std::vector<double>& y, double part) {
  size_t n = y.size();
  std::vector<double> sum(n + 1, 0), count(n + 1, 0);
  for (size_t i = 0; i < n; ++i) {
    bool counts = std::isfinite(y[i]);
    sum[i + 1] = sum[i] + (counts ? y[i] : 0);
    count[i + 1] = count[i] + counts;
  }
  auto half = static_cast<size_t>(part * static_cast<double>(n) / 2);
  std::vector<double> out(y);
  for (size_t i = 0; i < n; ++i) {
    if (!std::isfinite(y[i])) continue;
    size_t reach = std::min({half, i, n - 1 - i});
    out[i] = (sum[i + reach + 1] - sum[i - reach]) /
             (count[i + reach + 1] - count[i - reach]);
  }
  return out;
}

}  // namespace

class PlotPainter {
 public:
  explicit PlotPainter(const Plot& plot)
      : plot_(plot),
        options_(plot.options_),
        canvas_(options_.width, options_.height, kPaper),
        x_(false),
        y_(options_.log_y) {
    // Everything grows with the picture, letters a little less.
    unit_ = std::sqrt(options_.width / 960.0 * (options_.height / 540.0));
    unit_ = std::max(unit_, 0.6);
    text_ = 9.5 * unit_;
  }

  Canvas Paint() {
    Measure();
    DrawAxes();
    for (size_t i = 0; i < plot_.series_.size(); ++i) DrawSeries(i);
    DrawLegend();
    return std::move(canvas_);
  }

 private:
  // Room for the axes, and which numbers stand at them.
  void Measure() {
    for (const auto& s : plot_.series_) {
      for (size_t i = 0; i < s.x.size(); ++i) {
        if (!x_.HasPlace(s.x[i]) || !y_.HasPlace(s.y[i])) continue;
        x_.Include(s.x[i]);
        y_.Include(s.y[i]);
      }
    }
    top_ = 2 * text_ + (options_.title.empty() ? 0 : 2.6 * text_);
    bottom_ = options_.height - 3 * text_ -
              (options_.x_label.empty() ? 0 : 2.2 * text_);
    y_.Settle(0.04,
              std::max(2, static_cast<int>((bottom_ - top_) / (4.5 * text_))));
    double widest = 0;
    for (const Axis::Tick& tick : y_.ticks()) {
      widest = std::max(widest, TextWidth(tick.text, text_));
    }
    left_ = 2.2 * text_ + widest + (options_.y_label.empty() ? 0 : 2.6 * text_);
    right_ = options_.width - 2.5 * text_;
    x_.Settle(0.01,
              std::max(2, static_cast<int>((right_ - left_) / (8 * text_))));
  }

  Point At(double x, double y) const {
    return {left_ + x_.PlaceOf(x) * (right_ - left_),
            bottom_ - y_.PlaceOf(y) * (bottom_ - top_)};
  }
  double Sharp(double v) const { return std::floor(v) + 0.5; }

  void DrawAxes() {
    TextStyle ticks{.size = text_, .color = kFaint};
    for (const Axis::Tick& tick : y_.ticks()) {
      double y = Sharp(bottom_ - y_.PlaceOf(tick.value) * (bottom_ - top_));
      canvas_.Line({left_, y}, {right_, y}, 1, kGrid);
      DrawText(canvas_, tick.text, {left_ - text_, y + text_ / 2},
               TextAnchor::kEnd, ticks);
    }
    for (const Axis::Tick& tick : x_.ticks()) {
      double x = Sharp(left_ + x_.PlaceOf(tick.value) * (right_ - left_));
      canvas_.Line({x, top_}, {x, bottom_}, 1, kGrid);
      DrawText(canvas_, tick.text, {x, bottom_ + 2 * text_},
               TextAnchor::kMiddle, ticks);
    }
    double width = std::max(1.0, unit_);
    canvas_.Line({Sharp(left_), top_}, {Sharp(left_), Sharp(bottom_)}, width,
                 kFaint);
    canvas_.Line({Sharp(left_), Sharp(bottom_)}, {right_, Sharp(bottom_)},
                 width, kFaint);
    TextStyle label{.size = text_, .color = kInk};
    double middle = (left_ + right_) / 2;
    DrawText(canvas_, options_.x_label, {middle, bottom_ + 4.2 * text_},
             TextAnchor::kMiddle, label);
    label.upwards = true;
    DrawText(canvas_, options_.y_label, {2.2 * text_, (top_ + bottom_) / 2},
             TextAnchor::kMiddle, label);
    DrawText(canvas_, options_.title, {middle, 2.9 * text_},
             TextAnchor::kMiddle,
             {.size = text_ * 1.35, .color = kInk, .weight = 1.15});
  }

  // A line's points on the canvas, in pieces between the gaps.
  std::vector<Polyline> Pieces(const std::vector<double>& x,
                               const std::vector<double>& y) const {
    std::vector<Polyline> pieces(1);
    for (size_t i = 0; i < x.size(); ++i) {
      if (x_.HasPlace(x[i]) && y_.HasPlace(y[i])) {
        AddThinned(pieces.back(), At(x[i], y[i]));
      } else if (!pieces.back().empty()) {
        pieces.emplace_back();
      }
    }
    return pieces;
  }

  void DrawSeries(size_t i) {
    const auto& s = plot_.series_[i];
    bool smooth = options_.smooth > 0;
    double width = 1.8 * unit_;
    std::vector<Polyline> pieces = Pieces(s.x, s.y);
    canvas_.Lines(pieces, smooth ? unit_ : width, ColorOf(i), smooth ? 0.3 : 1);
    if (smooth) {
      pieces = Pieces(s.x, Smoothed(s.y, options_.smooth));
      canvas_.Lines(pieces, width, ColorOf(i));
    }
    drawn_.insert(drawn_.end(), pieces.begin(), pieces.end());
    // A point alone is no line; it is marked.
    std::vector<Polyline> dots;
    for (const Polyline& piece : pieces) {
      if (piece.size() == 1) dots.push_back(piece);
    }
    canvas_.Lines(dots, 5 * unit_, ColorOf(i));
  }

  // In the corner where it covers the fewest points.
  void DrawLegend() {
    double widest = 0;
    for (const auto& s : plot_.series_) {
      widest = std::max(widest, TextWidth(s.name, text_));
    }
    if (widest == 0) return;
    double row = 2.1 * text_, sample = 2.4 * text_;
    double width = widest + sample + 3 * text_;
    double height = row * static_cast<double>(plot_.series_.size()) + text_;
    double gap = text_;
    Point best{};
    long fewest = -1;
    for (Point corner : {Point{right_ - gap - width, top_ + gap},
                         Point{right_ - gap - width, bottom_ - gap - height},
                         Point{left_ + gap, top_ + gap},
                         Point{left_ + gap, bottom_ - gap - height}}) {
      long covered = 0;
      for (const Polyline& line : drawn_) {
        for (const Point& p : line) {
          covered += p.x >= corner.x && p.x <= corner.x + width &&
                     p.y >= corner.y && p.y <= corner.y + height;
        }
      }
      if (fewest >= 0 && covered >= fewest) continue;
      fewest = covered;
      best = corner;
    }
    Point end{best.x + width, best.y + height};
    canvas_.Rectangle(best, end, kPaper, 0.85);
    canvas_.Lines({{best, {end.x, best.y}, end, {best.x, end.y}, best}}, 1,
                  kGrid);
    for (size_t i = 0; i < plot_.series_.size(); ++i) {
      double y = best.y + text_ / 2 + row * (static_cast<double>(i) + 0.5);
      double x = best.x + text_;
      canvas_.Line({x, y}, {x + sample, y}, 2.4 * unit_, ColorOf(i));
      DrawText(canvas_, plot_.series_[i].name,
               {x + sample + text_, y + text_ / 2}, TextAnchor::kStart,
               {.size = text_, .color = kInk});
    }
  }

  const Plot& plot_;
  const PlotOptions& options_;
  Canvas canvas_;
  Axis x_, y_;
  double unit_ = 1, text_ = 10;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
  std::vector<Polyline> drawn_;
};

Plot::Plot(PlotOptions options) : options_(std::move(options)) {
  auto good = [](int size) { return size >= 160 && size <= 8192; };
  if (!good(options_.width) || !good(options_.height)) {
    throw Error(InvalidArgument(StrCat("[Plot] is ", options_.width, " x ",
                                       options_.height,
                                       " pixels; wanted 160 to 8192 a side")));
  }
  if (!(options_.smooth >= 0 && options_.smooth <= 1)) {
    throw Error(InvalidArgument(
        StrCat("[Plot] smooth is ", options_.smooth, "; wanted 0 to 1")));
  }
}

Plot& Plot::line(std::string name, std::vector<double> x,
                 std::vector<double> y) {
  if (x.size() != y.size()) {
    throw Error(InvalidArgument(StrCat("[Plot] line \"", EscapeString(name),
                                       "\" has ", x.size(), " x and ", y.size(),
                                       " y; wanted as many of both")));
  }
  series_.push_back({std::move(name), std::move(x), std::move(y)});
  return *this;
}

Plot& Plot::line(std::string name, std::vector<double> y) {
  std::vector<double> x(y.size());
  std::iota(x.begin(), x.end(), 0.0);
  return line(std::move(name), std::move(x), std::move(y));
}

std::string Plot::png() const {
  Canvas canvas = PlotPainter(*this).Paint();
  return encode_png(canvas.width(), canvas.height(), 3, canvas.pixels());
}

void Plot::save(const std::string& path) const {
  ThrowIfError(MakeFoldersFor(path));
  Canvas canvas = PlotPainter(*this).Paint();
  write_png(path, canvas.width(), canvas.height(), 3, canvas.pixels());
}

}  // namespace sluice::report
