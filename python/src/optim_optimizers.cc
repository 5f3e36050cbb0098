// The optimizers of C++ with options by name; optim/_optimizers.py gives them
// the faces PyTorch's have.
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

// The closure is called with gradients on, as often as C++ asks.
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
  Bind<SGD>(m, "SGD",
            {{"lr", &SGDOptions::lr},
             {"momentum", &SGDOptions::momentum},
             {"dampening", &SGDOptions::dampening},
             {"weight_decay", &SGDOptions::weight_decay},
             {"nesterov", &SGDOptions::nesterov},
             {"maximize", &SGDOptions::maximize}});
  Bind<Adam>(m, "Adam",
             {{"lr", &AdamOptions::lr},
              {"beta1", &AdamOptions::beta1},
              {"beta2", &AdamOptions::beta2},
              {"eps", &AdamOptions::eps},
              {"weight_decay", &AdamOptions::weight_decay},
              {"amsgrad", &AdamOptions::amsgrad},
              {"maximize", &AdamOptions::maximize}});
  Bind<AdamW>(m, "AdamW",
              {{"lr", &AdamWOptions::lr},
               {"beta1", &AdamWOptions::beta1},
               {"beta2", &AdamWOptions::beta2},
               {"eps", &AdamWOptions::eps},
               {"weight_decay", &AdamWOptions::weight_decay},
               {"amsgrad", &AdamWOptions::amsgrad},
               {"maximize", &AdamWOptions::maximize}});
  Bind<NAdam>(
      m, "NAdam",
      {{"lr", &NAdamOptions::lr},
       {"beta1", &NAdamOptions::beta1},
       {"beta2", &NAdamOptions::beta2},
       {"eps", &NAdamOptions::eps},
       {"weight_decay", &NAdamOptions::weight_decay},
       {"momentum_decay", &NAdamOptions::momentum_decay},
       {"decoupled_weight_decay", &NAdamOptions::decoupled_weight_decay},
       {"maximize", &NAdamOptions::maximize}});
  Bind<RAdam>(
      m, "RAdam",
      {{"lr", &RAdamOptions::lr},
       {"beta1", &RAdamOptions::beta1},
       {"beta2", &RAdamOptions::beta2},
       {"eps", &RAdamOptions::eps},
       {"weight_decay", &RAdamOptions::weight_decay},
       {"decoupled_weight_decay", &RAdamOptions::decoupled_weight_decay},
       {"maximize", &RAdamOptions::maximize}});
  Bind<Adamax>(m, "Adamax",
               {{"lr", &AdamaxOptions::lr},
                {"beta1", &AdamaxOptions::beta1},
                {"beta2", &AdamaxOptions::beta2},
                {"eps", &AdamaxOptions::eps},
                {"weight_decay", &AdamaxOptions::weight_decay},
                {"maximize", &AdamaxOptions::maximize}});
  Bind<Rprop>(m, "Rprop",
              {{"lr", &RpropOptions::lr},
               {"eta_minus", &RpropOptions::eta_minus},
               {"eta_plus", &RpropOptions::eta_plus},
               {"step_min", &RpropOptions::step_min},
               {"step_max", &RpropOptions::step_max},
               {"maximize", &RpropOptions::maximize}});
  Bind<ASGD>(m, "ASGD",
             {{"lr", &ASGDOptions::lr},
              {"lambd", &ASGDOptions::lambd},
              {"alpha", &ASGDOptions::alpha},
              {"t0", &ASGDOptions::t0},
              {"weight_decay", &ASGDOptions::weight_decay},
              {"maximize", &ASGDOptions::maximize}});
  Bind<Adagrad>(m, "Adagrad",
                {{"lr", &AdagradOptions::lr},
                 {"lr_decay", &AdagradOptions::lr_decay},
                 {"weight_decay", &AdagradOptions::weight_decay},
                 {"initial_accumulator_value",
                  &AdagradOptions::initial_accumulator_value},
                 {"eps", &AdagradOptions::eps},
                 {"maximize", &AdagradOptions::maximize}});
  Bind<Adadelta>(m, "Adadelta",
                 {{"lr", &AdadeltaOptions::lr},
                  {"rho", &AdadeltaOptions::rho},
                  {"eps", &AdadeltaOptions::eps},
                  {"weight_decay", &AdadeltaOptions::weight_decay},
                  {"maximize", &AdadeltaOptions::maximize}});
  Bind<RMSProp>(m, "RMSprop",
                {{"lr", &RMSPropOptions::lr},
                 {"alpha", &RMSPropOptions::alpha},
                 {"eps", &RMSPropOptions::eps},
                 {"weight_decay", &RMSPropOptions::weight_decay},
                 {"momentum", &RMSPropOptions::momentum},
                 {"centered", &RMSPropOptions::centered},
                 {"maximize", &RMSPropOptions::maximize}});
  Bind<Adafactor>(m, "Adafactor",
                  {{"lr", &AdafactorOptions::lr},
                   {"beta2_decay", &AdafactorOptions::beta2_decay},
                   {"eps1", &AdafactorOptions::eps1},
                   {"eps2", &AdafactorOptions::eps2},
                   {"d", &AdafactorOptions::clip_threshold},
                   {"weight_decay", &AdafactorOptions::weight_decay},
                   {"maximize", &AdafactorOptions::maximize}});
  Bind<Lion>(m, "Lion",
             {{"lr", &LionOptions::lr},
              {"beta1", &LionOptions::beta1},
              {"beta2", &LionOptions::beta2},
              {"weight_decay", &LionOptions::weight_decay},
              {"maximize", &LionOptions::maximize}});
  Bind<LBFGS>(m, "LBFGS",
              {{"lr", &LBFGSOptions::lr},
               {"max_iter", &LBFGSOptions::max_iter},
               {"max_eval", &LBFGSOptions::max_eval},
               {"tolerance_grad", &LBFGSOptions::tolerance_grad},
               {"tolerance_change", &LBFGSOptions::tolerance_change},
               {"history_size", &LBFGSOptions::history_size},
               {"strong_wolfe", &LBFGSOptions::strong_wolfe}})
      .def("step", &StepLbfgs, "closure"_a);
  // The closure of step(closure), with gradients on whatever is around it.
  m.def("with_grad", [](nb::callable closure) {
    EnableGrad on;
    return nb::object(closure());
  });
}

}  // namespace sluice::py
