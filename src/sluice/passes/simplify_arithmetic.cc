#include "sluice/passes/simplify_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "sluice/graph/batch_edit.h"
#include "sluice/op/registry.h"
#include "sluice/passes/raw_region.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

// What a rule wants done with the node.
struct Change {
  Value forward;   // set: users read this instead
  std::string op;  // else: the node becomes this
  std::vector<Value> inputs{};
  Attrs attrs{};

  static Change Forward(Value v) { return {v, "", {}, {}}; }
  explicit operator bool() const { return forward || !op.empty(); }
};
const Change kKeep{};

// --- What rules ask ----------------------------------------------------------

// The one value all elements of a constant have. Constants beyond a few
// elements are no neutral elements in practice, and looking through them once
// per user would not be linear.
std::optional<double> UniformValue(const Value& v) {
  constexpr int64_t kMaxLooked = 64;
  const Array* array = ConstantValue(v);
  if (!array || array->num_elements() < 1 ||
      array->num_elements() > kMaxLooked) {
    return std::nullopt;
  }
  Result<Array> flat = array->AsContiguous();
  if (!flat.ok()) return std::nullopt;
  std::optional<double> value;
  bool uniform = true;
  DispatchReals(array->dtype(), [&]<class T>() {
    for (int64_t i = 0; i < flat->num_elements(); ++i) {
      auto element = static_cast<double>(flat->data<T>()[i]);
      if (!value) value = element;
      uniform = uniform && element == *value &&
                std::signbit(element) == std::signbit(*value);
    }
  });
  return uniform ? value : std::nullopt;
}

bool IsExactly(const Value& v, double want) {
  std::optional<double> value = UniformValue(v);
  return value && *value == want && std::signbit(*value) == std::signbit(want);
}

// True when broadcasting `c` against x gives x's shape, whatever the unknown
// sizes turn out to be.
bool KeepsShape(const Value& x, const Value& c) {
  const PartialShape &shape = x.shape(), &other = c.shape();
  if (!other.fully_known()) return false;
  if (other.rank() == 0) return true;
  if (!shape.rank_known() || other.rank() > shape.rank()) return false;
  for (int i = 0; i < other.rank(); ++i) {
    int64_t dim = shape[shape.rank() - other.rank() + i];
    if (other[i] != 1 && other[i] != dim) return false;
  }
  return true;
}

bool SameKnownType(const Value& a, const Value& b) {
  return a.type() == b.type() && a.shape().fully_known();
}

// x when the node is op(op(x)), else nothing.
Value InnerOfTwice(const Node& node) {
  const Node* inner = node.input(0).node;
  return &inner->op() == &node.op() ? inner->input(0) : Value();
}

// --- Rules -------------------------------------------------------------------

// The operand beside a neutral constant on either side.
Change DropNeutral(const Node& node, double neutral) {
  for (int i : {1, 0}) {
    const Value &c = node.input(i), &x = node.input(1 - i);
    if (IsExactly(c, neutral) && KeepsShape(x, c)) return Change::Forward(x);
  }
  return kKeep;
}

Change DropNeutralRight(const Node& node, double neutral) {
  const Value &x = node.input(0), &c = node.input(1);
  bool drop = IsExactly(c, neutral) && KeepsShape(x, c);
  return drop ? Change::Forward(x) : kKeep;
}

// -0.0 + 0.0 is +0.0: for floats only -0.0 is neutral.
Change AddZero(Node& node) {
  return DropNeutral(node, IsFloating(node.input(0).dtype()) ? -0.0 : 0.0);
}

// x - (+0.0) is x even for -0.0; x - (-0.0) is not.
Change SubZero(Node& node) { return DropNeutralRight(node, 0.0); }
Change MulOne(Node& node) { return DropNeutral(node, 1); }
Change DivOne(Node& node) { return DropNeutralRight(node, 1); }

