#include "sluice/optim/adam.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

namespace {

template <class Options>
void CheckAdam(const Options& o) {
  CheckKept(o.kName, "beta1", o.beta1);
  CheckKept(o.kName, "beta2", o.beta2);
  CheckOption(o.kName, "eps", o.eps);
  CheckOption(o.kName, "weight_decay", o.weight_decay);
}

// lr m / (sqrt(v) + eps) in the slots' own terms is
// step_size exp_avg / (sqrt(exp_avg_sq) root + eps).
template <class Options>
void BeginAdam(GroupStep& step, const Options& o) {
  const Tensor& t = step.count();
  step.set("step_size", step.lr() / (1 - pow(o.beta1, t)));
  step.set("root", rsqrt(1 - pow(o.beta2, t)));
}

template <class Options>
Tensor AdamStep(Param& p, const Tensor& g, const Options& o) {
  Tensor mean = p.set("exp_avg", Average(p.slot("exp_avg"), g, o.beta1));
  Tensor squares =
      p.set("exp_avg_sq", Average(p.slot("exp_avg_sq"), g * g, o.beta2));
  if (o.amsgrad) {
    squares =
        p.set("max_exp_avg_sq", maximum(p.slot("max_exp_avg_sq"), squares));
  }
  Tensor size = mul_add(sqrt(squares), p.scalar("root"), o.eps);
  return p.scalar("step_size") * mean / size;
}

}  // namespace

void AdamOptions::Check() const { CheckAdam(*this); }
void AdamWOptions::Check() const { CheckAdam(*this); }

void Adam::Begin(GroupStep& step) { BeginAdam(step, options(step.group())); }

void Adam::Update(Param& p, const Tensor& grad) {
  const AdamOptions& o = options(p);
  p.subtract(AdamStep(p, WithDecay(p, grad, o.weight_decay), o));
}

void AdamW::Begin(GroupStep& step) {
  const AdamWOptions& o = options(step.group());
  BeginAdam(step, o);
  step.set("decay", step.lr() * o.weight_decay);
}

void AdamW::Update(Param& p, const Tensor& grad) {
  const AdamWOptions& o = options(p);
  Tensor change = AdamStep(p, grad, o);
  if (o.weight_decay != 0) {
    change = mul_add(p.value(), p.scalar("decay"), change);
  }
  p.subtract(change);
}

}  // namespace sluice::optim
