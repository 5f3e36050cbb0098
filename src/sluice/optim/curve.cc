#include "sluice/optim/curve.h"

#include <cmath>
#include <numbers>

#include "sluice/eager/operators.h"
#include "sluice/ops.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

namespace {

// The few functions the formulas need, for numbers and for tensors.
double Floor(double x) { return std::floor(x); }
Tensor Floor(const Tensor& x) { return floor(x); }
double Cos(double x) { return std::cos(x); }
Tensor Cos(const Tensor& x) { return cos(x); }
double Power(double a, double b) { return std::pow(a, b); }
Tensor Power(double a, const Tensor& b) { return pow(a, b); }
Tensor Power(const Tensor& a, double b) { return pow(a, b); }
double Modulo(double x, double n) { return std::fmod(x, n); }
Tensor Modulo(const Tensor& x, double n) { return mod(x, n); }
double AtMost(double x, double limit) { return std::fmin(x, limit); }
Tensor AtMost(const Tensor& x, double limit) { return minimum(x, limit); }
double AtLeast(double x, double limit) { return std::fmax(x, limit); }
Tensor AtLeast(const Tensor& x, double limit) { return maximum(x, limit); }
double Choose(bool c, double a, double b) { return c ? a : b; }
Tensor Choose(const Tensor& c, const Operand& a, const Operand& b) {
  return where(c, a, b);
}
double OneIf(bool c) { return c ? 1 : 0; }
Tensor OneIf(const Tensor& c) { return cast(c, DType::kF64); }

// A formula for both.
template <class F>
Curve Both(F f) {
  return Curve([f](double base, double t) { return f(base, t); },
               [f](const Tensor& base, const Tensor& t) { return f(base, t); });
}

void CheckCount(std::string_view owner, std::string_view option, int64_t n) {
  if (n > 0) return;
  Refuse(StrCat(owner, ": ", option, " is ", n, "; wanted at least 1"));
}

double Number(int64_t n) { return static_cast<double>(n); }

}  // namespace

Tensor Curve::at(double base, const Tensor& step) const {
  return at(cast(base, DType::kF64), step);
}

Tensor Curve::at(const Tensor& base, const Tensor& step) const {
  if (!tensors_) {
    Refuse(
        "this curve is a function of numbers; wanted one of tensors too, to "
        "follow it in a graph");
  }
  return tensors_(base, cast(step, DType::kF64));
}

Curve constant_rate() {
  return Both([](auto base, auto) { return base; });
}

Curve step_decay(const StepDecayOptions& o) {
  CheckCount("step_decay", "step_size", o.step_size);
  CheckOption("step_decay", "gamma", o.gamma);
  return Both([size = Number(o.step_size), gamma = o.gamma](auto base, auto t) {
    return base * Power(gamma, Floor(t / size));
  });
}

Curve multi_step(const MultiStepOptions& o) {
  CheckOption("multi_step", "gamma", o.gamma);
  return Both([o](auto base, auto t) {
    auto rate = base;
    for (int64_t m : o.milestones) {
      rate = rate * Power(o.gamma, OneIf(t >= Number(m)));
    }
    return rate;
  });
}

Curve exponential(double gamma) {
  CheckOption("exponential", "gamma", gamma);
  return Both([gamma](auto base, auto t) { return base * Power(gamma, t); });
}

Curve linear_factor(const LinearOptions& o) {
  CheckOption("linear_factor", "start_factor", o.start_factor, 0, 1);
  CheckOption("linear_factor", "end_factor", o.end_factor, 0, 1);
  return Both([n = o.steps, start = o.start_factor, end = o.end_factor](
                  auto base, auto t) {
    return Choose(t >= n, base * end, base * (start + (end - start) * (t / n)));
  });
}

Curve constant_factor(const ConstantFactorOptions& o) {
  CheckOption("constant_factor", "factor", o.factor, 0, 1);
  return Both([n = o.steps, factor = o.factor](auto base, auto t) {
    return Choose(t < n, base * factor, base);
  });
}

Curve polynomial(const PolynomialOptions& o) {
  CheckOption("polynomial", "steps", o.steps, 1);
  return Both([n = o.steps, power = o.power](auto base, auto t) {
    return base * Power(1 - AtMost(t, n) / n, power);
  });
}

