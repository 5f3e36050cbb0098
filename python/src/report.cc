// The output of a training run: TensorBoard events, metrics, plots, progress.
#include "sluice/report/report.h"

#include <nanobind/stl/variant.h>

#include "bindings.h"
#include "callback.h"
#include "caller_line.h"
#include "errors.h"
#include "file_errors.h"
#include "operand.h"
#include "sluice/graph/graph.h"

namespace sluice::py {

namespace {

using Numbers = std::vector<std::pair<std::string, double>>;

Tensor Values(nb::handle object, std::string_view what) {
  return ToHostTensor(object, what);
}

nb::bytes Bytes(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

// Reports errors that must not stop training.
std::function<void(const std::string&)> Tell(nb::callable f) {
  return [f = Callback(f)](const std::string& text) {
    TakeGil gil;
    try {
      f(text);
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("on_error");
    }
  };
}

report::ImageLayout LayoutOf(std::string_view name) {
  if (name == "auto") return report::ImageLayout::kAuto;
  if (name == "HWC") return report::ImageLayout::kHWC;
  if (name == "CHW") return report::ImageLayout::kCHW;
  ThrowValueError("a layout of pictures is none of auto, HWC, CHW");
}

void BindEvents(nb::module_& m) {
  using report::EventWriter;
  nb::class_<EventWriter>(m, "EventWriter")
      .def("__init__",
           [](EventWriter* self, nb::handle folder, double flush_seconds,
              int64_t resume_step, const std::string& suffix,
              nb::callable on_error) {
             std::string path = PathOf(folder);
             report::EventWriterOptions options{.flush_seconds = flush_seconds,
                                                .resume_step = resume_step,
                                                .suffix = suffix};
             options.on_error = Tell(on_error);
             OnFiles([&] { new (self) EventWriter(path, options); });
           })
      .def("scalar",
           [](EventWriter& self, std::string_view tag, nb::handle value,
              int64_t step) {
             if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) {
               self.scalar(tag, nb::cast<double>(value), step);
             } else {
               self.scalar(tag, Values(value, "add_scalar"), step);
             }
           })
      .def("scalars", &EventWriter::scalars)
      .def("histogram",
           [](EventWriter& self, const std::string& tag, nb::handle values,
              int64_t step) {
             Tensor t = Values(values, "add_histogram");
             ReleaseGil released;
             self.histogram(tag, t, step);
           })
      .def("image",
           [](EventWriter& self, const std::string& tag, nb::handle pixels,
              int64_t step, std::string_view layout) {
             Tensor t = Values(pixels, "add_image");
             report::ImageLayout l = LayoutOf(layout);
             ReleaseGil released;
             self.image(tag, t, step, l);
           })
      .def("image_png",
           [](EventWriter& self, std::string_view tag, int64_t width,
              int64_t height, const nb::bytes& png, int64_t step) {
             self.image_png(tag, width, height, {png.c_str(), png.size()},
                            step);
           })
      .def("text",
           [](EventWriter& self, std::string_view tag, std::string_view text,
              int64_t step) { self.text(tag, text, step); })
      .def("graph",
           [](EventWriter& self, const Graph& graph) { self.graph(graph); })
      .def("hparams", &EventWriter::hparams)
      .def("flush",
           [](EventWriter& self) {
             ReleaseGil released;
             self.flush();
           })
      .def_prop_ro("path", &EventWriter::path);
}

void BindMetricsLog(nb::module_& m) {
  using report::MetricsLog;
  nb::class_<MetricsLog>(m, "MetricsLog")
      .def("__init__",
           [](MetricsLog* self, nb::handle path, int64_t resume_step,
              nb::callable on_error) {
             std::string to = PathOf(path);
             report::MetricsLogOptions options{.resume_step = resume_step};
             options.on_error = Tell(on_error);
             OnFiles([&] { new (self) MetricsLog(to, options); });
           })
      .def("write", [](MetricsLog& self, int64_t step,
                       const Numbers& metrics) { self.write(step, metrics); })
      .def_prop_ro("path", &MetricsLog::path);
}

void BindPictures(nb::module_& m) {
  using report::Plot;
  nb::class_<Plot>(m, "Plot")
      .def("__init__",
           [](Plot* self, std::string title, std::string x_label,
              std::string y_label, int width, int height, bool log_y,
              double smooth) {
             new (self) Plot({.title = std::move(title),
                              .x_label = std::move(x_label),
                              .y_label = std::move(y_label),
                              .width = width,
                              .height = height,
                              .log_y = log_y,
                              .smooth = smooth});
           })
      .def("line",
           [](Plot& self, std::string name, std::vector<double> x,
              std::vector<double> y) {
             self.line(std::move(name), std::move(x), std::move(y));
           })
      .def("png",
           [](const Plot& self) {
             std::string png;
             {
               ReleaseGil released;
               png = self.png();
             }
             return Bytes(png);
           })
      .def("save",
           [](const Plot& self, nb::handle path) {
             std::string to = PathOf(path);
             OnFiles([&] { self.save(to); });
           })
      .def_prop_ro("width", &Plot::width)
      .def_prop_ro("height", &Plot::height);
  m.def("encode_png", [](int64_t width, int64_t height, int channels,
                         const nb::bytes& pixels) {
    return Bytes(report::encode_png(width, height, channels,
                                    {pixels.c_str(), pixels.size()}));
  });
  m.def("picture_png", [](nb::handle pixels, std::string_view layout) {
    Tensor t = Values(pixels, "write_png");
    auto picture =
        ValueOrThrow(report::Picture::Of(t.array(), LayoutOf(layout)));
    return Bytes(report::encode_png(picture.width, picture.height,
                                    picture.channels, picture.bytes));
  });
}

void BindProgress(nb::module_& m) {
  using report::Progress;
  nb::class_<Progress>(m, "Progress")
      .def("__init__",
           [](Progress* self, int64_t total, int64_t start, std::string label,
              double items_per_step, std::string unit, std::string loss_name,
              double smoothing) {
             new (self) Progress({.total = total,
                                  .start = start,
                                  .label = std::move(label),
                                  .items_per_step = items_per_step,
                                  .unit = std::move(unit),
                                  .loss_name = std::move(loss_name),
                                  .smoothing = smoothing});
           })
      .def("update",
           [](Progress& self, nb::handle loss, const Numbers& metrics) {
             if (PyFloat_Check(loss.ptr()) || PyLong_Check(loss.ptr())) {
               self.update(nb::cast<double>(loss), metrics);
             } else {
               self.update(Values(loss, "Progress"), metrics);
             }
           })
      .def("advance", &Progress::advance)
      .def("advance_to", &Progress::advance_to)
      .def("note", &Progress::note)
      .def("finish", &Progress::finish)
      .def_prop_ro("seconds", &Progress::seconds)
      .def_prop_ro("loss", &Progress::loss);
}

void BindTables(nb::module_& m) {
  using report::ConfusionMatrix;
  using report::Table;
  nb::class_<ConfusionMatrix>(m, "ConfusionMatrix")
      .def(nb::init<std::vector<std::string>>())
      .def("add",
           [](ConfusionMatrix& self, nb::handle truth, nb::handle predicted) {
             self.add(Values(truth, "truth"), Values(predicted, "predicted"));
           })
      .def_prop_ro("classes", &ConfusionMatrix::classes)
      .def_prop_ro("total", &ConfusionMatrix::total)
      .def("count",
           [](ConfusionMatrix& self, int64_t truth, int64_t predicted) {
             return self.count(truth, predicted);
           })
      .def_prop_ro("accuracy", &ConfusionMatrix::accuracy)
      .def("precision", &ConfusionMatrix::precision)
      .def("recall", &ConfusionMatrix::recall)
      .def("f1", &ConfusionMatrix::f1)
      .def("text", &ConfusionMatrix::text);
  nb::class_<Table>(m, "Table")
      .def(nb::init<std::vector<std::string>>())
      .def("row",
           [](Table& self, std::vector<std::string> cells) { self.row(cells); })
      .def("line", [](Table& self) { self.line(); })
      .def("__len__", &Table::rows)
      .def("text", &Table::text);
}

}  // namespace

void BindReport(nb::module_& m) {
  BindEvents(m);
  BindMetricsLog(m);
  BindPictures(m);
  BindProgress(m);
  BindTables(m);
}

}  // namespace sluice::py
