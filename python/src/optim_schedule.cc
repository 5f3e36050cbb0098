// Learning rates that follow a curve, or a metric.
#include "callback.h"
#include "caller_line.h"
#include "operand.h"
#include "optim_parts.h"
#include "sluice/optim/optim.h"

namespace sluice::py {

namespace {

using optim::Curve;

Curve CurveOf(nb::callable f) {
  return Curve([f = Callback(f)](double base, double step) {
    TakeGil gil;
    return nb::cast<double>(f(base, static_cast<int64_t>(step)));
  });
}

void BindCurve(nb::module_& m) {
  nb::class_<Curve>(m, "Curve",
                    "A number for every step: a rate that changes, from a "
                    "function of the step.")
      .def("__init__",
           [](Curve* self, nb::callable f) { new (self) Curve(CurveOf(f)); })
      .def(
          "__call__",
          [](const Curve& self, double base, nb::handle step) -> nb::object {
            if (nb::isinstance<Tensor>(step)) {
              return nb::cast(self.at(base, nb::cast<Tensor>(step)));
            }
            return nb::float_(self.at(base, nb::cast<double>(step)));
          },
          "base"_a, "step"_a);
}

void BindFormulas(nb::module_& m) {
  m.def("constant_rate", &optim::constant_rate);
  m.def(
      "step_decay",
      [](int64_t step_size, double gamma) {
        return optim::step_decay({.step_size = step_size, .gamma = gamma});
      },
      "step_size"_a, "gamma"_a = 0.1);
  m.def(
      "multi_step",
      [](std::vector<int64_t> milestones, double gamma) {
        return optim::multi_step(
            {.milestones = std::move(milestones), .gamma = gamma});
      },
      "milestones"_a, "gamma"_a = 0.1);
  m.def("exponential", &optim::exponential, "gamma"_a);
  m.def(
      "cosine",
      [](int64_t steps, double min_lr) {
        return optim::cosine({.steps = steps, .min_lr = min_lr});
      },
      "steps"_a, "min_lr"_a = 0.0);
  m.def(
      "linear_factor",
      [](double start_factor, double end_factor, double steps) {
        return optim::linear_factor({.start_factor = start_factor,
                                     .end_factor = end_factor,
                                     .steps = steps});
      },
      "start_factor"_a = 1.0 / 3, "end_factor"_a = 1.0, "steps"_a = 5.0);
  m.def(
      "constant_factor",
      [](double factor, double steps) {
        return optim::constant_factor({.factor = factor, .steps = steps});
      },
      "factor"_a = 1.0 / 3, "steps"_a = 5.0);
  m.def(
      "polynomial",
      [](double steps, double power) {
        return optim::polynomial({.steps = steps, .power = power});
      },
      "steps"_a = 5.0, "power"_a = 1.0);
  m.def(
      "cosine_restarts",
      [](int64_t steps, int64_t growth, double min_lr) {
        return optim::cosine_restarts(
            {.steps = steps, .growth = growth, .min_lr = min_lr});
      },
      "steps"_a, "growth"_a = 1, "min_lr"_a = 0.0);
  m.def(
      "one_cycle",
      [](double max_lr, int64_t total_steps, double pct_start, bool linear,
         double div_factor, double final_div_factor, bool three_phase) {
        return optim::one_cycle({.max_lr = max_lr,
                                 .total_steps = total_steps,
                                 .pct_start = pct_start,
                                 .linear = linear,
                                 .div_factor = div_factor,
                                 .final_div_factor = final_div_factor,
                                 .three_phase = three_phase});
      },
      "max_lr"_a, "total_steps"_a, "pct_start"_a = 0.3, "linear"_a = false,
      "div_factor"_a = 25.0, "final_div_factor"_a = 1e4,
      "three_phase"_a = false);
  m.def(
      "cyclic",
      [](double max_lr, double steps, double up, const std::string& mode,
         double gamma) {
        return optim::cyclic({.max_lr = max_lr,
                              .steps = steps,
                              .up = up,
                              .mode = mode,
                              .gamma = gamma});
      },
      "max_lr"_a, "steps"_a, "up"_a = 0.5, "mode"_a = "triangular",
      "gamma"_a = 1.0);
  m.def(
      "anneal",
      [](double target, double steps, bool linear) {
        return optim::anneal(
            {.target = target, .steps = steps, .linear = linear});
      },
      "target"_a, "steps"_a = 10.0, "linear"_a = false);
  m.def(
      "warm_up",
      [](int64_t steps, double start_factor, const Curve* next) {
        return optim::warm_up({.steps = steps, .start_factor = start_factor},
                              next ? *next : optim::constant_rate());
      },
      "steps"_a, "start_factor"_a = 1.0 / 3, "next"_a.none() = nb::none());
}

}  // namespace

void BindSchedules(nb::module_& m) {
  BindCurve(m);
  BindFormulas(m);
  using Plateau = optim::ReduceOnPlateau;
  nb::class_<Plateau>(m, "ReduceOnPlateau")
      .def(
          "__init__",
          [](Plateau* self, optim::Optimizer& optimizer, bool maximize,
             double factor, int64_t patience, double threshold, bool relative,
             int64_t cooldown, std::vector<double> min_lrs, double eps) {
            new (self) Plateau(optimizer, {.maximize = maximize,
                                           .factor = factor,
                                           .patience = patience,
                                           .threshold = threshold,
                                           .relative = relative,
                                           .cooldown = cooldown,
                                           .min_lrs = std::move(min_lrs),
                                           .eps = eps});
          },
          "optimizer"_a, "maximize"_a, "factor"_a, "patience"_a, "threshold"_a,
          "relative"_a, "cooldown"_a, "min_lr"_a, "eps"_a,
          nb::keep_alive<1, 2>())
      .def("step", &Plateau::step, "measure"_a)
      .def_prop_ro("best", &Plateau::best)
      .def("state",
           [](Plateau& self) {
             StateDict state = self.state_dict();
             return std::pair(state.at("bad_steps").item<int64_t>(),
                              state.at("cooldown").item<int64_t>());
           })
      .def("restore", [](Plateau& self, double best, int64_t bad_steps,
                         int64_t cooldown, int64_t steps) {
        self.load_state_dict({{"best", TensorOf(Array::Scalar(best))},
                              {"bad_steps", TensorOf(Array::Scalar(bad_steps))},
                              {"cooldown", TensorOf(Array::Scalar(cooldown))},
                              {"steps", TensorOf(Array::Scalar(steps))}});
      });
}

}  // namespace sluice::py
