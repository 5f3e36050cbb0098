#include "errors.h"
#include "graph.h"
#include "operand.h"
#include "scope_stack.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_owned.h"
#include "sluice/eager/colocate_scope.h"
#include "sluice/eager/scope.h"

namespace sluice::py {

namespace {

// A scope for `with`, opened again each time it is entered.
struct Scope {
  std::function<std::shared_ptr<void>()> open;
  nb::object owned;   // the object it refers to
  nb::object result;  // bound by `as`
};

nb::object Enter(nb::handle self) {
  Scope& scope = nb::cast<Scope&>(self);
  PushScope(self, nb::borrow(self), scope.open);
  return scope.result;
}

Scope MakeNameScope(const std::string& name) {
  // Checked now rather than on entry: the name is written here.
  {
    NameScope checked(name);
  }
  return {[name] { return std::make_shared<NameScope>(name); }, nb::none(),
          nb::cast(name)};
}

Operation OperationOf(nb::handle object, size_t i) {
  if (nb::isinstance<Operation>(object)) return nb::cast<Operation>(object);
  if (IsTensor(object)) return AsTensor(object).operation();
  if (Variable v; nb::try_cast<Variable>(object, v, false) && v.symbolic()) {
    return v.value().operation();
  }
  ThrowTypeError(StrCat("control_dependencies(): entry ", i, " is a ",
                        Py_TYPE(object.ptr())->tp_name,
                        "; wanted an Operation or a Tensor of a graph"));
}

Scope MakeColocateScope(nb::handle with) {
  if (IsTensor(with)) {
    Tensor tensor = AsTensor(with);
    return {[tensor] { return std::make_shared<ColocateScope>(tensor); },
            nb::borrow(with), nb::borrow(with)};
  }
  Operation operation;
  if (Variable v; nb::try_cast<Variable>(with, v, false) && v.symbolic()) {
    operation = v.value().operation();
  } else if (nb::isinstance<Operation>(with)) {
    operation = nb::cast<Operation>(with);
  } else {
    ThrowTypeError(StrCat("colocate_with(): got a ",
                          Py_TYPE(with.ptr())->tp_name,
                          "; wanted a Tensor, a Variable or an Operation"));
  }
  return {[operation] { return std::make_shared<ColocateScope>(operation); },
          nb::borrow(with), nb::borrow(with)};
}

// Without dependencies: None, and results of imperative calls.
Scope MakeControlScope(nb::handle before) {
  nb::list owned;
  std::vector<Operation> operations;
  if (!before.is_none()) {
    size_t i = 0;
    for (nb::handle object : nb::iter(before)) {
      owned.append(object);
      if (!object.is_none()) operations.push_back(OperationOf(object, i));
      ++i;
    }
  }
  for (const Operation& o : operations) {
    if (&o.graph() != &operations[0].graph()) {
      ThrowValueError(StrCat("control_dependencies(): \"", o.name(),
                             "\" and \"", operations[0].name(),
                             "\" belong to different graphs"));
    }
  }
  auto open = [operations]() -> std::shared_ptr<void> {
    Graph* graph = front_internal::Building::Current().graph;
    if (operations.empty()) {
      // None, as in TensorFlow: nodes made here have no control dependencies.
      auto saved = std::make_shared<front_internal::SavedBuilding>();
      front_internal::Building::Current().controls.clear();
      return saved;
    }
    if (!graph) {
      throw std::runtime_error(
          "control_dependencies() needs a graph, and none is open on this "
          "thread; wanted `with sluice.Graph():`");
    }
    return std::make_shared<ControlScope>(operations);
  };
  return {open, owned, nb::none()};
}

// Containers of the open scopes, innermost last.
std::vector<std::string>& Containers() {
  struct Open {
    std::vector<std::string> names;
  };
  return ThreadOwned<Open>::Get().names;
}
struct ContainerScope {
  explicit ContainerScope(std::string name) {
    Containers().push_back(std::move(name));
  }
  ~ContainerScope() { Containers().pop_back(); }
};

}  // namespace

std::string ContainerOr(const std::optional<std::string>& container) {
  if (container) return *container;
  return Containers().empty() ? "" : Containers().back();
}

void BindScopes(nb::module_& m) {
  nb::class_<Scope>(m, "Scope", "A scope for `with`.")
      .def("__enter__", &Enter)
      .def("__exit__", [](nb::handle self, nb::args) { PopScope(self); });
  m.def("name_scope", &MakeNameScope, "name"_a,
        "Names of operations made inside begin with \"name/\".");
  m.def("control_dependencies", &MakeControlScope, "control_inputs"_a.none(),
        "Operations made inside wait for these to finish. None: they wait for "
        "nothing.");
  m.def(
      "device_scope",
      [](const std::string& device) {
        return Scope{[device] { return std::make_shared<DeviceScope>(device); },
                     nb::none(), nb::cast(device)};
      },
      "device"_a);
  m.def("colocate_scope", &MakeColocateScope, "with_"_a);
  m.def(
      "container",
      [](const std::string& name) {
        return Scope{[name] { return std::make_shared<ContainerScope>(name); },
                     nb::none(), nb::cast(name)};
      },
      "name"_a,
      "Variables, queues and tables made inside live in that container, which "
      "Session.reset drops whole.");
  m.def("current_container", [] { return ContainerOr(std::nullopt); });
  m.def(
      "imperative_scope",
      [] {
        return Scope{[] { return std::make_shared<ImperativeScope>(); },
                     nb::none(), nb::none()};
      },
      "What is called inside runs at once, whatever graph is open around it.");
}

}  // namespace sluice::py
