// Initialisers, and new tensors for layers.
#include <limits>

#include "errors.h"
#include "nn_args.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/index.h"
#include "sluice/eager/operand.h"
#include "sluice/nn/init.h"
#include "sluice/nn/inverse_erf.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

namespace init = nn::init;

// Initialisers write, so that only tensors will do.
nb::object Filled(nb::handle object, const char* name,
                  const std::function<void(const Tensor&)>& fill) {
  if (!IsTensor(object)) {
    ThrowTypeError(StrCat(name, "(): tensor is a ",
                          Py_TYPE(object.ptr())->tp_name, "; wanted a Tensor"));
  }
  Tensor t = AsTensor(object);
  {
    LongCall call{t};
    fill(t);
  }
  return nb::borrow(object);
}

init::KaimingOptions Kaiming(double a, const std::string& mode,
                             const std::string& nonlinearity) {
  if (mode != "fan_in" && mode != "fan_out") {
    ThrowValueError(StrCat("mode is \"", mode, "\"; wanted fan_in or fan_out"));
  }
  return {.a = a, .fan_out = mode == "fan_out", .nonlinearity = nonlinearity};
}

// Numbers drawn, or all the same.
void BindFills(nb::module_& m) {
  m.def(
      "nn_init_uniform",
      [](nb::handle t, double a, double b) {
        return Filled(t, "uniform_",
                      [&](const Tensor& w) { init::uniform_(w, a, b); });
      },
      "tensor"_a, "a"_a, "b"_a);
  m.def(
      "nn_init_normal",
      [](nb::handle t, double mean, double std) {
        return Filled(t, "normal_",
                      [&](const Tensor& w) { init::normal_(w, mean, std); });
      },
      "tensor"_a, "mean"_a, "std"_a);
  m.def(
      "nn_init_trunc_normal",
      [](nb::handle t, double mean, double std, double a, double b) {
        return Filled(t, "trunc_normal_", [&](const Tensor& w) {
          init::trunc_normal_(w, mean, std, a, b);
        });
      },
      "tensor"_a, "mean"_a, "std"_a, "a"_a, "b"_a);
  m.def(
      "nn_init_constant",
      [](nb::handle t, double value) {
        return Filled(t, "constant_",
                      [&](const Tensor& w) { init::constant_(w, value); });
      },
      "tensor"_a, "value"_a);
}

// By how many numbers go in and out.
void BindByFans(nb::module_& m) {
  m.def(
      "nn_init_orthogonal",
      [](nb::handle t, double gain) {
        return Filled(t, "orthogonal_",
                      [&](const Tensor& w) { init::orthogonal_(w, gain); });
      },
      "tensor"_a, "gain"_a);
  m.def(
      "nn_init_xavier",
      [](nb::handle t, double gain, bool normal) {
        return Filled(t, "xavier_", [&](const Tensor& w) {
          normal ? init::xavier_normal_(w, gain)
                 : init::xavier_uniform_(w, gain);
        });
      },
      "tensor"_a, "gain"_a, "normal"_a);
  m.def(
      "nn_init_kaiming",
      [](nb::handle t, double a, const std::string& mode,
         const std::string& nonlinearity, bool normal) {
        init::KaimingOptions options = Kaiming(a, mode, nonlinearity);
        return Filled(t, "kaiming_", [&](const Tensor& w) {
          normal ? init::kaiming_normal_(w, options)
                 : init::kaiming_uniform_(w, options);
        });
      },
      "tensor"_a, "a"_a, "mode"_a, "nonlinearity"_a, "normal"_a);
  m.def("nn_calculate_gain", &init::calculate_gain, "nonlinearity"_a, "a"_a);
  m.def(
      "nn_fans",
      [](nb::handle t) {
        init::Fans fans = init::fans(TensorArg(t, "weight"));
        return std::pair(fans.in, fans.out);
      },
      "tensor"_a);
}

// Matrices and rows of a known look.
void BindPatterns(nb::module_& m) {
  m.def(
      "nn_init_eye",
      [](nb::handle t) {
        return Filled(t, "eye_", [](const Tensor& w) {
          if (w.rank() != 2) {
            throw Error(InvalidArgument(StrCat(
                "eye_: the tensor is ", w.shape(), "; wanted a matrix")));
          }
          NoGrad off;
          w.copy_(eye(w.dim(0), {.columns = w.dim(1), .dtype = w.dtype()}));
        });
      },
      "tensor"_a);
  m.def(
      "nn_zero_row",
      [](nb::handle t, int64_t row) {
        return Filled(t, "zero_row", [&](const Tensor& w) {
          NoGrad off;
          w.set({row}, 0.f);
        });
      },
      "tensor"_a, "row"_a);
  // The y with erf(y) = x; and that with erfc(y) = q for q = 1 - x.
  m.def(
      "inverse_erf",
      [](nb::handle x) { return nn::InverseErf(TensorArg(x, "erfinv(): x")); },
      "x"_a);
  m.def(
      "inverse_erfc",
      [](nb::handle q, nb::handle x) {
        return nn::InverseErfc(TensorArg(q, "inverse_erfc(): q"),
                               TensorArg(x, "inverse_erfc(): x"));
      },
      "q"_a, "x"_a);
  m.def(
      "nn_causal_mask",
      [](int64_t size, DType dtype) {
        Tensor never = zeros({size, size}, dtype);
        never.fill_(-std::numeric_limits<double>::infinity());
        return triu(never, {.k = 1});
      },
      "size"_a, "dtype"_a);
  // The tensors that layers start with, before initialization.
  m.def(
      "nn_zeros",
      [](const std::vector<int64_t>& shape, DType dtype) {
        return zeros(ValueOrThrow(Shape::Make(shape)), dtype);
      },
      "shape"_a, "dtype"_a);
}

}  // namespace

void BindNnInit(nb::module_& m) {
  BindFills(m);
  BindByFans(m);
  BindPatterns(m);
}

}  // namespace sluice::py
