// Checkpoints: snapshots, and the folder that stores them.
#include <nanobind/stl/function.h>
#include <nanobind/stl/tuple.h>

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

// The destructor waits for a thread that may want the GIL.
class Manager {
 public:
  Manager(const std::string& folder, io::CheckpointOptions options)
      : manager_(
            std::make_unique<CheckpointManager>(folder, std::move(options))) {}
  ~Manager() {
    if (PythonEnds()) {
      // Its thread may have been stopped permanently; the package has waited
      // for it before Python's end (io/_checkpoint.py).
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
      .def_prop_rw(
          "random",
          [](Snapshot& self) {
            return std::pair(self.random.seed, self.random.calls);
          },
          [](Snapshot& self, std::pair<uint64_t, int64_t> random) {
            self.random = {random.first, random.second};
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

using ShardTuple =
    std::tuple<std::string, int, int, int64_t, uint32_t, int64_t>;

std::vector<io::ShardFile> FilesOf(const std::vector<ShardTuple>& given) {
  std::vector<io::ShardFile> files;
  for (const auto& [section, shard, shards, bytes, crc, tensors] : given) {
    files.push_back({section, shard, shards, bytes, crc, tensors});
  }
  return files;
}

std::vector<ShardTuple> WriteShard(const std::string& path, int shard,
                                   int shards, const Snapshot& part) {
  std::vector<io::ShardFile> files =
      OnFiles([&] { return io::write_shard(path, shard, shards, part); });
  std::vector<ShardTuple> written;
  for (const io::ShardFile& f : files) {
    written.emplace_back(f.section, f.shard, f.shards, f.bytes, f.crc32c,
                         f.tensors);
  }
  return written;
}

// A checkpoint of several writers; its files are (section, shard, shards,
// bytes, crc32c, tensors).
void BindSharedSaves(nb::module_& m) {
  nb::class_<io::SharedSave>(m, "SharedSave")
      .def("__init__",
           [](io::SharedSave* self, nb::handle folder, int64_t step) {
             std::string path = PathOf(folder);
             OnFiles([&] { new (self) io::SharedSave(path, step); });
           })
      .def_prop_ro("path", [](io::SharedSave& self) { return self.path(); });
  m.def("write_shard", &WriteShard, "path"_a, "shard"_a, "shards"_a, "part"_a);
}

}  // namespace

void BindCheckpoints(nb::module_& m) {
  BindSnapshot(m);
  BindSharedSaves(m);
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
                     // The exception cannot be propagated.
                     error.discard_as_unraisable("on_message");
                   }
                 };
             new (self) Manager(PathOf(folder), std::move(options));
           })
      .def("save",
           [](Manager& self, int64_t step, const Snapshot& snapshot) {
             OnFiles([&] { self.get().save(step, snapshot); });
           })
      .def("commit",
           [](Manager& self, io::SharedSave& save, const Snapshot& rest,
              const std::vector<ShardTuple>& files) {
             std::vector<io::ShardFile> all = FilesOf(files);
             OnFiles([&] { self.get().commit(save, rest, all); });
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
