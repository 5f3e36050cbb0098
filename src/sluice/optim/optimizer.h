// Optimizer: changes parameters so that a loss gets smaller. Written with ops
// alone, it works on imperative tensors, in functions that are recorded, and in
// graphs:
//
//   sl::optim::Adam adam(net.parameters(), {.lr = 1e-3});
//   adam.zero_grad();  loss.backward();  adam.step();      // also in a
//   function
//
//   auto train = sl::optim::Adam(1e-3).minimize(loss);     // in a GraphScope
//
// Learning rate and number of steps are tensors without axes, so that recorded
// plans see them change; all other options are fixed when a plan is recorded.
// A group counts the steps in which one of its parameters had a gradient; a
// parameter without one is left alone. Of a sparse gradient only the rows it
// has are touched, in the parameter and its slots.
//
// A new optimizer derives from OptimizerOf<its options> (optim/optimizer_of.h)
// and writes Update, for one parameter.
//
// Tensors are shared with the program, not copied. Not thread safe.
#pragma once

#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "sluice/front/state_dict.h"
#include "sluice/front/variable.h"
#include "sluice/optim/curve.h"
#include "sluice/optim/param.h"
#include "sluice/optim/parameters.h"

namespace sluice::optim {

struct GradAndVariable {
  Tensor grad;  // holds nothing: the variable is left alone
  Variable variable;
};

class Optimizer {
 public:
  using Where = std::source_location;

  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // ---- Imperative, or in a function that is recorded ----
  void zero_grad();
  void step(Where where = Where::current());

  // ---- In a graph ----
  // One operation that changes variables once: those the optimizer was made
  // with or, when it has none, all of floats that the loss depends on.
  Operation minimize(const Tensor& loss, Where where = Where::current());
  Operation minimize(const Tensor& loss, const std::vector<Variable>& variables,
                     Where where = Where::current());
  // The gradients minimize uses, to be changed before they are applied.
  std::vector<GradAndVariable> compute_gradients(
      const Tensor& loss, const std::vector<Variable>& variables = {},
      Where where = Where::current());
  // Imperatively it acts at once and returns an Operation that holds nothing.
  // Variables the optimizer does not know yet join its first group.
  Operation apply_gradients(const std::vector<GradAndVariable>& gradients,
                            Where where = Where::current());

  // ---- Groups ----
  size_t num_groups() const { return groups_.size(); }
  std::vector<Variable> parameters(size_t group) const;
  // The learning rate; of a graph the one it begins with.
  double lr(size_t group = 0) const;
  void set_lr(double lr);  // of all groups
  void set_lr(size_t group, double lr);
  // As part of the program: f64 without axes. Of a graph, it is there after
  // minimize or apply_gradients.
  const Variable& lr_variable(size_t group = 0) const;
  // The number of steps done: i64 without axes.
  const Variable& step_variable(size_t group = 0) const;
  // From now on the rate is computed in every step from the number of steps
  // done before, and the rate the group has now.
  void follow(const Curve& curve);

  // ---- State ----
  // "<parameter>.<slot>" for each slot made so far, "groups.<i>.lr" and
  // "groups.<i>.step". The tensors are those in use, not copies; of a graph
  // they are values to fetch.
  virtual StateDict state_dict() const;
  // Takes it back, by copying. Parameters of which it has nothing begin anew.
  // Throws, before it changes anything, when keys are missing or left over or
  // shapes differ; the text names them all. Not for a graph, whose state is in
  // sessions.
  virtual void load_state_dict(const StateDict& state,
                               Where where = Where::current());

 protected:
  explicit Optimizer(std::string name) : name_(std::move(name)) {}

  // The change of one parameter by its gradient; for a sparse one of its rows.
  virtual void Update(Param& p, const Tensor& grad) = 0;
  // Numbers that all parameters of a group need: step.set("...", number).
  virtual void Begin(GroupStep&) {}
  // False: the rows of a parameter depend on each other, so that sparse
  // gradients must be made dense.
  virtual bool RowWise() const { return true; }
  // True: Update and Begin do the same in every step, but for the tensors they
  // read. Then steps on small parameters run as one plan, recorded by the
  // first, also where the program is imperative.
  virtual bool Recordable() const { return false; }
  // True: the change is a multiple of the gradient and depends on nothing else,
  // so that several for one row may come one after the other.
  virtual bool Linear(size_t) const { return false; }
  // True: the group climbs; its gradients count with the other sign.
  virtual bool Maximizes(size_t) const { return false; }

  // Options have changed: what was recorded with the old ones is of no use.
  void ForgetPlan() { plan_ = {}; }

  size_t AddGroup(const Parameters& parameters, double lr, Where where);
  // Of variables that are still to be found.
  size_t AddGroup(double lr, Where where);
  const std::string& name() const { return name_; }

 private:
  struct Group {
    std::vector<ParamState> params;
    double first_lr = 0;
    Variable lr, step;  // made when it is known where
    std::optional<Curve> curve;
    double base_lr = 0;  // what the curve begins with
  };
  struct Known {
    size_t group, index;
  };

  bool symbolic() const;
  void MakeNumbers(size_t index, bool symbolic);
  // One step more, and the rate it has.
  void Advance(size_t group, std::vector<Operation>& changes);
  // The gradients that imperative parameters of a group have; where only those
  // of small ones are wanted, the others hold nothing.
  std::vector<Tensor> Gradients(size_t group, bool small_only) const;
  void CheckGradients(size_t group, const std::vector<Tensor>& grads,
                      const Where& where) const;
  void UpdateGroup(size_t group, const std::vector<Tensor>& grads,
                   std::vector<Operation>& changes);
  void RunPlan();
  void UpdateOne(ParamState& state, GroupStep& step, const Tensor& grad,
                 std::vector<Operation>& changes);
  std::optional<Known> Find(const Variable& variable) const;
  // Refuses what is no parameter; makes it known otherwise.
  void Admit(Group& group, const Parameters::Entry& entry, const Where& where);
  size_t NumParameters() const;
  // The parameter with the slots its first update makes, and nothing else done.
  ParamState Fresh(const ParamState& state, size_t group);
  const Group& At(size_t group) const;

  std::string name_;
  std::vector<Group> groups_;
  std::string scope_;  // of its nodes in a graph

  std::function<void()> plan_;  // of the small parameters
  int recorded_ = 0;
  std::vector<Ref<WriteLog>> stay_;  // parameters that keep their memory
};

}  // namespace sluice::optim
