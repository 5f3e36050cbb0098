// summary: records a model as a graph and counts the work of each module.
// Nothing is computed, and nothing is kept.
#include "errors.h"
#include "nn_args.h"
#include "sluice/base/strings.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/nn/flops.h"
#include "sluice/nn/summary.h"
#include "sluice/trace/capture.h"

namespace sluice::py {

namespace {

// Open from enter to exit, on one thread.
class Recording {
 public:
  void enter() {
    if (building_) ThrowValueError("the recording is open already");
    building_.emplace(*graph_);
    capture_.emplace(graph_);
  }
  void exit() {
    capture_.reset();
    building_.reset();
  }
  Tensor input(const std::vector<int64_t>& shape, DType dtype) {
    Shape sizes = ValueOrThrow(Shape::Make(shape));
    MutexLock lock(graph_->mu());
    Value arg =
        ValueOrThrow(graph_->AddArg(graph_->root(), StrCat("input_", inputs_++),
                                    {dtype, PartialShape(sizes)}));
    return Tensor(*graph_, arg);
  }
  // The work recorded since the last call.
  double account() {
    double work = 0;
    const auto& nodes = graph_->root().nodes();
    for (; next_ < nodes.size(); ++next_) work += nn::NodeFlops(*nodes[next_]);
    return work;
  }

 private:
  // Not at this object's own address, because Python graphs are identified by
  // address.
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>("summary");
  std::optional<GraphScope> building_;
  std::optional<Capture> capture_;
  size_t next_ = 0;
  int inputs_ = 0;
};

}  // namespace

void BindNnSummary(nb::module_& m) {
  nb::class_<Recording>(m, "NnRecording")
      .def(nb::init<>())
      .def("__enter__",
           [](nb::handle self) {
             nb::cast<Recording&>(self).enter();
             return nb::borrow(self);
           })
      .def("__exit__", [](Recording& r, nb::args) { r.exit(); })
      .def("input", &Recording::input, "shape"_a, "dtype"_a)
      .def("account", &Recording::account);
  nb::class_<nn::ModuleSummary>(m, "ModuleSummary")
      .def(nb::init<>())
      .def_rw("path", &nn::ModuleSummary::path)
      .def_rw("type", &nn::ModuleSummary::type)
      .def_rw("description", &nn::ModuleSummary::description)
      .def_rw("shape", &nn::ModuleSummary::shape)
      .def_rw("parameters", &nn::ModuleSummary::parameters)
      .def_rw("trainable", &nn::ModuleSummary::trainable)
      .def_rw("flops", &nn::ModuleSummary::flops)
      .def_rw("calls", &nn::ModuleSummary::calls);
  nb::class_<nn::Summary>(m, "Summary")
      .def(nb::init<>())
      .def_rw("rows", &nn::Summary::rows)
      .def_rw("parameters", &nn::Summary::parameters)
      .def_rw("trainable", &nn::Summary::trainable)
      .def_rw("buffers", &nn::Summary::buffers)
      .def_rw("flops", &nn::Summary::flops)
      .def("__str__", &nn::Summary::ToString)
      .def("__repr__", &nn::Summary::ToString);
}

}  // namespace sluice::py
