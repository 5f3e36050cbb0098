// Normalisation as functions.
#include "nn_args.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/normalized.h"

namespace sluice::py {

namespace {

using Where = std::source_location;

Tensor BatchNorm(nb::handle input, nb::handle running_mean,
                 nb::handle running_var, nb::handle num_batches_tracked,
                 nb::handle weight, nb::handle bias, bool training,
                 std::optional<double> momentum, double eps) {
  Tensor x = TensorArg(input, "batch_norm(): input");
  nn::RunningStats running{
      OptionalArg(running_mean, "batch_norm(): running_mean"),
      OptionalArg(running_var, "batch_norm(): running_var"),
      OptionalArg(num_batches_tracked, "batch_norm(): num_batches_tracked")};
  Tensor w = OptionalArg(weight, "batch_norm(): weight");
  Tensor b = OptionalArg(bias, "batch_norm(): bias");
  SL_WANT(running.mean.defined() || training, Where::current(),
          "batch_norm: there are no running statistics; wanted them, or "
          "training=True");
  SL_WANT(!running.mean.defined() == !running.var.defined(), Where::current(),
          "batch_norm: running_mean without running_var, or the other way "
          "round; wanted both");
  SL_WANT(momentum || running.num_batches_tracked.defined(), Where::current(),
          "batch_norm: momentum is None; wanted a number");
  LongCall call{x};
  return nn::BatchNormalized({"batch_norm", "input"}, x,
                             {.weight = w,
                              .bias = b,
                              .running = running,
                              .training = training,
                              .momentum = momentum,
                              .eps = eps});
}

Tensor LayerNorm(nb::handle input, nb::handle normalized_shape,
                 nb::handle weight, nb::handle bias, double eps) {
  Tensor x = TensorArg(input, "layer_norm(): input");
  nn::PerAxis shape =
      PerAxisArg(normalized_shape, "layer_norm(): normalized_shape");
  Tensor w = OptionalArg(weight, "layer_norm(): weight");
  Tensor b = OptionalArg(bias, "layer_norm(): bias");
  LongCall call{x};
  return nn::LayerNormalized({"layer_norm", "input"}, x, shape.sizes(), w, b,
                             eps);
}

Tensor RmsNorm(nb::handle input, nb::handle normalized_shape, nb::handle weight,
               std::optional<double> eps) {
  Tensor x = TensorArg(input, "rms_norm(): input");
  nn::PerAxis shape =
      PerAxisArg(normalized_shape, "rms_norm(): normalized_shape");
  Tensor w = OptionalArg(weight, "rms_norm(): weight");
  LongCall call{x};
  return nn::RmsNormalized({"rms_norm", "input"}, x, shape.sizes(), w,
                           eps.value_or(nn::MachineEpsilon(x.dtype())));
}

Tensor GroupNorm(nb::handle input, int64_t num_groups, nb::handle weight,
                 nb::handle bias, double eps) {
  Tensor x = TensorArg(input, "group_norm(): input");
  Tensor w = OptionalArg(weight, "group_norm(): weight");
  Tensor b = OptionalArg(bias, "group_norm(): bias");
  LongCall call{x};
  return nn::GroupNormalized({"group_norm", "input"}, x, num_groups, w, b, eps);
}

Tensor InstanceNorm(nb::handle input, nb::handle running_mean,
                    nb::handle running_var, nb::handle weight, nb::handle bias,
                    bool use_input_stats, double momentum, double eps) {
  Tensor x = TensorArg(input, "instance_norm(): input");
  nn::RunningStats running{
      OptionalArg(running_mean, "instance_norm(): running_mean"),
      OptionalArg(running_var, "instance_norm(): running_var"),
      {}};
  Tensor w = OptionalArg(weight, "instance_norm(): weight");
  Tensor b = OptionalArg(bias, "instance_norm(): bias");
  bool tracked = running.mean.defined() && running.var.defined();
  SL_WANT(tracked || (use_input_stats && !running.mean.defined() &&
                      !running.var.defined()),
          Where::current(),
          "instance_norm: running_mean or running_var is None; wanted both, or "
          "neither with use_input_stats=True");
  LongCall call{x};
  return nn::InstanceNormalized({"instance_norm", "input"}, x,
                                {.weight = w,
                                 .bias = b,
                                 .running = running,
                                 .use_input_stats = use_input_stats,
                                 .momentum = momentum,
                                 .eps = eps});
}

}  // namespace

void BindNnNorms(nb::module_& m) {
  m.def("nn_batch_norm", &BatchNorm, "input"_a, "running_mean"_a.none(),
        "running_var"_a.none(), "num_batches_tracked"_a.none(),
        "weight"_a.none(), "bias"_a.none(), "training"_a, "momentum"_a.none(),
        "eps"_a);
  m.def("nn_layer_norm", &LayerNorm, "input"_a, "normalized_shape"_a,
        "weight"_a.none(), "bias"_a.none(), "eps"_a);
  m.def("nn_rms_norm", &RmsNorm, "input"_a, "normalized_shape"_a,
        "weight"_a.none(), "eps"_a.none());
  m.def("nn_group_norm", &GroupNorm, "input"_a, "num_groups"_a,
        "weight"_a.none(), "bias"_a.none(), "eps"_a);
  m.def("nn_instance_norm", &InstanceNorm, "input"_a, "running_mean"_a.none(),
        "running_var"_a.none(), "weight"_a.none(), "bias"_a.none(),
        "use_input_stats"_a, "momentum"_a, "eps"_a);
}

}  // namespace sluice::py
