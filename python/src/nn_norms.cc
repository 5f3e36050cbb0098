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

// How many channels there are: axis 1.
int64_t Channels(const char* function, const Tensor& x) {
  SL_WANT(x.rank() >= 2 && x.dim(1) >= 0, Where::current(), function,
          ": input is ", TypeText(x.dtype(), x.shape()),
          "; wanted [batch, channels, ...] with channels known");
  return x.dim(1);
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
  std::vector<int64_t> sizes{known.defined() && known.rank() == 1
                                 ? known.dim(0)
                                 : Channels("batch_norm", x)};
  LongCall call{x};
  Tensor scale = Or(w, 1, sizes, x), offset = Or(b, 0, sizes, x);
  if (!training) {
    return batch_norm_inference(
        x, scale, offset, Stats(running.mean, x.dtype()),
        Stats(running.var, x.dtype()), {.epsilon = eps});
  }
  SL_WANT(x.num_elements() != sizes[0], Where::current(),
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
  std::vector<int64_t> sizes{w.defined() ? w.num_elements()
                                         : Channels("group_norm", x)};
  LongCall call{x};
  return group_norm(x, Or(w, 1, sizes, x), Or(b, 0, sizes, x), num_groups,
                    {.epsilon = eps})
      .y;
}

Tensor InstanceNorm(nb::handle input, nb::handle weight, nb::handle bias,
                    double eps) {
  Tensor x = TensorArg(input, "instance_norm(): input");
  Tensor w = OptionalArg(weight, "instance_norm(): weight");
  Tensor b = OptionalArg(bias, "instance_norm(): bias");
  std::vector<int64_t> sizes{w.defined() ? w.num_elements()
                                         : Channels("instance_norm", x)};
  LongCall call{x};
  return instance_norm(x, Or(w, 1, sizes, x), Or(b, 0, sizes, x),
                       {.epsilon = eps})
      .y;
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
  m.def("nn_instance_norm", &InstanceNorm, "input"_a, "weight"_a.none(),
        "bias"_a.none(), "eps"_a);
}

}  // namespace sluice::py
