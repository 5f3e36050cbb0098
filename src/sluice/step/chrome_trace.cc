// Writes the trace of a step in the JSON format of Perfetto and
// chrome://tracing: a process represents a device (of a task), a thread one of
// its streams; on the host a thread is one that ran tokens. Work on a device is
// linked to the host work that issued it.
//
// Devices have their own clocks, which are virtual for simulated ones.
// Therefore the host appears twice in a step with such devices: on its own
// clock, and on the clock of these devices.
#include <algorithm>
#include <cmath>
#include <map>

#include "sluice/base/strings.h"
#include "sluice/plan/plan.h"
#include "sluice/step/task_trace.h"

namespace sluice {

namespace {

class Writer {
 public:
  // The number of a process, which is announced on first use.
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

// Enough digits to distinguish nanoseconds within a day.
double Microseconds(double seconds) { return std::round(seconds * 1e9) / 1e3; }

// Issues are numbered per task: numbers of different tasks are unrelated.
void WriteDeviceWork(const TaskTrace& trace, size_t number, Writer& writer) {
  const std::vector<TimelineItem>& items = trace.device_work;
  if (items.empty()) return;
  double first = items.front().issued;
  for (const TimelineItem& item : items) first = std::min(first, item.issued);
  double began = trace.began_ns / 1000;
  int host = writer.Process(StrCat(trace.task, trace.task.empty() ? "" : " ",
                                   "host, as the devices saw it"));
  int issues = writer.Thread(host, "issues");
  for (const TimelineItem& item : items) {
    int pid = writer.Process(trace.task + item.device);
    int tid = writer.Thread(pid, item.stream);
    double issued = began + Microseconds(item.issued - first);
    double start = began + Microseconds(item.start - first);
    uint64_t id = (uint64_t{number} << 40) + item.order;
    bool copy = item.label.starts_with("copy");
    writer.Event(StrCat(Complete(pid, tid, item.label, copy ? "copy" : "kernel",
                                 start, Microseconds(item.end - item.start)),
                        Arguments(item.line, item.bytes, item.iteration)));
    writer.Event(
        StrCat("\"ph\":\"s\",\"cat\":\"issue\",\"name\":\"issue\","
               "\"id\":",
               id, ",\"pid\":", host, ",\"tid\":", issues, ",\"ts\":", issued));
    writer.Event(
        StrCat("\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"issue\","
               "\"name\":\"issue\",\"id\":",
               id, ",\"pid\":", pid, ",\"tid\":", tid, ",\"ts\":", start));
  }
}

}  // namespace

TaskTrace TraceOf(const StepStats& stats, const Plan& plan) {
  TaskTrace trace;
  if (!plan.devices().empty()) trace.host = plan.devices()[0]->name_text();
  trace.rows = stats.Rows(plan);
  trace.device_work = stats.device_work;
  return trace;
}

std::string ChromeTrace(std::span<const TaskTrace> tasks) {
  Writer writer;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TaskTrace& trace = tasks[i];
    for (const StepStats::Row& row : trace.rows) {
      // The host only launches the work of devices that run behind it.
      bool launched = !trace.device_work.empty() && !trace.host.empty() &&
                      row.device != trace.host;
      int pid =
          writer.Process(trace.task + (launched ? trace.host : row.device));
      int tid = writer.Thread(pid, StrCat("thread ", row.worker));
      writer.Event(StrCat(Complete(pid, tid, row.name, row.op,
                                   (trace.began_ns + row.start_ns) / 1000,
                                   row.duration_ns / 1000),
                          Arguments(row.line, row.bytes, row.iteration)));
    }
    WriteDeviceWork(trace, i, writer);
  }
  return writer.Done();
}

std::vector<StepStats::Row> RowsOf(std::span<const TaskTrace> tasks) {
  std::vector<StepStats::Row> rows;
  for (const TaskTrace& trace : tasks) {
    for (StepStats::Row row : trace.rows) {
      row.start_ns += trace.began_ns;
      row.device = trace.task + row.device;
      rows.push_back(std::move(row));
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const StepStats::Row& a, const StepStats::Row& b) {
              return a.start_ns < b.start_ns;
            });
  return rows;
}

std::string StepStats::ChromeTrace(const Plan& plan) const {
  TaskTrace trace = TraceOf(*this, plan);
  return sluice::ChromeTrace({&trace, 1});
}

}  // namespace sluice
