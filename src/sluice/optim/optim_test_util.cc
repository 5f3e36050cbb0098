#include "sluice/optim/optim_test_util.h"

#include <algorithm>
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

// What decoupled decay does before the rest, or the gradient with the other.
template <class Options>
double Decayed(Cell& c, double g, const Options& o) {
  if (!o.decoupled_weight_decay) return g + o.weight_decay * c.p;
  c.p *= 1 - o.lr * o.weight_decay;
  return g;
}

Formula NAdamRule(NAdamOptions o) {
  return [o](Cell& c, double g, int t) {
    g = Decayed(c, g, o);
    double &m = c.slot["m"], &v = c.slot["v"];
    auto mu = [&](int at) {
      return o.beta1 * (1 - 0.5 * std::pow(0.96, at * o.momentum_decay));
    };
    double product = 1;
    for (int at = 1; at <= t; ++at) product *= mu(at);
    m = o.beta1 * m + (1 - o.beta1) * g;
    v = o.beta2 * v + (1 - o.beta2) * g * g;
    double ahead = (1 - mu(t)) * g / (1 - product) +
                   mu(t + 1) * m / (1 - product * mu(t + 1));
    c.p -= o.lr * ahead / (std::sqrt(v / (1 - std::pow(o.beta2, t))) + o.eps);
  };
}

Formula RAdamRule(RAdamOptions o) {
  return [o](Cell& c, double g, int t) {
    g = Decayed(c, g, o);
    double &m = c.slot["m"], &v = c.slot["v"];
    m = o.beta1 * m + (1 - o.beta1) * g;
    v = o.beta2 * v + (1 - o.beta2) * g * g;
    double kept = std::pow(o.beta2, t), most = 2 / (1 - o.beta2) - 1;
    double rho = most - 2 * t * kept / (1 - kept);
    double step = o.lr * m / (1 - std::pow(o.beta1, t));
    if (rho > 5) {
      double share = (rho - 4) * (rho - 2) * most;
      double whole = (most - 4) * (most - 2) * rho;
      step *= std::sqrt(share / whole) * std::sqrt(1 - kept);
      step /= std::sqrt(v) + o.eps;
    }
    c.p -= step;
  };
}

Formula AdamaxRule(AdamaxOptions o) {
  return [o](Cell& c, double g, int t) {
    g += o.weight_decay * c.p;
    double &m = c.slot["m"], &u = c.slot["u"];
    m = o.beta1 * m + (1 - o.beta1) * g;
    u = std::max(o.beta2 * u, std::abs(g) + o.eps);
    c.p -= o.lr / (1 - std::pow(o.beta1, t)) * m / u;
  };
}

Formula RpropRule(RpropOptions o) {
  return [o](Cell& c, double g, int t) {
    double &before = c.slot["before"], &size = c.slot["size"];
    if (t == 1) size = o.lr;
    if (g * before > 0) size *= o.eta_plus;
    if (g * before < 0) size *= o.eta_minus;
    size = std::clamp(size, o.step_min, o.step_max);
    before = g * before < 0 ? 0 : g;
    c.p -= before > 0 ? size : before < 0 ? -size : 0;
  };
}

Formula AsgdRule(ASGDOptions o) {
  return [o](Cell& c, double g, int t) {
    g += o.weight_decay * c.p;
    double eta =
        t == 1 ? o.lr : o.lr / std::pow(1 + o.lambd * o.lr * (t - 1), o.alpha);
    c.p = c.p * (1 - o.lambd * eta) - eta * g;
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
  for (NAdamOptions o :
       {NAdamOptions{.lr = 0.05}, NAdamOptions{.lr = 0.05, .weight_decay = 0.1},
        NAdamOptions{.beta1 = 0.5,
                     .weight_decay = 0.1,
                     .momentum_decay = 0.2,
                     .decoupled_weight_decay = true}}) {
    cases.push_back(MakeCase<NAdam>("nadam", o, NAdamRule(o)));
  }
  for (RAdamOptions o :
       {RAdamOptions{.lr = 0.05}, RAdamOptions{.lr = 0.05, .weight_decay = 0.1},
        RAdamOptions{.lr = 0.05, .beta2 = 0.7},
        RAdamOptions{.beta2 = 0.5,
                     .weight_decay = 0.1,
                     .decoupled_weight_decay = true}}) {
    cases.push_back(MakeCase<RAdam>("radam", o, RAdamRule(o)));
  }
  for (AdamaxOptions o :
       {AdamaxOptions{.lr = 0.05},
        AdamaxOptions{.beta2 = 0.6, .eps = 1e-3, .weight_decay = 0.1}}) {
    cases.push_back(MakeCase<Adamax>("adamax", o, AdamaxRule(o)));
  }
  for (RpropOptions o : {RpropOptions{}, RpropOptions{.lr = 0.05,
                                                      .eta_minus = 0.4,
                                                      .eta_plus = 1.5,
                                                      .step_min = 0.03,
                                                      .step_max = 0.1}}) {
    cases.push_back(MakeCase<Rprop>("rprop", o, RpropRule(o), false));
  }
  for (ASGDOptions o : {ASGDOptions{}, ASGDOptions{.lr = 0.1,
                                                   .lambd = 0.1,
                                                   .alpha = 0.5,
                                                   .t0 = 3,
                                                   .weight_decay = 0.1}}) {
    cases.push_back(MakeCase<ASGD>("asgd", o, AsgdRule(o), false));
  }
  return cases;
}

std::vector<Case> RowWiseCases() {
  std::vector<Case> cases = AllCases();
  std::erase_if(cases, [](const Case& c) { return !c.row_wise; });
  return cases;
}

}  // namespace sluice::optim