// Not for floats: infinity * 0 is NaN, -1 * 0 is -0.
Change MulZero(Node& node) {
  constexpr int64_t kMaxElements = 1 << 16;  // computing more beats storing it
  const ValueType& type = node.output_type(0);
  bool zero = IsExactly(node.input(0), 0) || IsExactly(node.input(1), 0);
  if (!zero || !IsInteger(type.dtype) || !type.shape.fully_known() ||
      type.shape.ToShape().num_elements() > kMaxElements) {
    return kKeep;
  }
  Array zeros = Array::Zeros(type.dtype, type.shape.ToShape());
  return {{}, "Const", {}, {{"value", zeros}}};
}

Change PowTwo(Node& node) {
  const Value &x = node.input(0), &c = node.input(1);
  if (!IsExactly(c, 2) || !KeepsShape(x, c)) return kKeep;
  return {{}, "Square", {x}, {}};
}

Change Twice(Node& node) {
  Value x = InnerOfTwice(node);
  return x ? Change::Forward(x) : kKeep;
}

Change AlwaysInput(Node& node) {
  // An identity with a device of its own says where the value is wanted.
  if (!node.device().empty()) return kKeep;
  return Change::Forward(node.input(0));
}

Change CastToSame(Node& node) {
  bool same = node.output_type(0).dtype == node.input(0).dtype();
  return same ? Change::Forward(node.input(0)) : kKeep;
}

Change ToSameShape(Node& node) {
  bool same = SameKnownType(node.output(), node.input(0));
  return same ? Change::Forward(node.input(0)) : kKeep;
}

// The elements of both are x's in row-major order.
Change ReshapeOfReshape(Node& node) {
  Value x = InnerOfTwice(node);
  if (!x) return kKeep;
  return {{}, "Reshape", {x, node.input(1)}, node.attrs()};
}

// Which axis of the input each axis of the output is; empty when not known.
std::vector<int64_t> Permutation(const Node& transpose) {
  auto perm = transpose.attrs().get<std::vector<int64_t>>("perm");
  const PartialShape& shape = transpose.input(0).shape();
  if (!shape.rank_known()) return perm;
  if (perm.empty()) {
    for (int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
      perm.push_back(axis);
    }
  }
  for (int64_t& axis : perm) axis += axis < 0 ? shape.rank() : 0;
  return perm;
}

Change TransposeBack(Node& node) {
  Value x = InnerOfTwice(node);
  if (!x) return kKeep;
  std::vector<int64_t> outer = Permutation(node);
  std::vector<int64_t> inner = Permutation(*node.input(0).node);
  // Both reversed, of a rank nobody knows yet.
  if (outer.empty() && inner.empty()) return Change::Forward(x);
  if (outer.size() != inner.size()) return kKeep;
  for (size_t i = 0; i < outer.size(); ++i) {
    auto axis = static_cast<size_t>(outer[i]);
    if (axis >= inner.size() || inner[axis] != static_cast<int64_t>(i)) {
      return kKeep;
    }
  }
  return Change::Forward(x);
}

Change AddNOfFew(Node& node) {
  if (node.num_inputs() == 1) return Change::Forward(node.input(0));
  // Add would broadcast where AddN refuses: only for shapes known to agree.
  if (node.num_inputs() != 2 || !SameKnownType(node.input(0), node.input(1))) {
    return kKeep;
  }
  return {{}, "Add", {node.input(0), node.input(1)}, {}};
}

Change SelectOnConstant(Node& node) {
  const Array* condition = ConstantValue(node.input(0));
  if (!condition || condition->rank() != 0 ||
      condition->dtype() != DType::kBool) {
    return kKeep;
  }
  const Value& taken = node.input(condition->data<bool>()[0] ? 1 : 2);
  bool same = SameKnownType(node.output(), taken);
  return same ? Change::Forward(taken) : kKeep;
}

struct Rule {
  const char* op;
  Change (*apply)(Node&);
  const char* meaning;
};

