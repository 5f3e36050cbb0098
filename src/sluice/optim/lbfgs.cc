#include "sluice/optim/lbfgs.h"

#include <algorithm>

#include "sluice/eager/grad_mode.h"
#include "sluice/eager/operators.h"
#include "sluice/ops.h"
#include "sluice/optim/refuse.h"
#include "sluice/trace/capture.h"

namespace sluice::optim {

namespace {

double Number(const Tensor& scalar) {
  return cast(scalar, DType::kF64).item<double>();
}
double Dot(const Tensor& a, const Tensor& b) { return Number(sum(a * b)); }
double Largest(const Tensor& x) { return Number(max(abs(x))); }

}  // namespace

void LBFGSOptions::Check() const {
  CheckOption("LBFGS", "max_iter", static_cast<double>(max_iter), 1);
  CheckOption("LBFGS", "max_eval", static_cast<double>(max_eval));
  CheckOption("LBFGS", "history_size", static_cast<double>(history_size), 1);
  CheckOption("LBFGS", "tolerance_grad", tolerance_grad);
  CheckOption("LBFGS", "tolerance_change", tolerance_change);
}

LBFGS::LBFGS(const Parameters& parameters, const LBFGSOptions& options,
             Where where)
    : OptimizerOf(parameters, options, where) {
  for (const Variable& v : this->parameters(0)) {
    if (v.symbolic()) {
      Refuse("LBFGS: a variable of a graph; wanted imperative tensors", &where);
    }
    if (v.dtype() == DType::kF64) dtype_ = DType::kF64;
    size_ += v.tensor().num_elements();
  }
}

void LBFGS::Update(Param&, const Tensor&) {
  Refuse("LBFGS: calls the closure several times; wanted step(closure)");
}

Tensor LBFGS::Gather(bool gradients) const {
  std::vector<Tensor> parts;
  for (const Variable& v : parameters(0)) {
    Tensor part = v.tensor();
    if (gradients) {
      Tensor g = part.grad();
      part = g.defined() ? g.to_dense() : zeros_like(part);
    }
    parts.push_back(cast(reshape(part, {-1}), dtype_));
  }
  return parts.size() == 1 ? parts[0].clone() : concat(parts);
}

void LBFGS::Scatter(const Tensor& flat) const {
  int64_t from = 0;
  for (const Variable& v : parameters(0)) {
    int64_t count = v.tensor().num_elements();
    Tensor part = slice(flat, {from}, {count});
    Shape shape = v.tensor().array().shape();
    v.assign(cast(reshape(part, Array::Vector(shape.dims())), v.dtype()));
    from += count;
  }
}

Point LBFGS::Evaluate(const Closure& closure, const Tensor& from,
                      const Tensor& direction, double t,
                      const Where& where) const {
  if (direction.defined()) Scatter(from + t * direction);
  Tensor loss;
  {
    EnableGrad on;
    loss = closure();
  }
  if (!loss.defined() || loss.symbolic() || loss.num_elements() != 1) {
    Refuse("LBFGS: the closure returned no loss of one element", &where);
  }
  Point p{.t = t,
          .loss = Number(reshape(loss.detach(), Array::Vector<int64_t>({}))),
          .grad = Gather(true)};
  if (direction.defined()) p.slope = Dot(p.grad, direction);
  return p;
}

void LBFGS::Remember(const Tensor& grad) {
  Tensor y = grad - gradient_, s = direction_ * length_;
  double product = Dot(y, s);
  // Else the guess would not stay positive.
  if (!(product > 1e-10)) return;
  if (history_.size() == static_cast<size_t>(options().history_size)) {
    history_.pop_front();
  }
  history_.push_back({s, y, 1 / product});
  curvature_ = product / Dot(y, y);
}

// Minus the guessed inverse Hessian times the gradient, by two passes over the
// history.
Tensor LBFGS::Direction(const Tensor& grad) const {
  Tensor q = -grad;
  std::vector<double> parts(history_.size());
  for (size_t i = history_.size(); i-- > 0;) {
    const Pair& pair = history_[i];
    parts[i] = Dot(pair.change, q) * pair.scale;
    q = q - parts[i] * pair.gradient_change;
  }
  q = q * curvature_;
  for (size_t i = 0; i < history_.size(); ++i) {
    const Pair& pair = history_[i];
    double part = Dot(pair.gradient_change, q) * pair.scale;
    q = q + (parts[i] - part) * pair.change;
  }
  return q;
}

Tensor LBFGS::step(const Closure& closure, Where where) {
  if (Capture::Current()) {
    Refuse(
        "LBFGS: step() in a function that is recorded; how often it calls "
        "the closure depends on the losses",
        &where);
  }
  NoGrad off;
  const LBFGSOptions& o = options();
  int64_t max_eval = o.max_eval > 0 ? o.max_eval : o.max_iter * 5 / 4;
  int64_t calls = 1;
  step_variable().assign_add(1);
  Tensor first;
  auto evaluate = [&](const Tensor& from, const Tensor& direction, double t) {
    auto noted = [&] {
      Tensor loss = closure();
      if (!first.defined()) first = loss;
      return loss;
    };
    return Evaluate(noted, from, direction, t, where);
  };
  Point now = evaluate({}, {}, 0);
  for (int64_t i = 0; i < o.max_iter && calls < max_eval; ++i) {
    if (Largest(now.grad) <= o.tolerance_grad) break;
    bool fresh = !gradient_.defined();
    if (!fresh) Remember(now.grad);
    direction_ = fresh ? -now.grad : Direction(now.grad);
    gradient_ = now.grad;
    double rate = lr();
    // At first nothing is known of the scale.
    length_ =
        fresh ? std::min(1.0, 1 / Number(sum(abs(now.grad)))) * rate : rate;
    double slope = Dot(now.grad, direction_);
    if (slope > -o.tolerance_change) break;

    Tensor from = Gather(false);
    Point start{.t = 0, .loss = now.loss, .slope = slope, .grad = now.grad};
    auto at = [&](double t) {
      ++calls;
      return evaluate(from, direction_, t);
    };
    double widest = Largest(direction_);
    if (o.strong_wolfe) {
      now = SearchStrongWolfe(
          at, start, length_,
          {.max_points = static_cast<int>(max_eval - calls),
           .min_width = o.tolerance_change / std::max(widest, 1e-300)});
      length_ = now.t;
      Scatter(from + length_ * direction_);
    } else {
      now = at(length_);
    }
    if (Largest(now.grad) <= o.tolerance_grad) break;
    if (widest * length_ <= o.tolerance_change) break;
    if (std::abs(now.loss - start.loss) < o.tolerance_change) break;
  }
  return first;
}

StateDict LBFGS::state_dict() const {
  StateDict state = Optimizer::state_dict();
  if (!gradient_.defined()) return state;
  auto numbers = Array::Of<double>({2}, {length_, curvature_});
  state.set("lengths", Tensor(MakeRef<EagerValue>(numbers)));
  state.set("direction", direction_);
  state.set("gradient", gradient_);
  if (history_.empty()) return state;
  std::vector<Tensor> changes, gradient_changes;
  for (const Pair& pair : history_) {
    changes.push_back(pair.change);
    gradient_changes.push_back(pair.gradient_change);
  }
  state.set("changes", stack(changes));
  state.set("gradient_changes", stack(gradient_changes));
  return state;
}

void LBFGS::load_state_dict(const StateDict& state, Where where) {
  auto take = [&](std::string_view key, int rank) {
    Tensor t = state.at(key);
    bool fits = t.dtype() == (key == "lengths" ? DType::kF64 : dtype_) &&
                t.rank() == rank && t.dim(-1) == (key == "lengths" ? 2 : size_);
    if (!fits) {
      Refuse(StrCat("LBFGS: ", key, " is ", TypeText(t.dtype(), t.shape()),
                    "; wanted the numbers of ", size_, " elements"),
             &where);
    }
    return t.clone();
  };
  auto rate = state.at("groups.0.lr").item<double>();
  auto steps = state.at("groups.0.step").item<int64_t>();
  bool began = state.contains("gradient"), many = state.contains("changes");
  size_t count = 2 + (began ? 3u : 0u) + (many ? 2u : 0u);
  if (count != state.size()) {
    Refuse(StrCat("LBFGS: the state has ", state.size(), " entries; wanted ",
                  count),
           &where);
  }
  Tensor direction, gradient;
  std::vector<double> lengths{0, 1};
  std::deque<Pair> history;
  if (began) {
    lengths = take("lengths", 1).to_vector<double>();
    direction = take("direction", 1);
    gradient = take("gradient", 1);
  }
  if (many) {
    Tensor s = take("changes", 2), y = take("gradient_changes", 2);
    if (s.dim(0) != y.dim(0)) {
      Refuse("LBFGS: changes and gradient_changes differ in number", &where);
    }
    for (int64_t i = 0; i < s.dim(0); ++i) {
      history.push_back({s[i].clone(), y[i].clone(), 1 / Dot(s[i], y[i])});
    }
  }
  set_lr(rate);
  step_variable().assign(steps);
  length_ = lengths[0];
  curvature_ = lengths[1];
  direction_ = direction;
  gradient_ = gradient;
  history_ = std::move(history);
}

}  // namespace sluice::optim
