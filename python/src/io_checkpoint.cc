// Checkpoints: snapshots, and the folder they are kept in.
#include <nanobind/stl/function.h>

#include <memory>

#include "callback.h"
#include "exit.h"
#include "file_errors.h"
#include "io_parts.h"
#include "named_tensors.h"
#include "sluice/io/checkpoint.h"

namespace sluice::py {

namespace {

using io::CheckpointManager;
using io::Snapshot;

// The end waits for a thread that may want the GIL.
class Manager {
 public:
  Manager(const std::string& folder, io::CheckpointOptions options)
      : manager_(
            std::make_unique<CheckpointManager>(folder, std::move(options))) {}
  ~Manager() {
    if (PythonEnds()) {
      // Its thread may be stopped for good; the package has waited for it
      // before Python's end (io/_checkpoint.py).
      (void)manager_.release();
    } else {
      ReleaseGil released;
      manager_.reset();
    }
  }
  CheckpointManager& get() { return *manager_; }

 private:
  std::unique_ptr<CheckpointManager> manager_;
};

nb::dict DictOf(const std::vector<std::pair<std::string, double>>& metrics) {
  nb::dict dict;
  for (const auto& [name, value] : metrics) dict[name.c_str()] = value;
  return dict;
}

nb::object OrNone(std::optional<Snapshot> found) {
  return found ? nb::cast(std::move(*found)) : nb::none();
}

void BindSnapshot(nb::module_& m) {
  nb::class_<Snapshot>(m, "Snapshot")
      .def(nb::init<>())
      .def_rw("step", &Snapshot::step)
      .def_rw("data", &Snapshot::data)
      .def_prop_rw(
          "extra", [](Snapshot& self) { return self.extra.dump(); },
          [](Snapshot& self, std::string_view text) {
            self.extra = io::parse_json(text);
          })
      .def_prop_rw(
          "metrics", [](Snapshot& self) { return DictOf(self.metrics); },
          [](Snapshot& self,
             std::vector<std::pair<std::string, double>> metrics) {
            self.metrics = std::move(metrics);
          })
      .def_prop_ro("random",
                   [](Snapshot& self) {
                     return std::pair(self.random.seed, self.random.calls);
                   })
      .def("restore_random",
           [](Snapshot& self) { set_random_state(self.random); })
      .def("set",
           [](Snapshot& self, std::string_view section, nb::handle state) {
             self.set(section, StateOf(state, section));
           })
      .def("get",
           [](Snapshot& self, std::string_view section) {
             return py::DictOf(self.at(section));
           })
      .def("sections", [](Snapshot& self) {
        std::vector<std::string> names;
        for (const auto& [name, state] : self.sections()) names.push_back(name);
        return names;
      });
}

}  // namespace

void BindCheckpoints(nb::module_& m) {
  BindSnapshot(m);
  nb::class_<Manager>(m, "CheckpointManager")
      .def("__init__",
           [](Manager* self, nb::handle folder, int keep_last,
              const std::string& keep_best, bool largest, bool background,
              nb::callable on_message) {
             io::CheckpointOptions options{
                 .keep_last = keep_last,
                 .keep_best = keep_best,
                 .best = largest ? io::Best::kMax : io::Best::kMin,
                 .background = background};
             options.on_message =
                 [f = Callback(on_message)](const std::string& text) {
                   TakeGil gil;
                   try {
                     f(text);
                   } catch (nb::python_error& error) {
                     // There is nobody to tell.
                     error.discard_as_unraisable("on_message");
                   }
                 };
             new (self) Manager(PathOf(folder), std::move(options));
           })
      .def("save",
           [](Manager& self, int64_t step, const Snapshot& snapshot) {
             OnFiles([&] { self.get().save(step, snapshot); });
           })
      .def("wait", [](Manager& self) { OnFiles([&] { self.get().wait(); }); })
      .def("steps",
           [](Manager& self) {
             return OnFiles([&] { return self.get().steps(); });
           })
      .def("best_step",
           [](Manager& self) {
             return OnFiles([&] { return self.get().best_step(); });
           })
      .def("load_latest",
           [](Manager& self) {
             return OrNone(OnFiles([&] { return self.get().load_latest(); }));
           })
      .def("load",
           [](Manager& self, int64_t step) {
             return OnFiles([&] { return self.get().load(step); });
           })
      .def_prop_ro("folder", [](Manager& self) { return self.get().folder(); });
  m.def("load_checkpoint", [](nb::handle folder) {
    std::string from = PathOf(folder);
    return OnFiles([&] { return io::load_checkpoint(from); });
  });
}

}  // namespace sluice::py
