#include "sluice/nn/normalized.h"

#include <limits>

#include "sluice/eager/constants.h"
#include "sluice/nn/beside.h"
#include "sluice/nn/checks.h"
#include "sluice/ops.h"

namespace sluice::nn {

namespace {

// A tensor, or where there is none one number for each of `sizes`, of the type
// that x has and on its device.
Tensor Or(const Tensor& given, double number, const std::vector<int64_t>& sizes,
          const Tensor& x) {
  if (given.defined()) return given;
  Tensor made = number == 1 ? ones(sizes, x.dtype()) : zeros(sizes, x.dtype());
  return Beside(x, made);
}

// The same, one for each channel of x (axis 1), whose number a function may be
// recorded without.
Tensor PerChannelOr(const NormCall& call, const Tensor& given, double number,
                    const Tensor& x) {
  if (given.defined()) return given;
  SL_WANT(x.rank() >= 2, call.where, call.function, ": ", call.input, " is ",
          TypeText(x.dtype(), x.shape()), "; wanted [batch, channels, ...]");
  if (x.dim(1) >= 0) return Or(given, number, {x.dim(1)}, x);
  Tensor one = Beside(x, constant(number, x.dtype()));
  return broadcast_to(one, slice_axis(shape(x), 1, 2));
}

// Halves have statistics of floats.
Tensor Stats(const Tensor& t, DType of) {
  DType wanted = of == DType::kF64 ? DType::kF64 : DType::kF32;
  return t.dtype() == wanted ? t : cast(t, wanted);
}

// Returns the first axis to normalise over.
int64_t CheckLastAxes(const NormCall& call, const Tensor& x,
                      const std::vector<int64_t>& sizes) {
  int rank = x.rank(), count = static_cast<int>(sizes.size());
  bool fits = count > 0 && (rank < 0 || rank >= count);
  for (int i = 0; i < count && fits && rank >= 0; ++i) {
    int64_t size = x.dim(rank - count + i);
    fits = size < 0 || size == sizes[static_cast<size_t>(i)];
  }
  SL_WANT(fits, call.where, call.function, ": ", call.input, " is ",
          TypeText(x.dtype(), x.shape()), "; wanted last axes [",
          Join(sizes, ","), "]");
  return -count;
}

// Of one number there is no deviation.
void WantSeveral(const NormCall& call, const Tensor& x, bool several) {
  SL_WANT(several, call.where, call.function, ": ", call.input, " is ",
          TypeText(x.dtype(), x.shape()),
          "; wanted more than one number per channel in training");
}

// In each channel of a sample.
bool SeveralPerInstance(const Tensor& x) {
  int64_t count = 1;
  for (int axis = 2; axis < x.rank() && count >= 0; ++axis) {
    count = x.dim(axis) < 0 ? -1 : count * x.dim(axis);
  }
  return x.rank() < 0 || count != 1;
}

}  // namespace

double MachineEpsilon(DType dtype) {
  if (dtype == DType::kF64) return std::numeric_limits<double>::epsilon();
  if (dtype == DType::kF16) return 9.765625e-4;
  if (dtype == DType::kBF16) return 7.8125e-3;
  return std::numeric_limits<float>::epsilon();
}

Tensor LayerNormalized(const NormCall& call, const Tensor& x,
                       const std::vector<int64_t>& sizes, const Tensor& weight,
                       const Tensor& bias, double eps) {
  int64_t axis = CheckLastAxes(call, x, sizes);
  return layer_norm(x, Or(weight, 1, sizes, x), Or(bias, 0, sizes, x),
                    {.axis = axis, .epsilon = eps}, {}, call.where)
      .y;
}

Tensor RmsNormalized(const NormCall& call, const Tensor& x,
                     const std::vector<int64_t>& sizes, const Tensor& weight,
                     double eps) {
  int64_t axis = CheckLastAxes(call, x, sizes);
  return rms_norm(x, Or(weight, 1, sizes, x), {.axis = axis, .epsilon = eps},
                  {}, call.where)
      .y;
}

Tensor GroupNormalized(const NormCall& call, const Tensor& x, int64_t groups,
                       const Tensor& weight, const Tensor& bias, double eps) {
  return group_norm(x, PerChannelOr(call, weight, 1, x),
                    PerChannelOr(call, bias, 0, x), groups, {.epsilon = eps},
                    {}, call.where)
      .y;
}

Tensor InstanceNormalized(const NormCall& call, const Tensor& x,
                          const InstanceNormArgs& args) {
  const RunningStats& running = args.running;
  Tensor scale = PerChannelOr(call, args.weight, 1, x);
  Tensor offset = PerChannelOr(call, args.bias, 0, x);
  if (!args.use_input_stats) {
    return batch_norm_inference(
        x, scale, offset, Stats(running.mean, x.dtype()),
        Stats(running.var, x.dtype()), {.epsilon = args.eps}, {}, call.where);
  }
  WantSeveral(call, x, SeveralPerInstance(x));
  if (running.mean.defined()) {
    TrackInstances(running, args.momentum, x, call.where);
  }
  return instance_norm(x, scale, offset, {.epsilon = args.eps}, {}, call.where)
      .y;
}

Tensor BatchNormalized(const NormCall& call, const Tensor& x,
                       const BatchNormArgs& args) {
  const RunningStats& running = args.running;
  Tensor known = running.mean.defined() ? running.mean : args.weight;
  int64_t channels = known.defined() && known.rank() == 1 ? known.dim(0)
                     : x.rank() >= 2                      ? x.dim(1)
                                                          : -1;
  auto number = [&](const Tensor& given, double n) {
    return channels >= 0 ? Or(given, n, {channels}, x)
                         : PerChannelOr(call, given, n, x);
  };
  Tensor scale = number(args.weight, 1), offset = number(args.bias, 0);
  if (!args.training && running.mean.defined()) {
    return batch_norm_inference(
        x, scale, offset, Stats(running.mean, x.dtype()),
        Stats(running.var, x.dtype()), {.epsilon = args.eps}, {}, call.where);
  }
  WantSeveral(call, x,
              !args.training || channels < 0 || x.num_elements() != channels);
  auto made =
      batch_norm(x, scale, offset, {.epsilon = args.eps}, {}, call.where);
  if (args.training && running.mean.defined()) {
    TrackBatch(running, args.momentum, x, made.mean, made.variance, call.where);
  }
  return made.y;
}

}  // namespace sluice::nn
