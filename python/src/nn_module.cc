// C++ support for Python modules: a mode that recorded functions depend on,
// names of nodes, and parameters.
#include "bindings.h"
#include "nn_args.h"
#include "operand.h"
#include "sluice/eager/scope.h"
#include "sluice/trace/capture.h"

namespace sluice::py {

namespace {

// Whether a module trains. A recorded function that asks is recorded again for
// the other mode.
class Mode {
 public:
  void set(bool training) { *training_ = training ? 1 : 0; }
  // `module` is asked for its text where a function is being recorded.
  bool get(nb::handle module) const {
    if (Capture* capture = Capture::Current()) {
      capture->Note(training_,
                    nb::cast<std::string>(nb::getattr(module, "_mode_text")()));
    }
    return *training_ != 0;
  }

 private:
  std::shared_ptr<int> training_ = std::make_shared<int>(1);
};

// Nodes made meanwhile have this before their names.
class ModuleScope {
 public:
  explicit ModuleScope(std::string name) : name_(std::move(name)) {}
  void enter() {
    if (!name_.empty()) open_.emplace(name_);
  }
  void exit() { open_.reset(); }

 private:
  std::string name_;
  std::optional<NameScope> open_;
};

// A tensor of a class derived from Tensor, with the elements of `data`.
nb::object NewParameter(nb::type_object cls, nb::handle data,
                        bool requires_grad) {
  Tensor t = TensorArg(data, "Parameter(): data");
  if (t.symbolic()) {
    throw Error(FailedPrecondition(
        "Parameter(): data is a value of a graph; wanted an imperative "
        "tensor: modules are made outside of graphs and functions"));
  }
  t = t.detach();
  t.requires_grad_(requires_grad);
  nb::object made = nb::inst_alloc(cls);
  new (nb::inst_ptr<Tensor>(made)) Tensor(std::move(t));
  nb::inst_mark_ready(made);
  return made;
}

}  // namespace

void BindNnModule(nb::module_& m) {
  nb::class_<Mode>(m, "NnMode")
      .def(nb::init<>())
      .def("set", &Mode::set, "training"_a)
      .def("get", &Mode::get, "module"_a);
  nb::class_<ModuleScope>(m, "NnScope")
      .def(nb::init<std::string>(), "name"_a)
      .def("__enter__", &ModuleScope::enter)
      .def("__exit__", [](ModuleScope& scope, nb::args) { scope.exit(); });
  m.def("nn_building",
        [] { return front_internal::Building::Current().graph != nullptr; });
  m.def("nn_parameter", &NewParameter, "cls"_a, "data"_a, "requires_grad"_a);
  BindNnState(m);
}

void BindNnLayers(nb::module_& m) {
  BindNnInit(m);
  BindNnSummary(m);
}

}  // namespace sluice::py
