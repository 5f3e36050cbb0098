#include <cmath>

#include "errors.h"
#include "session.h"
#include "sluice/base/strings.h"

namespace sluice::py {

ExecutorChoice ExecutorFrom(std::string_view name) {
  if (name == "auto") return ExecutorChoice::kAuto;
  if (name == "tape") return ExecutorChoice::kTape;
  if (name == "tokens") return ExecutorChoice::kTokens;
  ThrowValueError(StrCat("executor is \"", name,
                         "\"; wanted \"auto\", \"tape\" or \"tokens\""));
}

namespace {

std::string_view ExecutorName(ExecutorChoice choice) {
  return choice == ExecutorChoice::kTape     ? "tape"
         : choice == ExecutorChoice::kTokens ? "tokens"
                                             : "auto";
}

int64_t Millis(std::optional<double> seconds) {
  if (!seconds) return 0;
  if (!(*seconds > 0) || *seconds > 1e9) {
    ThrowValueError(
        StrCat("timeout is ", *seconds, "; wanted seconds, more than 0"));
  }
  return static_cast<int64_t>(std::ceil(*seconds * 1000));
}

std::optional<double> Seconds(const RunOptions& o) {
  if (o.timeout_ms == 0) return std::nullopt;
  return static_cast<double>(o.timeout_ms) / 1000;
}

}  // namespace

const RunOptions* OptionsFrom(nb::handle options) {
  if (options.is_none()) return nullptr;
  if (!nb::isinstance<RunOptions>(options)) {
    ThrowTypeError(StrCat("options is a ", Py_TYPE(options.ptr())->tp_name,
                          "; wanted a RunOptions"));
  }
  return &nb::cast<const RunOptions&>(options);
}

RunMetadata* MetadataFrom(nb::handle metadata) {
  if (metadata.is_none()) return nullptr;
  if (!nb::isinstance<RunMetadata>(metadata)) {
    ThrowTypeError(StrCat("run_metadata is a ",
                          Py_TYPE(metadata.ptr())->tp_name,
                          "; wanted a RunMetadata"));
  }
  return &nb::cast<RunMetadata&>(metadata);
}

namespace {

using Row = StepStats::Row;

void BindOptions(nb::module_& m) {
  nb::class_<RunOptions>(
      m, "RunOptions",
      "What one run does besides: `timeout` in seconds (TimeoutError when it "
      "passes), `trace` and `loops` fill a RunMetadata, `executor` is "
      "\"auto\", \"tape\" or \"tokens\", `nan_trap` stops at the first op "
      "that gives NaN or infinity.")
      .def(
          "__init__",
          [](RunOptions* self, std::optional<double> timeout, bool trace,
             std::string_view executor, bool nan_trap, bool loops) {
            RunOptions made;
            made.timeout_ms = Millis(timeout);
            made.trace = trace;
            made.executor = ExecutorFrom(executor);
            made.nan_trap = nan_trap;
            made.loops = loops;
            new (self) RunOptions(std::move(made));
          },
          "timeout"_a = nb::none(), "trace"_a = false, "executor"_a = "auto",
          "nan_trap"_a = false, "loops"_a = false)
      .def_prop_rw(
          "timeout", &Seconds,
          [](RunOptions& o, std::optional<double> s) {
            o.timeout_ms = Millis(s);
          },
          nb::for_setter(nb::arg("seconds").none()), "Seconds, or None.")
      .def_rw("trace", &RunOptions::trace)
      .def_rw("nan_trap", &RunOptions::nan_trap)
      .def_rw("loops", &RunOptions::loops)
      .def_prop_rw(
          "executor",
          [](const RunOptions& o) { return ExecutorName(o.executor); },
          [](RunOptions& o, std::string_view name) {
            o.executor = ExecutorFrom(name);
          });
}

void BindLoopUse(nb::module_& m) {
  nb::class_<LoopUse>(m, "LoopUse",
                      "What one loop of a run did and kept for its gradient.")
      .def_ro("name", &LoopUse::name, "Of its operation.")
      .def_ro("line", &LoopUse::line, "The user's line: \"model.py:41\".")
      .def_ro("runs", &LoopUse::runs)
      .def_ro("iterations", &LoopUse::iterations, "Of all its runs.")
      .def_ro("recomputed", &LoopUse::recomputed,
              "Iterations that were run again.")
      .def_ro("kept_bytes", &LoopUse::kept_bytes)
      .def_ro("peak_bytes", &LoopUse::peak_bytes)
      .def("__repr__", [](const LoopUse& u) {
        return StrCat("<sluice.LoopUse ", ToString(std::vector<LoopUse>{u}),
                      ">");
      });
}

void BindTraceRow(nb::module_& m) {
  nb::class_<Row>(m, "TraceRow", "One operation that ran in a traced step.")
      .def_ro("name", &Row::name)
      .def_ro("op", &Row::op)
      .def_ro("line", &Row::line, "The user's line: \"model.py:41\".")
      .def_ro("worker", &Row::worker, "The thread; 0 is the caller's.")
      .def_ro("start_ns", &Row::start_ns, "From the step's start.")
      .def_ro("duration_ns", &Row::duration_ns)
      .def_ro("bytes", &Row::bytes, "Of what it gave.")
      .def("__repr__", [](const Row& r) {
        return StrCat("<sluice.TraceRow ", r.name, " = ", r.op, " at ", r.line,
                      ", ", static_cast<int64_t>(r.duration_ns), " ns>");
      });
}

void BindMetadata(nb::module_& m) {
  nb::class_<RunMetadata>(
      m, "RunMetadata",
      "What a run told: filled by Session.run(..., run_metadata=) as its "
      "RunOptions ask.")
      .def(nb::init<>())
      .def_ro("rows", &RunMetadata::rows,
              "With trace=True: the operations that ran, in order of time.")
      .def_ro("trace", &RunMetadata::chrome_trace,
              "With trace=True: JSON that Perfetto and chrome://tracing open.")
      .def_ro("loops", &RunMetadata::loops,
              "With loops=True: what each loop did and kept.")
      .def("__str__",
           [](const RunMetadata& d) {
             std::string text;
             for (const Row& r : d.rows) {
               StrAppend(text, r.name, " = ", r.op, " at ", r.line, ": ",
                         static_cast<int64_t>(r.duration_ns), " ns\n");
             }
             return text + ToString(d.loops);
           })
      .def(
          "save_trace",
          [](const RunMetadata& d, nb::handle path) {
            nb::object file =
                nb::module_::import_("io").attr("open")(path, "w");
            file.attr("write")(d.chrome_trace);
            file.attr("close")();
          },
          "path"_a, "Writes the trace to a file.");
}

}  // namespace

void BindRunOptions(nb::module_& m) {
  BindOptions(m);
  BindLoopUse(m);
  BindTraceRow(m);
  BindMetadata(m);
}

}  // namespace sluice::py