Curve cosine_restarts(const CosineRestartsOptions& o) {
  CheckCount("cosine_restarts", "steps", o.steps);
  CheckCount("cosine_restarts", "growth", o.growth);
  const double low = o.min_lr, steps = Number(o.steps);
  if (o.growth == 1) {
    return Both([=](auto base, auto t) {
      auto at = Modulo(t, steps);
      return low +
             (base - low) * ((1 + Cos(std::numbers::pi * at / steps)) / 2);
    });
  }
  return Curve([=, growth = Number(o.growth)](double base, double at) {
    double length = steps;
    while (at >= length) {
      at -= length;
      length *= growth;
    }
    return low +
           (base - low) * ((1 + std::cos(std::numbers::pi * at / length)) / 2);
  });
}

Curve cosine(const CosineOptions& o) {
  CheckCount("cosine", "steps", o.steps);
  CheckOption("cosine", "min_lr", o.min_lr);
  return Both([low = o.min_lr, n = Number(o.steps)](auto base, auto t) {
    return low + (base - low) * ((1 + Cos(t * (std::numbers::pi / n))) / 2);
  });
}

Curve one_cycle(const OneCycleOptions& o) {
  CheckCount("one_cycle", "total_steps", o.total_steps);
  CheckOption("one_cycle", "max_lr", o.max_lr);
  CheckOption("one_cycle", "pct_start", o.pct_start, 0, 1);
  CheckOption("one_cycle", "div_factor", o.div_factor, 1e-300);
  CheckOption("one_cycle", "final_div_factor", o.final_div_factor, 1e-300);
  double first = o.max_lr / o.div_factor, last = first / o.final_div_factor;
  double steps = Number(o.total_steps), end = steps - 1;
  double up = o.pct_start * steps - 1;
  double down = o.three_phase ? 2 * o.pct_start * steps - 2 : end;
  double low = o.three_phase ? first : last;
  bool linear = o.linear;
  // From a to b while t goes from `begin` to `finish`.
  auto part = [linear](double a, double b, double begin, double finish,
                       auto t) {
    auto done = (t - begin) / (finish > begin ? finish - begin : 1.0);
    auto cosine = 1 - (1 + Cos(done * std::numbers::pi)) / 2;
    return a + (b - a) * (linear ? done : cosine);
  };
  return Both([=, high = o.max_lr](auto, auto step) {
    auto t = AtMost(step, end);
    auto tail = Choose(t <= down, part(high, low, up, down, t),
                       part(low, last, down, end, t));
    return Choose(t <= up, part(first, high, 0, up, t), tail);
  });
}

Curve cyclic(const CyclicOptions& o) {
  CheckOption("cyclic", "steps", o.steps, 1e-300);
  CheckOption("cyclic", "up", o.up, 1e-300, 1);
  if (o.mode != "triangular" && o.mode != "triangular2" &&
      o.mode != "exp_range") {
    Refuse(StrCat("cyclic: mode is \"", o.mode,
                  "\"; wanted triangular, triangular2 or exp_range"));
  }
  return Both([o, halves = o.mode == "triangular2",
               shrinks = o.mode == "exp_range"](auto base, auto t) {
    auto turns = t / o.steps;
    auto cycle = Floor(1 + turns);
    auto x = 1 + turns - cycle;
    auto height = Choose(x <= o.up, x / o.up, (x - 1) / (o.up - 1));
    auto rise = (o.max_lr - base) * height;
    if (halves) rise = rise * Power(0.5, cycle - 1);
    if (shrinks) rise = rise * Power(o.gamma, t);
    return base + rise;
  });
}

Curve anneal(const AnnealOptions& o) {
  CheckOption("anneal", "steps", o.steps);
  return Both([o, n = std::fmax(1, o.steps)](auto base, auto t) {
    auto line = AtLeast(AtMost(t / n, 1), 0);
    auto cosine = (1 - Cos(std::numbers::pi * line)) / 2;
    auto share = o.linear ? line : cosine;
    return o.target * share + base * (1 - share);
  });
}

Curve warm_up(const WarmUpOptions& o, Curve next) {
  CheckCount("warm_up", "steps", o.steps);
  CheckOption("warm_up", "start_factor", o.start_factor, 0, 1);
  return Both(
      [n = Number(o.steps), part = o.start_factor, next](auto base, auto t) {
        return Choose(t < n, base * (part + (1 - part) / n * t),
                      next.at(base, t - n));
      });
}

}  // namespace sluice::optim
