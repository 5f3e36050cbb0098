// MetricsLog: numbers of a training run by step, in a file other programs read.
//
//   report::MetricsLog log("run/metrics.csv");         // or metrics.jsonl
//   log.write(step, {{"loss", loss}, {"rate", 0.01}});
//
// CSV (a path ending in .csv): a header, then one line per step:
//   step,loss,rate
//   100,0.5,0.01
// A name seen for the first time becomes the last column: the file is then
// written anew under another name, with the longer header and nothing in that
// column of earlier lines, and put in the place of the old one. A name that is
// missing leaves its field empty. Numbers that are not finite are nan, inf and
// -inf, which pandas, numpy and spreadsheets read.
//
// JSON lines (any other path): one object per line,
//   {"step": 100, "loss": 0.5, "rate": 0.01}
// Numbers that are not finite are the strings "NaN", "Infinity" and
// "-Infinity", as JSON has no others; Python's float() takes them.
//
// Numbers read back as the doubles they were. Every line is in the file when
// write() returns. A file that was there is kept beside as PATH.1, PATH.2, ...
// unless the run resumes.
//
// Throws sluice::Error when the file cannot be made, or an old one not be read,
// at the beginning; a file that cannot be written later is reported once and
// stops nobody. Thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::report {

struct MetricsLogOptions {
  // When a run goes on after step k: lines of later steps are dropped from the
  // file, and a last one that is cut off, and the rest goes on. -1: begin anew.
  int64_t resume_step = -1;
  // Gets what would throw if training were not more important than its report.
  // Empty: a line on stderr.
  std::function<void(const std::string&)> on_error = {};
};

class MetricsLog {
 public:
  using Metrics = std::vector<std::pair<std::string, double>>;

  explicit MetricsLog(const std::string& path, MetricsLogOptions options = {});
  ~MetricsLog();
  MetricsLog(const MetricsLog&) = delete;
  MetricsLog& operator=(const MetricsLog&) = delete;

  // Of equal names the last counts. The name "step" is taken.
  void write(int64_t step, const Metrics& metrics);
  const std::string& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::report
