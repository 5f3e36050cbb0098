// EventWriter: what a training run tells TensorBoard, as event files in a
// folder.
//
//   report::EventWriter events("runs/first");
//   events.scalar("loss", loss, step);
//   events.histogram("fc1/weight", net.fc1.weight, step);
//   events.image("input", batch[0], step);
//   events.text("notes", "learning rate **halved**", step);
//   events.graph(graph);
//
// Each writer makes a file of its own. Events wait in memory and reach the file
// every few seconds, with flush(), and when the writer goes. A file that cannot
// be written any more (the disk is full) is reported once, tried again with
// every flush, and stops nobody.
//
// Throws sluice::Error when the folder or the file cannot be made, and for
// input that cannot be shown (an empty tag, a picture of no pixels, a tensor
// that is part of a graph). Thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/report/picture.h"

namespace sluice {
class Graph;
class Tensor;
}  // namespace sluice

namespace sluice::report {

// A setting of a run.
using HParam = std::variant<bool, double, std::string>;
using HParams = std::vector<std::pair<std::string, HParam>>;

struct EventWriterOptions {
  // Longest wait of an event, seen when the next one comes. 0: none.
  double flush_seconds = 5;
  // When a run goes on after step k: what earlier files of the folder tell of
  // later steps is forgotten by TensorBoard. -1: nothing is.
  int64_t resume_step = -1;
  std::string suffix = {};  // at the end of the file's name
  // Seconds since 1970; for tests.
  std::function<double()> clock = {};
  // Gets what would throw if training were not more important than its report.
  // Empty: a line on stderr.
  std::function<void(const std::string&)> on_error = {};
};

class EventWriter {
 public:
  explicit EventWriter(const std::string& folder,
                       EventWriterOptions options = {});
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // A tag is a name by which values of several steps are shown together; "a/b"
  // stands in group "a". One of more than 512 bytes is cut; what was cut is
  // told apart by a number.

  // Kept as f32, as TensorBoard does; NaN and infinities are shown as such.
  void scalar(std::string_view tag, double value, int64_t step);
  // Of a tensor of one element.
  void scalar(std::string_view tag, const Tensor& value, int64_t step);
  // Several of one step.
  using Scalars = std::vector<std::pair<std::string, double>>;
  void scalars(const Scalars& values, int64_t step);

  // How the elements are distributed. Those that are not finite are left out;
  // an empty tensor is an empty histogram.
  void histogram(std::string_view tag, const Tensor& values, int64_t step);

  // u8 or floating point from 0 to 1: [h,w], [h,w,c], [c,h,w], or a batch of
  // such, side by side. See picture.h.
  void image(std::string_view tag, const Tensor& pixels, int64_t step,
             ImageLayout layout = ImageLayout::kAuto);
  // Bytes of a PNG made elsewhere (report::Plot).
  void image_png(std::string_view tag, int64_t width, int64_t height,
                 std::string_view png, int64_t step);

  // Markdown.
  void text(std::string_view tag, std::string_view markdown, int64_t step);

  void graph(const Graph& graph);

  // Settings of the run (bool, number or text by name) and the tags of scalars
  // by which runs are compared. Once a run.
  void hparams(const HParams& settings,
               const std::vector<std::string>& metrics);

  void flush();
  const std::string& path() const;  // of the file

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::report
