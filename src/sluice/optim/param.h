// What the update rule of an optimizer sees: one parameter, its slots, and the
// numbers of its group in this step. The same text serves dense gradients and
// sparse ones: there, values and slots are the rows the gradient has, every row
// once, and what is written goes to those rows alone.
//
//   void Update(Param& p, const Tensor& g) override {
//     Tensor v = p.set("velocity", 0.9 * p.slot("velocity") + g);
//     p.subtract(p.lr() * v);
//   }
//
// Parameters of 16 bits are updated as f32, and so are their slots.
// They live for one step, on one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/front/variable.h"

namespace sluice::optim {

// The numbers of one group in one step: tensors without axes, of f64, because
// a recorded plan must see them change.
class GroupStep {
 public:
  GroupStep(size_t group, Tensor lr, Tensor count)
      : group_(group), lr_(std::move(lr)), count_(std::move(count)) {}

  size_t group() const { return group_; }
  const Tensor& lr() const { return lr_; }
  const Tensor& count() const { return count_; }  // of steps, this one included
  // A number all parameters of the group need, computed once.
  void set(std::string_view name, const Tensor& scalar);
  // The number ("lr" too) as that type. Throws when there is none.
  Tensor get(std::string_view name, DType dtype);

 private:
  struct Scalar {
    std::string name;
    DType dtype;
    Tensor value;
  };
  size_t group_;
  Tensor lr_, count_;
  std::vector<Scalar> scalars_;
};

// What an optimizer keeps of one parameter.
struct ParamState {
  std::string name;
  Variable variable;
  using Slots = std::vector<std::pair<std::string, Variable>>;
  // Shared with a recording that has made some, and takes them back when
  // nothing comes of it.
  std::shared_ptr<Slots> slots = std::make_shared<Slots>();
  // Where the parameter is when the optimizer is made: its slots go there.
  std::string device = DeviceOf(variable);

 private:
  static std::string DeviceOf(const Variable& variable);
};

struct SlotOptions {
  double initial = 0;
  // Sizes of a slot that is not of its parameter's shape. Such a slot has no
  // rows that belong to those of the parameter, and is always used whole.
  const PartialShape* shape = nullptr;
};

class Param {
 public:
  // `rows`, when it holds something, are the indices of the gradient's rows.
  // Operations that change something go to `changes`.
  Param(ParamState& state, GroupStep& step, Tensor rows,
        std::vector<Operation>& changes);

  const std::string& name() const { return state_.name; }
  size_t group() const { return step_.group(); }
  bool sparse() const { return rows_.defined(); }
  const PartialShape& shape() const { return state_.variable.shape(); }
  DType dtype() const { return dtype_; }  // of values, slots and numbers

  // The parameter, or its rows.
  Tensor value() const;
  void subtract(const Tensor& change);
  // What survives from step to step, made when it is asked for first.
  Tensor slot(std::string_view name, const SlotOptions& options = {});
  // Writes a slot; returns what was written.
  Tensor set(std::string_view slot, const Tensor& value,
             const SlotOptions& options = {});

  Tensor lr() { return scalar("lr"); }
  // What the group's Begin has computed.
  Tensor scalar(std::string_view name) { return step_.get(name, dtype_); }

 private:
  const Variable& Slot(std::string_view name, const SlotOptions& options);
  bool Whole(const SlotOptions& options) const {
    return !rows_.defined() || options.shape;
  }
  void Note(Operation change);

  ParamState& state_;
  GroupStep& step_;
  Tensor rows_;
  std::vector<Operation>& changes_;
  DType dtype_;
};

// The type a parameter is computed in.
DType ComputeType(DType dtype);

}  // namespace sluice::optim