// clang-format off
constexpr Rule kRules[] = {
    {"Add",        AddZero,          "x + 0 = x; for floats x + -0.0 = x"},
    {"Sub",        SubZero,          "x - 0 = x"},
    {"Mul",        MulOne,           "x * 1 = x"},
    {"Mul",        MulZero,          "x * 0 = 0 for integers"},
    {"Div",        DivOne,           "x / 1 = x"},
    {"Pow",        PowTwo,           "x ^ 2 = Square(x)"},
    {"Neg",        Twice,            "-(-x) = x"},
    {"LogicalNot", Twice,            "not not x = x"},
    {"Identity",   AlwaysInput,      "Identity(x) = x"},
    {"Cast",       CastToSame,       "Cast(x) to x's own type = x"},
    {"Reshape",    ToSameShape,      "Reshape(x) to x's own shape = x"},
    {"SumTo",      ToSameShape,      "SumTo(x) to x's own shape = x"},
    {"BroadcastTo", ToSameShape,     "BroadcastTo(x) to x's own shape = x"},
    {"Reshape",    ReshapeOfReshape, "Reshape(Reshape(x, s), t) = Reshape(x, t)"},
    {"Transpose",  TransposeBack,    "Transpose back again = x"},
    {"AddN",       AddNOfFew,        "AddN(x) = x; AddN(x, y) = Add(x, y)"},
    {"Select",     SelectOnConstant, "Select(true, x, y) = x"},
};
// clang-format on

// --- The sweep ---------------------------------------------------------------

class Simplifier {
 public:
  explicit Simplifier(Graph& graph) : graph_(graph), edit_(graph) {
    for (const Rule& rule : kRules) {
      if (const OpRecord* op = FindOp(rule.op)) rules_[op].push_back(&rule);
    }
  }

  bool Run() {
    Visit(graph_.root());
    return edit_.Commit();
  }

 private:
  void Visit(Region& region) {
    for (Node* node : region.nodes()) {
      edit_.Update(*node);
      // One change may make another possible: Reshape of Reshape, then to the
      // same shape. Each rule moves towards fewer or cheaper ops.
      for (int i = 0; i < 4 && !edit_.erased(*node) && ApplyOne(*node); ++i) {
      }
      for (const auto& inner : node->regions()) Visit(*inner);
    }
  }

  bool ApplyOne(Node& node) {
    auto it = rules_.find(&node.op());
    if (it == rules_.end()) return false;
    for (const Rule* rule : it->second) {
      Change change = rule->apply(node);
      if (change && (KeepsDeath(node, change) || !raw_.Holds(node.region())) &&
          Apply(node, change)) {
        return true;
      }
    }
    return false;
  }

  // Among primitives a value may be dead, or of one iteration, and so is what
  // is computed from it: only constants at home everywhere may be left out.
  static bool KeepsDeath(const Node& node, const Change& change) {
    bool reads_some = false;
    for (const Value& v : node.inputs()) {
      bool free = ConstantValue(v) && v.node->controls().empty();
      bool kept = v == change.forward ||
                  std::find(change.inputs.begin(), change.inputs.end(), v) !=
                      change.inputs.end();
      if (!free && !kept) return false;
      reads_some = reads_some || !free;
    }
    return reads_some;
  }

  bool Apply(Node& node, const Change& change) {
    if (!change.forward) {
      // It would no longer wait for inputs it no longer has.
      return !BatchEdit::HasControlUser(node) &&
             edit_.Rewrite(node, change.op, change.inputs, change.attrs).ok();
    }
    // Users would not learn to wait for what this node waits for.
    if (edit_.is_target(node) || !node.controls().empty() ||
        change.forward.dtype() != node.output_type(0).dtype) {
      return false;
    }
    std::vector<Node*> producers;
    for (const Value& v : node.inputs()) producers.push_back(v.node);
    edit_.Replace(node.output(), change.forward);
    edit_.ReplaceControl(node, std::move(producers));
    edit_.Erase(node);
    return true;
  }

  Graph& graph_;
  BatchEdit edit_;
  std::unordered_map<const OpRecord*, std::vector<const Rule*>> rules_;
  RawRegions raw_;
};

}  // namespace

Result<bool> SimplifyArithmetic(Graph& graph) {
  return Simplifier(graph).Run();
}

}  // namespace sluice
