#include "sluice/optim/optim_test_util.h"

#include <cmath>

namespace sluice::optim {

namespace {

Formula Sgd(SGDOptions o) {
  return [o](Cell& c, double g, int t) {
    g += o.weight_decay * c.p;
    if (o.momentum != 0) {
      double& b = c.slot["b"];
      b = t == 1 ? g : o.momentum * b + (1 - o.dampening) * g;
      g = o.nesterov ? g + o.momentum * b : b;
    }
    c.p -= o.lr * g;
  };
}

Formula AdagradRule(AdagradOptions o) {
  return [o](Cell& c, double g, int t) {
    g += o.weight_decay * c.p;
    c.slot.try_emplace("sum", o.initial_accumulator_value);
    c.slot["sum"] += g * g;
    double rate = o.lr / (1 + (t - 1) * o.lr_decay);
    c.p -= rate * g / (std::sqrt(c.slot["sum"]) + o.eps);
  };
}

Formula AdadeltaRule(AdadeltaOptions o) {
  return [o](Cell& c, double g, int) {
    g += o.weight_decay * c.p;
    double &v = c.slot["v"], &u = c.slot["u"];
    v = o.rho * v + (1 - o.rho) * g * g;
    double d = std::sqrt(u + o.eps) / std::sqrt(v + o.eps) * g;
    u = o.rho * u + (1 - o.rho) * d * d;
    c.p -= o.lr * d;
  };
}

Formula RmsPropRule(RMSPropOptions o) {
  return [o](Cell& c, double g, int) {
    g += o.weight_decay * c.p;
    double &v = c.slot["v"], &m = c.slot["m"], &b = c.slot["b"];
    v = o.alpha * v + (1 - o.alpha) * g * g;
    double under = v;
    if (o.centered) {
      m = o.alpha * m + (1 - o.alpha) * g;
      under = v - m * m;
    }
    double u = g / (std::sqrt(under) + o.eps);
    if (o.momentum != 0) u = b = o.momentum * b + u;
    c.p -= o.lr * u;
  };
}

template <class Options>
Formula AdamRule(Options o, bool decoupled) {
  return [o, decoupled](Cell& c, double g, int t) {
    if (decoupled) {
      c.p *= 1 - o.lr * o.weight_decay;
    } else {
      g += o.weight_decay * c.p;
    }
    double &m = c.slot["m"], &v = c.slot["v"], &top = c.slot["top"];
    m = o.beta1 * m + (1 - o.beta1) * g;
    v = o.beta2 * v + (1 - o.beta2) * g * g;
    top = std::max(top, v);
    double m_hat = m / (1 - std::pow(o.beta1, t));
    double v_hat = (o.amsgrad ? top : v) / (1 - std::pow(o.beta2, t));
    c.p -= o.lr * m_hat / (std::sqrt(v_hat) + o.eps);
  };
}

Formula LionRule(LionOptions o) {
  return [o](Cell& c, double g, int) {
    double& m = c.slot["m"];
    double mixed = o.beta1 * m + (1 - o.beta1) * g;
    double way = mixed > 0 ? 1 : mixed < 0 ? -1 : 0;
    c.p -= o.lr * (way + o.weight_decay * c.p);
    m = o.beta2 * m + (1 - o.beta2) * g;
  };
}

}  // namespace

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  auto sgd = [&](std::string name, SGDOptions o) {
    cases.push_back(MakeCase<SGD>(std::move(name), o, Sgd(o)));
  };
  sgd("sgd", {.lr = 0.1});
  sgd("sgd decay", {.lr = 0.1, .weight_decay = 0.05});
  sgd("sgd momentum", {.lr = 0.1, .momentum = 0.9});
  sgd("sgd dampening",
      {.lr = 0.1, .momentum = 0.8, .dampening = 0.3, .weight_decay = 0.01});
  sgd("sgd nesterov",
      {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = true});
  for (AdagradOptions o : {AdagradOptions{.lr = 0.1},
                           AdagradOptions{.lr = 0.1,
                                          .lr_decay = 0.2,
                                          .weight_decay = 0.1,
                                          .initial_accumulator_value = 0.3}}) {
    cases.push_back(MakeCase<Adagrad>("adagrad", o, AdagradRule(o)));
  }
  for (AdadeltaOptions o :
       {AdadeltaOptions{},
        AdadeltaOptions{.lr = 0.5, .rho = 0.8, .weight_decay = 0.1}}) {
    cases.push_back(MakeCase<Adadelta>("adadelta", o, AdadeltaRule(o)));
  }
  for (RMSPropOptions o :
       {RMSPropOptions{}, RMSPropOptions{.momentum = 0.9},
        RMSPropOptions{.alpha = 0.9, .weight_decay = 0.1, .centered = true}}) {
    cases.push_back(MakeCase<RMSProp>("rmsprop", o, RmsPropRule(o)));
  }
  for (AdamOptions o :
       {AdamOptions{.lr = 0.1}, AdamOptions{.lr = 0.1, .weight_decay = 0.1},
        AdamOptions{.beta1 = 0.5, .beta2 = 0.7, .amsgrad = true}}) {
    cases.push_back(MakeCase<Adam>("adam", o, AdamRule(o, false)));
  }
  for (AdamWOptions o :
       {AdamWOptions{.lr = 0.1},
        AdamWOptions{.lr = 0.1, .weight_decay = 0.3, .amsgrad = true}}) {
    cases.push_back(MakeCase<AdamW>("adamw", o, AdamRule(o, true)));
  }
  for (LionOptions o : {LionOptions{.lr = 0.01},
                        LionOptions{.lr = 0.01, .weight_decay = 0.5}}) {
    cases.push_back(MakeCase<Lion>("lion", o, LionRule(o)));
  }
  return cases;
}

}  // namespace sluice::optim
