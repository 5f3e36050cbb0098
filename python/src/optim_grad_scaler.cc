// GradScaler, for optimizers of both languages: each is known by a number.
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>
#include <vector>

#include "caller_line.h"
#include "operand.h"
#include "optim_parts.h"
#include "sluice/optim/grad_scaler.h"

namespace sluice::py {

namespace {

using optim::GradScaler;

const void* KeyOf(uintptr_t number) {
  return reinterpret_cast<const void*>(number);
}

}  // namespace

void BindGradScaler(nb::module_& m) {
  nb::class_<GradScaler>(m, "GradScaler")
      .def("__init__",
           [](GradScaler* self, double init_scale, double growth_factor,
              double backoff_factor, int64_t growth_interval, bool enabled) {
             new (self) GradScaler({.init_scale = init_scale,
                                    .growth_factor = growth_factor,
                                    .backoff_factor = backoff_factor,
                                    .growth_interval = growth_interval,
                                    .enabled = enabled});
           })
      .def_prop_ro("enabled", &GradScaler::enabled)
      .def("get_scale", &GradScaler::get_scale)
      .def("unscaled",
           [](const GradScaler& self, uintptr_t optimizer) {
             return self.unscaled(KeyOf(optimizer));
           })
      .def("unscale_",
           [](GradScaler& self, uintptr_t optimizer,
              const std::vector<Tensor>& gradients) {
             ReleaseGil released;
             self.unscale_(KeyOf(optimizer), gradients);
           })
      .def("may_step",
           [](GradScaler& self, uintptr_t optimizer) {
             return self.may_step(KeyOf(optimizer));
           })
      .def(
          "update",
          [](GradScaler& self, std::optional<double> new_scale) {
            self.update(new_scale);
          },
          "new_scale"_a.none())
      .def("state",
           [](const GradScaler& self) {
             StateDict state = self.state_dict();
             auto number = [&](const char* name) {
               return state.at(name).item<double>();
             };
             auto count = [&](const char* name) {
               return state.at(name).item<int64_t>();
             };
             return std::tuple(number("scale"), number("growth_factor"),
                               number("backoff_factor"),
                               count("growth_interval"), count("good_steps"));
           })
      .def("restore", [](GradScaler& self, double scale, double growth_factor,
                         double backoff_factor, int64_t growth_interval,
                         int64_t good_steps) {
        auto now = [](auto value) { return TensorOf(Array::Scalar(value)); };
        self.load_state_dict({{"scale", now(scale)},
                              {"growth_factor", now(growth_factor)},
                              {"backoff_factor", now(backoff_factor)},
                              {"growth_interval", now(growth_interval)},
                              {"good_steps", now(good_steps)}});
      });
}

}  // namespace sluice::py
