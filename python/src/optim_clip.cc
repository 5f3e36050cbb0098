// Gradient clipping, and running means of parameters.
#include <memory>

#include "caller_line.h"
#include "named_tensors.h"
#include "optim_parts.h"
#include "sluice/optim/clip.h"
#include "sluice/optim/ema.h"

namespace sluice::py {

namespace {

using optim::Ema;

// Parameters are replaced by the means from begin() to end().
class EmaUse {
 public:
  explicit EmaUse(Ema& ema) : ema_(ema) {}
  void begin() { use_ = std::make_unique<Ema::Use>(ema_); }
  void end() { use_.reset(); }

 private:
  Ema& ema_;
  std::unique_ptr<Ema::Use> use_;
};

void BindEma(nb::module_& m) {
  nb::class_<Ema>(m, "Ema")
      .def("__init__",
           [](Ema* self, nb::handle parameters, double decay, bool ramp) {
             new (self) Ema(ParametersOf(parameters, "Ema"),
                            {.decay = decay, .ramp = ramp});
           })
      .def("update",
           [](Ema& self) {
             Operation operation;
             {
               ReleaseGil released;
               operation = self.update();
             }
             return operation ? nb::cast(operation) : nb::none();
           })
      .def("value",
           [](Ema& self, size_t i) {
             if (i >= self.size()) throw nb::index_error("no such parameter");
             return self.value(i);
           })
      .def("__len__", &Ema::size)
      .def("state_dict", [](Ema& self) { return DictOf(self.state_dict()); })
      .def("load_state_dict", [](Ema& self, nb::handle state) {
        self.load_state_dict(StateOf(state, "state_dict"));
      });
  nb::class_<EmaUse>(m, "EmaUse")
      .def(nb::init<Ema&>(), nb::keep_alive<1, 2>())
      .def("begin", &EmaUse::begin)
      .def("end", &EmaUse::end);
}

}  // namespace

void BindClip(nb::module_& m) {
  m.def(
      "clip_grad_norm_",
      [](nb::handle parameters, double max_norm, double norm_type,
         bool error_if_nonfinite) {
        auto list = ParametersOf(parameters, "clip_grad_norm_");
        ReleaseGil released;
        return optim::clip_grad_norm_(
            list, max_norm,
            {.norm_type = norm_type, .error_if_nonfinite = error_if_nonfinite});
      },
      "parameters"_a, "max_norm"_a, "norm_type"_a, "error_if_nonfinite"_a);
  m.def(
      "clip_grad_value_",
      [](nb::handle parameters, double limit) {
        auto list = ParametersOf(parameters, "clip_grad_value_");
        ReleaseGil released;
        optim::clip_grad_value_(list, limit);
      },
      "parameters"_a, "limit"_a);
  m.def(
      "global_norm",
      [](const std::vector<Tensor>& gradients) {
        return optim::global_norm(gradients);
      },
      "gradients"_a);
  m.def(
      "clip_by_global_norm",
      [](const std::vector<Tensor>& gradients, double max_norm) {
        auto clipped = optim::clip_by_global_norm(gradients, max_norm);
        return std::pair(std::move(clipped.gradients), std::move(clipped.norm));
      },
      "gradients"_a, "max_norm"_a);
  BindEma(m);
}

}  // namespace sluice::py
