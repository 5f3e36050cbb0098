// Sources of pipelines.
#include "data_parts.h"
#include "errors.h"
#include "file_errors.h"
#include "named_tensors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/data/csv.h"
#include "sluice/data/example.h"
#include "sluice/data/idx.h"
#include "sluice/data/mnist.h"
#include "sluice/data/numpy_files.h"
#include "sluice/data/record_files.h"
#include "sluice/data/stages.h"

namespace sluice::py {

namespace {

using data::Element;

template <class F>
Pipeline FromFiles(const F& f) {
  return Pipeline{OnFiles(f)};
}

std::vector<std::string> PathsOf(nb::handle paths) {
  std::vector<std::string> list;
  if (PyList_Check(paths.ptr()) || PyTuple_Check(paths.ptr())) {
    for (nb::handle path : nb::iter(paths)) list.push_back(PathOf(path));
  } else {
    list.push_back(PathOf(paths));
  }
  return list;
}

// A Python iterator in one pass. It is owned by the owners of the function that
// made it.
class RunningGenerator {
 public:
  explicit RunningGenerator(std::shared_ptr<FunctionSlot> slot)
      : slot_(std::move(slot)) {
    nb::object made = nb::iter(slot_->Borrow()());
    slot_->Keep(made);
    iterator_ = made.ptr();
  }
  RunningGenerator(const RunningGenerator&) = delete;
  ~RunningGenerator() {
    if (!Py_IsInitialized()) return;  // too late
    TakeGil gil;
    slot_->Drop(iterator_);
  }
  // Empty at the end.
  nb::object Next() {
    if (!slot_->keeps(iterator_)) return {};  // its owners are gone
    nb::object here = nb::borrow(iterator_);
    nb::object next = nb::steal(PyIter_Next(here.ptr()));
    if (!next.is_valid() && PyErr_Occurred()) throw nb::python_error();
    return next;
  }

