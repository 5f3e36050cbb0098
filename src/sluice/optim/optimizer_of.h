// OptimizerOf: an optimizer whose groups have options of one type. The type is
// a struct with defaults and at least `double lr`; it may have a member
// `void Check() const` that throws, and a `static constexpr const char* kName`.
//
//   struct DescentOptions { double lr = 0.1; };
//   class Descent : public sl::optim::OptimizerOf<DescentOptions> {
//    public:
//     using OptimizerOf::OptimizerOf;
//    private:
//     void Update(sl::optim::Param& p, const sl::Tensor& grad) override {
//       p.subtract(p.lr() * grad);
//     }
//   };
#pragma once

#include <deque>

#include "sluice/optim/optimizer.h"

namespace sluice::optim {

template <class Options_>
class OptimizerOf : public Optimizer {
 public:
  using Options = Options_;

  // Throws when there are no parameters, one is there twice or is no leaf, or
  // an option makes no sense.
  explicit OptimizerOf(const Parameters& parameters,
                       const Options& options = {},
                       Where where = Where::current())
      : Optimizer(Name()) {
    Add(parameters, options, where);
  }
  // For graphs: minimize finds the variables.
  explicit OptimizerOf(const Options& options, Where where = Where::current())
      : Optimizer(Name()) {
    AddOptions(options);
    AddGroup(options.lr, where);
  }
  explicit OptimizerOf(double lr, Where where = Where::current())
      : OptimizerOf(WithRate(lr), where) {}

  // More parameters, with options of their own. Returns the group's number.
  size_t add_param_group(const Parameters& parameters, const Options& options,
                         Where where = Where::current()) {
    return Add(parameters, options, where);
  }
  // The options a group was made with; its rate may have changed since.
  const Options& options(size_t group = 0) const { return options_[group]; }
  // From the next step on, its rate too. Functions that were recorded keep the
  // options they were recorded with, but for the rate. Not for a graph.
  void set_options(size_t group, const Options& options) {
    if constexpr (requires { options.Check(); }) options.Check();
    set_lr(group, options.lr);  // throws where there is no such group
    options_[group] = options;
    ForgetPlan();
  }

 protected:
  const Options& options(const Param& p) const { return options_[p.group()]; }

 private:
  static std::string Name() {
    if constexpr (requires { Options::kName; }) return Options::kName;
    return "optimizer";
  }
  static Options WithRate(double lr) {
    Options options;
    options.lr = lr;
    return options;
  }
  bool Maximizes(size_t group) const override {
    if constexpr (requires { options_[group].maximize; }) {
      return options_[group].maximize;
    }
    return false;
  }
  void AddOptions(const Options& options) {
    if constexpr (requires { options.Check(); }) options.Check();
    options_.push_back(options);
  }
  size_t Add(const Parameters& parameters, const Options& options,
             Where where) {
    AddOptions(options);
    try {
      return AddGroup(parameters, options.lr, where);
    } catch (...) {
      options_.pop_back();
      throw;
    }
  }

  std::deque<Options> options_;  // one per group
};

}  // namespace sluice::optim
