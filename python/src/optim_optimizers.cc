// C++ optimizers with options by name; optim/_optimizers.py adds PyTorch's
// interfaces.
#include "callback.h"
#include "caller_line.h"
#include "errors.h"
#include "named_tensors.h"
#include "optim_options.h"
#include "optim_parts.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/optim/optim.h"

namespace sluice::py {

namespace {

using optim::Optimizer;

std::vector<Variable> VariablesOf(nb::handle list) {
  std::vector<Variable> variables;
  if (list.is_none()) return variables;
  for (nb::handle v : nb::iter(list)) {
    variables.push_back(nb::cast<Variable>(v));
  }
  return variables;
}

nb::object OrNone(const Operation& operation) {
  return operation ? nb::cast(operation) : nb::none();
}

void ZeroGrad(Optimizer& self, bool set_to_none) {
  if (set_to_none) return self.zero_grad();
  for (size_t i = 0; i < self.num_groups(); ++i) {
    for (const Variable& v : self.parameters(i)) {
      Tensor grad = v.tensor().grad();
      if (!grad.defined()) continue;
      if (grad.is_sparse()) {
        v.tensor().zero_grad();
      } else {
        grad.zero_();
      }
    }
  }
}

void BindBase(nb::module_& m) {
  nb::class_<Optimizer>(m, "Optimizer")
      .def("zero_grad", &ZeroGrad, "set_to_none"_a = true)
      .def("step",
           [](Optimizer& self) {
             ReleaseGil released;
             self.step();
           })
      .def(
          "minimize",
          [](Optimizer& self, const Tensor& loss, nb::handle variables) {
            std::vector<Variable> list = VariablesOf(variables);
            return OrNone(list.empty() ? self.minimize(loss)
                                       : self.minimize(loss, list));
          },
          "loss"_a, "variables"_a = nb::none())
      .def(
          "compute_gradients",
          [](Optimizer& self, const Tensor& loss, nb::handle variables) {
            nb::list pairs;
            for (auto& [grad, variable] :
                 self.compute_gradients(loss, VariablesOf(variables))) {
              nb::object g = grad.defined() ? nb::cast(grad) : nb::none();
              pairs.append(nb::make_tuple(g, nb::cast(variable)));
            }
            return pairs;
          },
          "loss"_a, "variables"_a = nb::none())
      .def(
          "apply_gradients",
          [](Optimizer& self, nb::handle pairs) {
            std::vector<optim::GradAndVariable> list;
            for (nb::handle pair : nb::iter(pairs)) {
              nb::object grad = pair[0];
              list.push_back(
                  {grad.is_none() ? Tensor() : nb::cast<Tensor>(grad),
                   nb::cast<Variable>(pair[1])});
            }
            return OrNone(self.apply_gradients(list));
          },
          "gradients"_a)
      .def_prop_ro("num_groups", &Optimizer::num_groups)
      .def("lr", &Optimizer::lr, "group"_a = 0)
      .def("set_lr", nb::overload_cast<size_t, double>(&Optimizer::set_lr),
           "group"_a, "lr"_a)
      .def("steps",
           [](Optimizer& self, size_t group) {
             return self.step_variable(group).tensor().item<int64_t>();
           })
      .def("lr_value",
           [](Optimizer& self, size_t group) {
             return self.lr_variable(group).value();
           })
      .def("follow", &Optimizer::follow, "curve"_a)
      .def("state_dict",
           [](Optimizer& self) { return DictOf(self.state_dict()); })
      .def(
          "load_state_dict",
          [](Optimizer& self, nb::handle state) {
            self.load_state_dict(StateOf(state, "state_dict"));
          },
          "state_dict"_a);
}

// The closure is called with gradients enabled, as often as C++ requests.
Tensor StepLbfgs(optim::LBFGS& self, nb::callable closure) {
  ReleaseGil released;
  return self.step([&] {
    TakeGil gil;
    nb::object loss = closure();
    if (!nb::isinstance<Tensor>(loss)) {
      ThrowTypeError(StrCat("LBFGS: the closure returned a ",
                            Py_TYPE(loss.ptr())->tp_name,
                            "; wanted the loss, a Tensor"));
    }
    return nb::cast<Tensor>(loss);
  });
}

}  // namespace

void BindOptimizers(nb::module_& m) {
  using namespace optim;  // NOLINT: the classes, listed
  BindBase(m);
  Bind<SGD>(m, "SGD");
  Bind<Adam>(m, "Adam");
  Bind<AdamW>(m, "AdamW");
  Bind<NAdam>(m, "NAdam");
  Bind<RAdam>(m, "RAdam");
  Bind<Adamax>(m, "Adamax");
  Bind<Rprop>(m, "Rprop");
  Bind<ASGD>(m, "ASGD");
  Bind<Adagrad>(m, "Adagrad");
  Bind<Adadelta>(m, "Adadelta");
  Bind<RMSProp>(m, "RMSprop");
  Bind<Adafactor>(m, "Adafactor");
  Bind<Lion>(m, "Lion");
  Bind<LBFGS>(m, "LBFGS").def("step", &StepLbfgs, "closure"_a);
  // The closure of step(closure), with gradients enabled in any case.
  m.def("with_grad", [](nb::callable closure) {
    EnableGrad on;
    return nb::object(closure());
  });
}

}  // namespace sluice::py