 private:
  std::shared_ptr<FunctionSlot> slot_;
  PyObject* iterator_ = nullptr;
};

// A Python iterator for every pass, made by calling `start`.
Pipeline FromGenerator(nb::callable start) {
  Pipeline made;
  auto failures = made.failures[0];
  made.owned.emplace_back(start);
  auto begin = [start = made.owned[0].slot(),
                failures]() -> data::ElementSource {
    return Guarded(*failures, [&]() -> data::ElementSource {
      auto pass = std::make_shared<RunningGenerator>(start);
      return [pass, failures](Element* element) {
        return Guarded(*failures, [&] {
          nb::object next = pass->Next();
          if (!next.is_valid()) return false;
          *element = ElementFromPython(next, "what the generator gave");
          return true;
        });
      };
    });
  };
  made.stage = data::GeneratorSource(begin);
  return made;
}

data::Columns ColumnsOf(nb::handle columns, DType dtype) {
  data::Columns read;
  read.dtype = dtype;
  auto add = [&](nb::handle c) {
    if (PyUnicode_Check(c.ptr())) {
      read.columns.emplace_back(nb::cast<std::string>(c));
    } else {
      read.columns.emplace_back(nb::cast<int>(c));
    }
  };
  if (PyList_Check(columns.ptr()) || PyTuple_Check(columns.ptr())) {
    for (nb::handle c : nb::iter(columns)) add(c);
  } else {
    add(columns);
  }
  return read;
}

void BindFiles(nb::module_& m) {
  m.def(
      "pipeline_of_csv",
      [](nb::handle path, nb::handle components, bool header,
         const std::string& separator, std::optional<double> missing) {
        if (separator.size() != 1) {
          ThrowValueError("csv: the separator is not one character");
        }
        std::vector<data::Columns> columns;
        for (nb::handle c : nb::iter(components)) {
          columns.push_back(ColumnsOf(c[0], nb::cast<DType>(nb::object(c[1]))));
        }
        std::string from = PathOf(path);
        return FromFiles([&] {
          return data::TensorSource(data::read_csv(from,
                                                   {.header = header,
                                                    .separator = separator[0],
                                                    .missing = missing},
                                                   columns),
                                    "csv");
        });
      },
      "path"_a, "components"_a, "header"_a, "separator"_a, "missing"_a.none());
  m.def("pipeline_of_lines", [](nb::handle paths, int64_t skip) {
    data::Files files(PathsOf(paths));
    return FromFiles(
        [&] { return data::text_lines(files, {.skip = skip}).stage(); });
  });
  m.def("pipeline_of_records", [](nb::handle paths) {
    data::Files files(PathsOf(paths));
    return FromFiles([&] { return data::tfrecord(files).stage(); });
  });
  m.def("pipeline_of_npy", [](nb::handle paths) {
    std::vector<std::string> files = PathsOf(paths);
    return FromFiles([&] {
      return data::TensorSource(data::data_internal::ReadNpyFiles(files),
                                "npy");
    });
  });
  m.def("pipeline_of_npz",
        [](nb::handle path, const std::vector<std::string>& names) {
          std::string file = PathOf(path);
          return FromFiles([&] {
            return data::TensorSource(
                data::data_internal::ReadNpzMembers(file, names), "npz");
          });
        });
  m.def("pipeline_of_idx", [](nb::handle paths) {
    std::vector<std::string> files = PathsOf(paths);
    return FromFiles([&] {
      Element arrays;
      for (const std::string& file : files) {
        arrays.push_back(data::read_idx(file));
      }
      return data::TensorSource(arrays, "idx");
    });
  });
  m.def("pipeline_of_mnist", [](const std::string& split,
                                const std::string& dir, bool flat) {
    return FromFiles([&] {
      return data::mnist(split, data::MnistOptions{.dir = dir, .flat = flat})
          .stage();
    });
  });
}

void BindExamples(nb::module_& m) {
  nb::class_<data::Feature>(m, "Feature")
      .def(
          "__init__",
          [](data::Feature* self, std::string name, DType dtype,
             std::vector<int64_t> shape, std::optional<double> missing) {
            new (self) data::Feature{std::move(name), dtype, std::move(shape),
                                     missing};
          },
          "name"_a, "dtype"_a, "shape"_a, "missing"_a.none());
  m.def("pipeline_of_examples",
        [](nb::handle paths, const std::vector<data::Feature>& features,
           int threads) {
          data::Files files(PathsOf(paths));
          return FromFiles([&] {
            return data::MapStage(
                data::tfrecord(files).stage(),
                [features](const Element& record, data::Random&) {
                  return data::parse_example(
                      record[0].array().data<std::string>()[0], features);
                },
                false, {.threads = threads, .name = "example"});
          });
        });
  m.def("make_example", [](nb::handle features) {
    std::vector<std::pair<std::string, Tensor>> list;
    for (const auto& [name, tensor] : StateOf(features, "make_example")) {
      list.emplace_back(name, tensor);
    }
    std::string bytes = data::make_example(list);
    return nb::bytes(bytes.data(), bytes.size());
  });
  m.def("parse_example",
        [](const nb::bytes& bytes, const std::vector<data::Feature>& features) {
          return data::parse_example({bytes.c_str(), bytes.size()}, features);
        });
  using data::TFRecordWriter;
  nb::class_<TFRecordWriter>(m, "TFRecordWriter",
                             "Writes records (bytes) to a TFRecord file.")
      .def(
          "__init__",
          [](TFRecordWriter* self, nb::handle path) {
            std::string to = PathOf(path);
            new (self)
                TFRecordWriter(OnFiles([&] { return TFRecordWriter(to); }));
          },
          "path"_a)
      .def(
          "write",
          [](TFRecordWriter& self, const nb::bytes& record) {
            self.write({record.c_str(), record.size()});
          },
          "record"_a)
      .def("close",
           [](TFRecordWriter& self) { OnFiles([&] { self.close(); }); })
      .def("__enter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__exit__", [](TFRecordWriter& self, nb::args) {
        OnFiles([&] { self.close(); });
      });
}

}  // namespace

void BindDataSources(nb::module_& m) {
  m.def("pipeline_of_tensors", [](nb::handle tensors) {
    Element arrays;
    for (nb::handle t : nb::iter(tensors)) {
      arrays.push_back(ToHostTensor(t, StrCat("tensor ", arrays.size())));
    }
    return Pipeline{data::TensorSource(arrays)};
  });
  m.def("pipeline_of_range", [](int64_t begin, int64_t end, int64_t step) {
    return Pipeline{data::RangeSource(begin, end, step)};
  });
  m.def("pipeline_of_generator", &FromGenerator);
  BindFiles(m);
  BindExamples(m);
}

}  // namespace sluice::py
