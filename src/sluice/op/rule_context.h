// RuleContext: the common interface of an op's rules: the op's inputs and
// attributes, and calls of other ops. Gradient rules (op/grad_context.h) and
// batching rules (op/batch_context.h) extend it.
//
// A rule may ask any value for its dtype and for its shape as far as it is
// known, without any cost.
//
// Lives for one application of one rule, on one thread. The first error sticks:
// later calls return undefined variables, and the caller of the rule sees the
// error.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/base/small_vector.h"
#include "sluice/op/attr.h"
#include "sluice/op/record.h"

namespace sluice {

class RuleContext;

// A value inside a rule. Two words, copied freely, valid as long as its
// context. Undefined ones result from errors or, as gradients, represent zero.
class RuleVar {
 public:
  RuleVar() = default;
  explicit operator bool() const { return context_ != nullptr; }
  DType dtype() const;
  PartialShape shape() const;                  // as far as it is known
  int rank() const { return shape().rank(); }  // -1 when unknown
  RuleContext* context() const { return context_; }

 private:
  friend class RuleContext;
  RuleVar(RuleContext* context, int id) : context_(context), id_(id) {}
  RuleContext* context_ = nullptr;
  int id_ = -1;
};

using RuleVars = PoolVector<RuleVar>;

class RuleContext {
 public:
  // `what` names the rule in messages: "gradient".
  RuleContext(const OpRecord& op, const Attrs& attrs, const char* what)
      : op_(op), attrs_(attrs), what_(what) {}
  virtual ~RuleContext() = default;
  RuleContext(const RuleContext&) = delete;
  RuleContext& operator=(const RuleContext&) = delete;

  const OpRecord& op() const { return op_; }
  const Attrs& attrs() const { return attrs_; }
  template <class T>
  const T& attr(std::string_view name) const {
    return attrs_.get<T>(name);
  }
  int num_inputs() const { return static_cast<int>(in_.size()); }
  RuleVar in(int i) { return {this, in_[static_cast<size_t>(i)]}; }

  // Calls an op. The last overload is for ops with several outputs.
  RuleVar call(std::string_view op, std::initializer_list<RuleVar> inputs,
               const Attrs& attrs = {});
  RuleVar call(std::string_view op, std::span<const RuleVar> inputs,
               const Attrs& attrs = {});
  RuleVars call_all(std::string_view op, std::span<const RuleVar> inputs,
                    const Attrs& attrs = {});
  // A constant.
  RuleVar constant(Array value);
  RuleVar scalar(double value, DType dtype);
  RuleVar ints(std::span<const int64_t> values);
  RuleVar ints(std::initializer_list<int64_t> values) {
    return ints({values.begin(), values.size()});
  }
  // The shape of x as a vector of i64: a constant if it is known.
  RuleVar shape_of(RuleVar x);
  // x with the shape of `like`, which has the same number of elements.
  RuleVar reshape_as(RuleVar x, RuleVar like);
  // x broadcast to the shape of `like`.
  RuleVar broadcast_as(RuleVar x, RuleVar like);
  // x summed over the axes along which `like` would be broadcast to it.
  RuleVar sum_to(RuleVar x, RuleVar like);
  RuleVar zeros_like(RuleVar x);
  RuleVar ones_like(RuleVar x);
  RuleVar cast(RuleVar x, DType dtype);

  // Fails the rule with the message "[Op] ...".
  void fail(std::string_view message);
  const Status& status() const { return status_; }

 protected:
  using Ids = SmallVector<int, 6>;

  // Appends the ids of the op's results. Ids are indices into a table of the
  // implementation.
  virtual Status Emit(const OpRecord& op, std::span<const int> inputs,
                      const Attrs& attrs, Ids& made) = 0;
  virtual DType TypeOf(int id) const = 0;
  virtual PartialShape ShapeOf(int id) const = 0;

  static int IdOf(RuleVar v) { return v.id_; }
  RuleVar VarAt(int id) { return {this, id}; }

  // The ids of the op's inputs, set before the rule runs.
  Ids in_;

 private:
  friend class RuleVar;
  void Fail(Status status);
  bool Call(std::string_view op, std::span<const RuleVar> inputs,
            const Attrs& attrs, Ids& made);

  const OpRecord& op_;
  const Attrs& attrs_;
  const char* what_;
  Status status_;
};

RuleVar operator+(RuleVar a, RuleVar b);
RuleVar operator-(RuleVar a, RuleVar b);
RuleVar operator*(RuleVar a, RuleVar b);
RuleVar operator/(RuleVar a, RuleVar b);
RuleVar operator-(RuleVar a);
RuleVar operator+(RuleVar a, double b);
RuleVar operator-(RuleVar a, double b);
RuleVar operator*(RuleVar a, double b);
RuleVar operator/(RuleVar a, double b);
RuleVar operator+(double a, RuleVar b);
RuleVar operator-(double a, RuleVar b);
RuleVar operator*(double a, RuleVar b);
RuleVar operator/(double a, RuleVar b);

}  // namespace sluice
