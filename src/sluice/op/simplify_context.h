// SimplifyContext: the interface of the rule of an algebraic identity. A rule
// examines one call of its op and, if the identity holds, states its
// replacement:
//
//   .simplify("x - 0 = x", [](SimplifyContext& s) {
//     return s.is(s.in(1), 0.0) && s.keeps_shape(s.in(0), s.in(1)) &&
//            s.becomes(s.in(0));
//   })
//
// A rule applies only if every element, including the sign of zero and NaN, and
// the shape stay the same for all inputs, and it leads to fewer or cheaper ops.
// It returns whether it stated a replacement; the pass decides whether to apply
// it.
//
// Lives for one application of one rule, on one thread.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "sluice/op/attr.h"
#include "sluice/op/record.h"

namespace sluice {

// A value inside a rule. Two words, copied freely, valid as long as its
// context. Undefined ones represent nothing.
class SimplifyVar {
 public:
  SimplifyVar() = default;
  explicit operator bool() const { return context_ != nullptr; }
  DType dtype() const;
  const PartialShape& shape() const;  // as far as it is known
  const Array* constant() const;      // null: known only at run time
  // The call that produces it: its op, attributes and inputs. Arguments have a
  // structural op without inputs.
  const OpRecord& made_by() const;
  const Attrs& made_with() const;
  SimplifyVar made_of(int i) const;

 private:
  friend class SimplifyContext;
  SimplifyVar(SimplifyContext* context, int id) : context_(context), id_(id) {}
  SimplifyContext* context_ = nullptr;
  int id_ = -1;
};

class SimplifyContext {
 public:
  virtual ~SimplifyContext() = default;
  SimplifyContext(const SimplifyContext&) = delete;
  SimplifyContext& operator=(const SimplifyContext&) = delete;

  const OpRecord& op() const { return op_; }
  const Attrs& attrs() const { return attrs_; }
  int num_inputs() const { return num_inputs_; }
  SimplifyVar in(int i) { return {this, i}; }
  virtual DType out_dtype() const = 0;
  virtual const PartialShape& out_shape() const = 0;
  // Whether the call names its device.
  virtual bool has_device() const = 0;

  // Every element of v is this constant, with this sign. Constants with more
  // than a few elements are not neutral elements in practice and are not
  // examined.
  bool is(SimplifyVar v, double constant) const;
  // Broadcasting c against x gives x's shape, for all values of the unknown
  // sizes.
  bool keeps_shape(SimplifyVar x, SimplifyVar c) const;
  // Both are known to have the same type and shape.
  bool same_type(SimplifyVar a, SimplifyVar b) const;
  bool out_like(SimplifyVar v) const;  // the same of output 0

  // Users of output 0 read v instead. Returns true, for the rule to return.
  bool becomes(SimplifyVar v);
  // The call becomes a call of another op, or of the same op with other inputs.
  bool becomes(std::string_view op, std::initializer_list<SimplifyVar> inputs,
               const Attrs& attrs = {});

 protected:
  SimplifyContext(const OpRecord& op, const Attrs& attrs, int num_inputs)
      : op_(op), attrs_(attrs), num_inputs_(num_inputs) {}

  // Ids below num_inputs() are the inputs, in order; others come from
  // InputOf().
  virtual DType TypeOf(int id) const = 0;
  virtual const PartialShape& ShapeOf(int id) const = 0;
  virtual const Array* ConstantOf(int id) const = 0;
  virtual const OpRecord& MakerOf(int id) const = 0;
  virtual const Attrs& MakerAttrsOf(int id) const = 0;
  virtual int InputOf(int id, int i) = 0;
  virtual void SayValue(int id) = 0;
  virtual void SayCall(std::string_view op, std::span<const int> inputs,
                       const Attrs& attrs) = 0;

 private:
  friend class SimplifyVar;
  const OpRecord& op_;
  const Attrs& attrs_;
  const int num_inputs_;
};

// Rules that several ops share.

// op(x, c) = x and op(c, x) = x.
bool DropNeutral(SimplifyContext& s, double neutral);
// op(x, c) = x.
bool DropNeutralRight(SimplifyContext& s, double neutral);
// x if the call is op(op(x)), else undefined.
SimplifyVar InnerOfTwice(SimplifyContext& s);
// op(op(x)) = x.
bool DropTwice(SimplifyContext& s);
// op(x, shape) = x for x's own shape.
bool DropToSameShape(SimplifyContext& s);

}  // namespace sluice
