// GradContext: what a gradient rule sees and says. A rule gets the op's inputs
// and outputs and the gradients that flow into its outputs, and names the
// gradients of its inputs by calling other ops:
//
//   .grad([](GradContext& g) {
//     g.set_dx(0, g.dy() * g.call("Cos", {g.in(0)}));
//   })
//
// One rule serves everything: in a graph the calls add nodes, imperatively they
// run at once. Since a rule is made of ops that have rules themselves,
// gradients of gradients need nothing more, and forward mode is the gradient of
// the gradient with respect to what flows in.
//
// A rule may ask any value for its dtype and, as far as it is known, its shape;
// asking costs nothing. Values it passes to ops are kept from the forward run,
// so it passes on only what it needs: g.shape_of(g.in(0)) instead of g.in(0).
//
// Lives for one application of one rule, on one thread. The first error sticks:
// later calls return undefined variables, and the caller of the rule sees it.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/base/small_vector.h"
#include "sluice/op/attr.h"
#include "sluice/op/record.h"

namespace sluice {

// A value inside a rule. Two words, copied freely, valid as long as its
// context. Undefined ones stand for a gradient of zero.
class GradVar {
 public:
  GradVar() = default;
  explicit operator bool() const { return context_ != nullptr; }
  DType dtype() const;
  PartialShape shape() const;                  // as far as it is known
  int rank() const { return shape().rank(); }  // -1 when unknown
  GradContext* context() const { return context_; }

 private:
  friend class GradContext;
  GradVar(GradContext* context, int id) : context_(context), id_(id) {}
  GradContext* context_ = nullptr;
  int id_ = -1;
};

using GradVars = PoolVector<GradVar>;

class GradContext {
 public:
  GradContext(const OpRecord& op, const Attrs& attrs)
      : op_(op), attrs_(attrs) {}
  virtual ~GradContext() = default;
  GradContext(const GradContext&) = delete;
  GradContext& operator=(const GradContext&) = delete;

  const OpRecord& op() const { return op_; }
  const Attrs& attrs() const { return attrs_; }
  template <class T>
  const T& attr(std::string_view name) const {
    return attrs_.get<T>(name);
  }
  int num_inputs() const { return static_cast<int>(in_.size()); }
  int num_outputs() const { return static_cast<int>(out_.size()); }

  GradVar in(int i) { return {this, in_[static_cast<size_t>(i)]}; }
  GradVar out(int i = 0) { return {this, out_[static_cast<size_t>(i)]}; }
  // The gradient of output i; zeros of its shape when nothing flows in.
  GradVar dy(int i = 0);
  bool has_dy(int i) const { return dy_[static_cast<size_t>(i)] >= 0; }
  // dy(i) * factor, and 0 where dy(i) is 0 even if the factor is infinite or
  // NaN there: for factors that are not finite everywhere. This is what makes
  // where(x > 0, sqrt(x), x) have the gradient 1 at -1.
  GradVar times_dy(GradVar factor, int i = 0);
  // Somebody asks for the gradient of input i; others need not be set.
  bool wants(int i) const { return wants_[static_cast<size_t>(i)]; }
  // The gradient of input i. Those of an elementwise op are summed back over
  // the axes along which the input was broadcast.
  void set_dx(int i, GradVar gradient);
  // The same where only some slices along axis 0 were read: `values`, a slice
  // for each of the vector `indices`, to be added there; an index may be there
  // twice. Nobody makes an array as large as the input of it without need.
  void set_dx_rows(int i, GradVar indices, GradVar values);

  // Calls an op. The second is for ops with several outputs.
  GradVar call(std::string_view op, std::initializer_list<GradVar> inputs,
               const Attrs& attrs = {});
  GradVars call_all(std::string_view op, std::span<const GradVar> inputs,
                    const Attrs& attrs = {});
  // A constant.
  GradVar constant(Array value);
  GradVar scalar(double value, DType dtype);
  GradVar ints(std::span<const int64_t> values);
  GradVar ints(std::initializer_list<int64_t> values) {
    return ints({values.begin(), values.size()});
  }
  // The shape of x as a vector of i64: a constant when it is known.
  GradVar shape_of(GradVar x);
  // x in the shape of `like`, which has as many elements.
  GradVar reshape_as(GradVar x, GradVar like);
  // x repeated to the shape of `like`.
  GradVar broadcast_as(GradVar x, GradVar like);
  // x summed over the axes along which `like` would be broadcast to it.
  GradVar sum_to(GradVar x, GradVar like);
  GradVar zeros_like(GradVar x);
  GradVar ones_like(GradVar x);
  GradVar cast(GradVar x, DType dtype);

  // The rule cannot go on: "[Op] ...".
  void fail(std::string_view message);
  const Status& status() const { return status_; }

 protected:
  using Ids = SmallVector<int, 6>;

  // Appends the ids of what the op makes. Ids name entries of a table kept by
  // the implementation.
  virtual Status Emit(const OpRecord& op, std::span<const int> inputs,
                      const Attrs& attrs, Ids& made) = 0;
  virtual DType TypeOf(int id) const = 0;
  virtual PartialShape ShapeOf(int id) const = 0;

  static int IdOf(GradVar v) { return v.id_; }
  GradVar VarAt(int id) { return {this, id}; }

  // To be filled before the rule runs: ids of inputs and outputs, of the
  // gradients (-1 where none flows in), and what is wanted.
  Ids in_, out_, dy_;
  SmallVector<bool, 6> wants_;
  // What the rule set, by input; -1 for nothing. As long as in_.
  Ids dx_;
  // The indices of those that were set as rows, -1 for others. Empty when no
  // rows were set.
  Ids dx_rows_;

 private:
  friend class GradVar;
  void Fail(Status status);
  bool Call(std::string_view op, std::span<const GradVar> inputs,
            const Attrs& attrs, Ids& made);

  const OpRecord& op_;
  const Attrs& attrs_;
  Status status_;
};

GradVar operator+(GradVar a, GradVar b);
GradVar operator-(GradVar a, GradVar b);
GradVar operator*(GradVar a, GradVar b);
GradVar operator/(GradVar a, GradVar b);
GradVar operator-(GradVar a);
GradVar operator+(GradVar a, double b);
GradVar operator-(GradVar a, double b);
GradVar operator*(GradVar a, double b);
GradVar operator/(GradVar a, double b);
GradVar operator+(double a, GradVar b);
GradVar operator-(double a, GradVar b);
GradVar operator*(double a, GradVar b);
GradVar operator/(double a, GradVar b);

}  // namespace sluice
