// The trace of a step in the JSON that Perfetto and chrome://tracing read: a
// process is a device, a thread one of its streams; on the host a thread is one
// that ran tokens. Work on a device is linked to where the host issued it.
//
// Devices keep a clock of their own, which is virtual for simulated ones. So
// the host is there twice in a step with such devices: as it was, and as these
// devices saw it.
#include <cmath>
#include <map>

#include "sluice/base/strings.h"
#include "sluice/plan/plan.h"
#include "sluice/step/step_stats.h"

namespace sluice {

namespace {

class Writer {
 public:
  // The number of a process, which is announced when it is new.
  int Process(const std::string& name) {
    auto [it, first] =
        processes_.emplace(name, static_cast<int>(processes_.size()));
    if (first) {
      Event(StrCat("\"ph\":\"M\",\"name\":\"process_name\",\"pid\":",
                   it->second, ",\"args\":{\"name\":", JsonQuote(name), "}"));
    }
    return it->second;
  }
  int Thread(int process, const std::string& name) {
    auto& threads = threads_[process];
    auto [it, first] = threads.emplace(name, static_cast<int>(threads.size()));
    if (first) {
      Event(StrCat("\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":", process,
                   ",\"tid\":", it->second,
                   ",\"args\":{\"name\":", JsonQuote(name), "}"));
    }
    return it->second;
  }
  void Event(const std::string& fields) {
    StrAppend(text_, text_.empty() ? "\n{" : ",\n{", fields, "}");
  }
  std::string Done() const {
    return StrCat("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", text_,
                  "\n]}\n");
  }

 private:
  std::map<std::string, int> processes_;
  std::map<int, std::map<std::string, int>> threads_;
  std::string text_;
};

std::string Complete(int pid, int tid, const std::string& name,
                     const std::string& kind, double microseconds,
                     double duration) {
  return StrCat("\"ph\":\"X\",\"pid\":", pid, ",\"tid\":", tid,
                ",\"name\":", JsonQuote(name), ",\"cat\":", JsonQuote(kind),
                ",\"ts\":", microseconds, ",\"dur\":", duration);
}

std::string Arguments(const std::string& line, int64_t bytes,
                      int64_t iteration) {
  std::string text =
      StrCat(",\"args\":{\"line\":", JsonQuote(line), ",\"bytes\":", bytes);
  if (iteration >= 0) StrAppend(text, ",\"iteration\":", iteration);
  return text + "}";
}

// Numbers with as many digits as tell a nanosecond in a day.
double Microseconds(double seconds) { return std::round(seconds * 1e9) / 1e3; }

void WriteDeviceWork(const std::vector<TimelineItem>& items, Writer& writer) {
  if (items.empty()) return;
  double first = items.front().issued;
  for (const TimelineItem& item : items) first = std::min(first, item.issued);
  int host = writer.Process("host, as the devices saw it");
  int issues = writer.Thread(host, "issues");
  for (const TimelineItem& item : items) {
    int pid = writer.Process(item.device);
    int tid = writer.Thread(pid, item.stream);
    double issued = Microseconds(item.issued - first);
    double start = Microseconds(item.start - first);
    bool copy = item.label.starts_with("copy");
    writer.Event(StrCat(Complete(pid, tid, item.label, copy ? "copy" : "kernel",
                                 start, Microseconds(item.end - item.start)),
                        Arguments(item.line, item.bytes, item.iteration)));
    writer.Event(
        StrCat("\"ph\":\"s\",\"cat\":\"issue\",\"name\":\"issue\","
               "\"id\":",
               item.order, ",\"pid\":", host, ",\"tid\":", issues,
               ",\"ts\":", issued));
    writer.Event(StrCat(
        "\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"issue\","
        "\"name\":\"issue\",\"id\":",
        item.order, ",\"pid\":", pid, ",\"tid\":", tid, ",\"ts\":", start));
  }
}

}  // namespace

std::string StepStats::ChromeTrace(const Plan& plan) const {
  Writer writer;
  for (const Row& row : Rows(plan)) {
    // What runs behind the host the host only launches.
    bool launched = !device_work.empty() && !plan.devices().empty() &&
                    row.device != plan.devices()[0]->name_text();
    int pid =
        writer.Process(launched ? plan.devices()[0]->name_text() : row.device);
    int tid = writer.Thread(pid, StrCat("thread ", row.worker));
    writer.Event(StrCat(Complete(pid, tid, row.name, row.op,
                                 row.start_ns / 1000, row.duration_ns / 1000),
                        Arguments(row.line, row.bytes, row.iteration)));
  }
  WriteDeviceWork(device_work, writer);
  return writer.Done();
}

}  // namespace sluice
