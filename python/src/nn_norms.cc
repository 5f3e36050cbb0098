// Normalisation as functions.
#include <limits>

#include "nn_args.h"
#include "sluice/eager/constants.h"
#include "sluice/nn/batch_norm.h"
#include "sluice/nn/beside.h"
#include "sluice/nn/checks.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

using Where = std::source_location;

// A tensor, or where there is none one number for each of `sizes`, of the type
// that x has and on its device.
Tensor Or(const Tensor& given, double number, const std::vector<int64_t>& sizes,
          const Tensor& x) {
  if (given.defined()) return given;
  Tensor made = number == 1 ? ones(sizes, x.dtype()) : zeros(sizes, x.dtype());
  return nn::Beside(x, made);
}

// The same, one for each channel of x (axis 1), whose number a function may be
// recorded without.
Tensor PerChannelOr(const char* function, const Tensor& given, double number,
                    const Tensor& x) {
  if (given.defined()) return given;
  SL_WANT(x.rank() >= 2, Where::current(), function, ": input is ",
          TypeText(x.dtype(), x.shape()), "; wanted [batch, channels, ...]");
  if (x.dim(1) >= 0) return Or(given, number, {x.dim(1)}, x);
  Tensor one = nn::Beside(x, constant(number, x.dtype()));
  return broadcast_to(one, slice_axis(shape(x), 1, 2));
}

// Halves have statistics of floats.
Tensor Stats(const Tensor& t, DType of) {
  DType wanted = of == DType::kF64 ? DType::kF64 : DType::kF32;
  return t.dtype() == wanted ? t : cast(t, wanted);
}

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
  Tensor known = running.mean.defined() ? running.mean : w;
  int64_t channels = known.defined() && known.rank() == 1 ? known.dim(0)
                     : x.rank() >= 2                      ? x.dim(1)
                                                          : -1;
  LongCall call{x};
  auto number = [&](const Tensor& given, double n) {
    return channels >= 0 ? Or(given, n, {channels}, x)
                         : PerChannelOr("batch_norm", given, n, x);
  };
  Tensor scale = number(w, 1), offset = number(b, 0);
  if (!training) {
    return batch_norm_inference(
        x, scale, offset, Stats(running.mean, x.dtype()),
        Stats(running.var, x.dtype()), {.epsilon = eps});
  }
  SL_WANT(channels < 0 || x.num_elements() != channels, Where::current(),
          "batch_norm: input is ", TypeText(x.dtype(), x.shape()),
          "; wanted more than one number per channel in training");
  auto made = batch_norm(x, scale, offset, {.epsilon = eps});
  if (running.mean.defined()) {
    nn::TrackBatch(running, momentum, x, made.mean, made.variance);
  }
  return made.y;
}

// The first axis to normalise over.
int64_t CheckLastAxes(const char* function, const Tensor& x,
                      const std::vector<int64_t>& sizes) {
  int rank = x.rank(), count = static_cast<int>(sizes.size());
  bool fits = count > 0 && (rank < 0 || rank >= count);
  for (int i = 0; i < count && fits && rank >= 0; ++i) {
    int64_t size = x.dim(rank - count + i);
    fits = size < 0 || size == sizes[static_cast<size_t>(i)];
  }
  SL_WANT(fits, Where::current(), function, ": input is ",
          TypeText(x.dtype(), x.shape()), "; wanted last axes [",
          Join(sizes, ","), "]");
  return -count;
}

Tensor LayerNorm(nb::handle input, nb::handle normalized_shape,
                 nb::handle weight, nb::handle bias, double eps) {
  Tensor x = TensorArg(input, "layer_norm(): input");
  nn::PerAxis shape =
      PerAxisArg(normalized_shape, "layer_norm(): normalized_shape");
  Tensor w = OptionalArg(weight, "layer_norm(): weight");
  Tensor b = OptionalArg(bias, "layer_norm(): bias");
  int64_t axis = CheckLastAxes("layer_norm", x, shape.sizes());
  LongCall call{x};
  return layer_norm(x, Or(w, 1, shape.sizes(), x), Or(b, 0, shape.sizes(), x),
                    {.axis = axis, .epsilon = eps})
      .y;
}

double MachineEpsilon(DType dtype) {
  if (dtype == DType::kF64) return std::numeric_limits<double>::epsilon();
  if (dtype == DType::kF16) return 9.765625e-4;
  if (dtype == DType::kBF16) return 7.8125e-3;
  return std::numeric_limits<float>::epsilon();
}

Tensor RmsNorm(nb::handle input, nb::handle normalized_shape, nb::handle weight,
               std::optional<double> eps) {
  Tensor x = TensorArg(input, "rms_norm(): input");
  nn::PerAxis shape =
      PerAxisArg(normalized_shape, "rms_norm(): normalized_shape");
  Tensor w = OptionalArg(weight, "rms_norm(): weight");
  int64_t axis = CheckLastAxes("rms_norm", x, shape.sizes());
  LongCall call{x};
  double epsilon = eps.value_or(MachineEpsilon(x.dtype()));
  return rms_norm(x, Or(w, 1, shape.sizes(), x),
                  {.axis = axis, .epsilon = epsilon})
      .y;
}

Tensor GroupNorm(nb::handle input, int64_t num_groups, nb::handle weight,
                 nb::handle bias, double eps) {
  Tensor x = TensorArg(input, "group_norm(): input");
  Tensor w = OptionalArg(weight, "group_norm(): weight");
  Tensor b = OptionalArg(bias, "group_norm(): bias");
  LongCall call{x};
  return group_norm(x, PerChannelOr("group_norm", w, 1, x),
                    PerChannelOr("group_norm", b, 0, x), num_groups,
                    {.epsilon = eps})
      .y;
}

// More than one number in each channel of a sample: one has no deviation.
void CheckInstances(const Tensor& x) {
  int64_t count = 1;
  for (int axis = 2; axis < x.rank() && count >= 0; ++axis) {
    count = x.dim(axis) < 0 ? -1 : count * x.dim(axis);
  }
  SL_WANT(x.rank() < 0 || count != 1, Where::current(),
          "instance_norm: input is ", TypeText(x.dtype(), x.shape()),
          "; wanted more than one number per channel in training");
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
  Tensor scale = PerChannelOr("instance_norm", w, 1, x);
  Tensor offset = PerChannelOr("instance_norm", b, 0, x);
  if (!use_input_stats) {
    return batch_norm_inference(
        x, scale, offset, Stats(running.mean, x.dtype()),
        Stats(running.var, x.dtype()), {.epsilon = eps});
  }
  CheckInstances(x);
  if (tracked) nn::TrackInstances(running, momentum, x);
  return instance_norm(x, scale, offset, {.epsilon = eps}).y;
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
