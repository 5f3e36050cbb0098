#include "sluice/report/event_writer.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/tensor.h"
#include "sluice/report/event_file.h"
#include "sluice/report/event_proto.h"
#include "sluice/report/folders.h"
#include "sluice/report/graph_proto.h"
#include "sluice/report/hparams_proto.h"
#include "sluice/report/number.h"
#include "sluice/report/png.h"

namespace sluice::report {

namespace {

double Now() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// TensorBoard reads the files of a folder by name: the time comes first. The
// rest keeps writers of one second apart, those of other machines too.
std::string FileName(double time, const std::string& suffix) {
  static std::atomic<int> made{0};
  char host[256] = "localhost";
  if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') {
    std::snprintf(host, sizeof host, "localhost");
  }
  char stamp[32];
  std::snprintf(stamp, sizeof stamp, "%010.0f", std::floor(time));
  return StrCat("events.out.tfevents.", stamp, ".", host, ".", getpid(), ".",
                made++, suffix);
}

std::string TagOrThrow(std::string_view tag) {
  return ValueOrThrow(EventTag(tag));
}

// The error with what it is about in front.
Error About(std::string_view what, std::string_view tag, const Status& status) {
  return Error(Status(status.code(),
                      StrCat("[EventWriter::", what, "] \"", EscapeString(tag),
                             "\": ", status.message())));
}

}  // namespace

struct EventWriter::Impl {
  EventWriterOptions options;
  std::string path;
  Mutex mu;
  std::unique_ptr<EventFile> file SL_GUARDED_BY(mu);
  double last_flush SL_GUARDED_BY(mu) = 0;
  bool reported SL_GUARDED_BY(mu) = false;

  void Report(const std::string& message) const {
    if (options.on_error) {
      options.on_error(message);
    } else {
      std::fprintf(stderr, "sluice: %s\n", message.c_str());
    }
  }

  // The message to report, if this failure is the first; "" else.
  std::string Flush() SL_REQUIRES(mu) {
    Status status = file->Flush();
    if (status.ok() || reported) return "";
    reported = true;
    return StrCat("events are not written: ", status.message());
  }

  void Add(double time, const ProtoWriter& event) {
    std::string message;
    {
      MutexLock lock(mu);
      file->Append(event.bytes());
      // A clock that was set back must not stop the flushes.
      if (time - last_flush >= options.flush_seconds || time < last_flush) {
        last_flush = time;
        message = Flush();
      }
    }
    // Outside of the lock: what is called may write events itself.
    if (!message.empty()) Report(message);
  }

  void AddValue(int64_t step, const ProtoWriter& value) {
    AddSummary(step, ProtoWriter().Message(1, value));
  }
  void AddSummary(int64_t step, const ProtoWriter& summary) {
    double time = options.clock();
    Add(time, SummaryEvent(time, step, summary));
  }
};

EventWriter::EventWriter(const std::string& folder, EventWriterOptions options)
    : impl_(std::make_unique<Impl>()) {
  if (!options.clock) options.clock = Now;
  ThrowIfError(MakeFolders(folder));
  double time = options.clock();
  impl_->path = StrCat(folder, "/", FileName(time, options.suffix));
  impl_->options = std::move(options);
  {
    MutexLock lock(impl_->mu);
    impl_->file = ValueOrThrow(EventFile::Open(impl_->path));
    impl_->last_flush = time;
  }
  impl_->Add(time, VersionEvent(time));
  int64_t resume = impl_->options.resume_step;
  if (resume >= 0) impl_->Add(time, RestartEvent(time, resume + 1));
}

EventWriter::~EventWriter() {
  flush();
  MutexLock lock(impl_->mu);
  if (impl_->file->dropped() > 0) {
    impl_->Report(StrCat(impl_->file->dropped(), " events are lost: \"",
                         EscapeString(impl_->path), "\" could not be written"));
  }
}

void EventWriter::scalar(std::string_view tag, double value, int64_t step) {
  impl_->AddValue(step, ScalarValue(TagOrThrow(tag), value));
}

void EventWriter::scalar(std::string_view tag, const Tensor& value,
                         int64_t step) {
  Result<double> number = NumberOf(ValueOrThrow(OnHost(value.array())));
  if (!number.ok()) throw About("scalar", tag, number.status());
  scalar(tag, *number, step);
}

void EventWriter::scalars(const Scalars& values, int64_t step) {
  if (values.empty()) return;
  ProtoWriter summary;
  for (const auto& [tag, value] : values) {
    summary.Message(1, ScalarValue(TagOrThrow(tag), value));
  }
  impl_->AddSummary(step, summary);
}

void EventWriter::histogram(std::string_view tag, const Tensor& values,
                            int64_t step) {
  Result<Histogram> histogram =
      Histogram::Of(ValueOrThrow(OnHost(values.array())));
  if (!histogram.ok()) throw About("histogram", tag, histogram.status());
  impl_->AddValue(step, HistogramValue(TagOrThrow(tag), *histogram));
}

void EventWriter::image(std::string_view tag, const Tensor& pixels,
                        int64_t step, ImageLayout layout) {
  Result<Picture> picture =
      Picture::Of(ValueOrThrow(OnHost(pixels.array())), layout);
  if (!picture.ok()) throw About("image", tag, picture.status());
  std::string png = encode_png(picture->width, picture->height,
                               picture->channels, picture->bytes);
  impl_->AddValue(step, ImageValue(TagOrThrow(tag), picture->width,
                                   picture->height, picture->channels, png));
}

void EventWriter::image_png(std::string_view tag, int64_t width, int64_t height,
                            std::string_view png, int64_t step) {
  impl_->AddValue(step, ImageValue(TagOrThrow(tag), width, height, 3, png));
}

void EventWriter::text(std::string_view tag, std::string_view markdown,
                       int64_t step) {
  impl_->AddValue(step, TextValue(TagOrThrow(tag), markdown));
}

void EventWriter::graph(const Graph& graph) {
  double time = impl_->options.clock();
  impl_->Add(time, GraphEvent(time, GraphDefBytes(graph)));
}

void EventWriter::hparams(const HParams& settings,
                          const std::vector<std::string>& metrics) {
  for (const auto& [name, value] : settings) TagOrThrow(name);
  for (const std::string& metric : metrics) TagOrThrow(metric);
  double time = impl_->options.clock();
  impl_->Add(time,
             SummaryEvent(time, 0, HParamsSummary(time, settings, metrics)));
}

void EventWriter::flush() {
  std::string message;
  {
    MutexLock lock(impl_->mu);
    message = impl_->Flush();
  }
  if (!message.empty()) impl_->Report(message);
}

const std::string& EventWriter::path() const { return impl_->path; }

}  // namespace sluice::report
