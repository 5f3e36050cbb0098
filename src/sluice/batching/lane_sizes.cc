#include "sluice/batching/lane_sizes.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "sluice/batching/lane_spread.h"
#include "sluice/op/signature.h"

namespace sluice {

namespace {

// Trial sizes that represent two lanes.
constexpr int64_t kTrials[] = {2, 3};

bool AnyUnknown(const PartialShape& shape) { return !shape.fully_known(); }

// Replaces unknown sizes by `size`. None for an unknown rank.
std::optional<PartialShape> With(PartialShape shape, int64_t size) {
  if (!shape.rank_known()) return std::nullopt;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) == kUnknownDim) shape.set_dim(i, size);
  }
  return shape;
}

// May run any number of times, and has no effect besides its results.
bool PlainOp(const Node& node) {
  const OpRecord& op = node.op();
  return (op.flow == Flow::kNone || op.flow == Flow::kBranch) && !op.random &&
         !op.stateful && op.global_effect.empty() && op.effect == Effect::kNone;
}

int ListsOf(const Node& node) {
  int lists = 0;
  for (int i = 0; i < node.num_outputs(); ++i) {
    lists += node.output_type(i).dtype == DType::kList;
  }
  return lists;
}

bool Plain(const Node& node) {
  bool plain = PlainOp(node) && node.controls().empty();
  std::unordered_set<const Node*> called;
  for (const auto& region : node.regions()) {
    ForEachInside(*region, called,
                  [&](const Node& inner) { plain = plain && PlainOp(inner); });
  }
  return plain;
}

using Shapes = std::unordered_map<Value, PartialShape, ValueHash>;

// The answer of a node's shape function for other input shapes and unknown
// elements.
struct Answer {
  bool ok = false;
  std::vector<PartialShape> out{};
  uint64_t asked = 0;  // ShapeContext::asked

  // Whether it asked for the elements of an input selected by `which`.
  bool AskedFor(const Node& node, auto&& which) const {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if ((asked >> (i & 63)) & 1 && which(node.input(i))) return true;
    }
    return false;
  }
};

Answer Ask(const Node& node, const Shapes& instead) {
  std::vector<PartialShape> in;
  std::vector<DType> in_dtypes, out_dtypes;
  std::vector<const Array*> values;
  for (const Value& v : node.inputs()) {
    auto other = instead.find(v);
    bool given = other != instead.end();
    in.push_back(given ? other->second : v.shape());
    in_dtypes.push_back(v.dtype());
    values.push_back(given ? nullptr : ConstantValue(v));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    out_dtypes.push_back(node.output_type(i).dtype);
  }
  Answer answer;
  answer.out.resize(out_dtypes.size());
  ShapeContext context(node.op(), node.attrs(), in_dtypes, in, values,
                       out_dtypes, answer.out);
  answer.ok = node.op().shape(context).ok();
  answer.asked = context.asked();
  return answer;
}

}  // namespace

// The nodes that depend on one op, tried with two sizes.
struct LaneSizes::Chain {
  const Region& code;
  const BatchScope& scope;
  // Ends of this chain and of earlier ones, and their dependents: their
  // elements differ by lane.
  std::unordered_set<const Node*> own;
  std::unordered_set<const Node*> members{}, ends{};
  Shapes shapes[std::size(kTrials)]{};

  bool Has(const Value& v) const { return members.contains(v.node); }

  // Adds a node whose results have lane-dependent sizes: these, or unknown
  // ones.
  bool Join(const Node& node,
            const std::vector<PartialShape>* known = nullptr) {
    members.insert(&node);
    for (int i = 0; i < node.num_outputs(); ++i) {
      for (size_t t = 0; t < std::size(kTrials); ++t) {
        auto tried = With(known ? known[t][static_cast<size_t>(i)]
                                : node.output_type(i).shape,
                          kTrials[t]);
        if (!tried) return false;
        shapes[t][{const_cast<Node*>(&node), i}] = *tried;
      }
    }
    return true;
  }

  bool HasElements(const Value& v) const {
    return Has(v) || own.contains(v.node) || scope.Batched(v);
  }

  // Adds the next node of the program. False: it reads a member, but neither is
  // one itself nor ends the difference.
  bool Add(const Node& node) {
    auto any = [&](auto&& which) {
      return std::any_of(node.inputs().begin(), node.inputs().end(), which);
    };
    if (any([&](const Value& v) { return Has(v); })) return AddReader(node);
    bool reads = any([&](const Value& v) { return own.contains(v.node); });
    // Outside the chain, sizes are the same for all lanes.
    if (reads && node.op().role != Role::kShape) own.insert(&node);
    return true;
  }

  // A node that reads a member: another member, or an end.
  bool AddReader(const Node& node) {
    if (node.region() != &code || !node.regions().empty() || !Plain(node)) {
      return false;
    }
    // Lanes have lists of their own in any case, whatever their lengths.
    if (int lists = ListsOf(node)) {
      ends.insert(&node);
      own.insert(&node);
      return lists == node.num_outputs();
    }
    std::vector<PartialShape> out[std::size(kTrials)];
    bool by_value = false;
    for (size_t t = 0; t < std::size(kTrials); ++t) {
      Answer answer = Ask(node, shapes[t]);
      if (!answer.ok) return false;
      by_value = by_value || answer.AskedFor(node, [&](const Value& v) {
        return HasElements(v);
      });
      out[t] = std::move(answer.out);
    }
    bool open = std::any_of(out[0].begin(), out[0].end(), AnyUnknown);
    if (node.op().dynamic_output || (by_value && open)) return Join(node);
    if (out[0] != out[1]) return Join(node, out);
    ends.insert(&node);
    own.insert(&node);
    return true;
  }
};

namespace {

// Reads one element of a list, which may be any value, mostly similar in all
// lanes.
bool GivesElement(const Node& node) {
  Role role = node.op().role;
  return node.num_inputs() > 0 && IsList(node.input(0)) &&
         role != Role::kListConcat && role != Role::kListStack &&
         role != Role::kListGather;
}

// Whether the sizes of its results depend on elements with lanes.
bool DiffersByLane(const Node& node, const BatchScope& scope) {
  bool open = false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    open = open || AnyUnknown(node.output_type(i).shape);
  }
  if (!open) return false;
  if (node.op().dynamic_output) return !GivesElement(node);
  if (node.op().flow == Flow::kBranch) {
    bool differs = false;
    std::unordered_set<const Node*> called;
    for (const auto& region : node.regions()) {
      ForEachInside(*region, called, [&](const Node& inner) {
        differs =
            differs || (inner.op().dynamic_output && !GivesElement(inner));
      });
    }
    return differs;
  }
  Answer answer = Ask(node, {});
  return answer.ok && answer.AskedFor(node, [&](const Value& v) {
    return scope.Batched(v);
  });
}

}  // namespace

bool LaneSizes::Leave(const Node& node, const BatchScope& scope) {
  if (node.region() != &code_ || ListsOf(node) > 0 || !Plain(node) ||
      !DiffersByLane(node, scope)) {
    return false;
  }
  Chain chain{code_, scope, own_};
  if (!chain.Join(node)) return false;
  bool after = false;
  for (const Node* next : code_.nodes()) {
    if (next == &node) after = true;
    if (!after || next == &node) continue;
    for (const Node* before : next->controls()) {
      if (chain.members.contains(before)) return false;
    }
    for (const Value& v : CapturedBy(*next)) {
      if (chain.Has(v)) return false;
    }
    if (!chain.Add(*next)) return false;
  }
  for (const Value& v : code_.results()) {
    if (chain.Has(v)) return false;
  }
  for (const Node* target : code_.targets()) {
    if (chain.members.contains(target)) return false;
  }
  left_.insert(chain.members.begin(), chain.members.end());
  ends_.insert(chain.ends.begin(), chain.ends.end());
  own_ = std::move(chain.own);
  return true;
}

std::vector<const Node*> LaneSizes::LeftTo(const Node& node) const {
  if (!ends_.contains(&node)) return {};
  std::unordered_set<const Node*> wanted;
  std::vector<const Node*> open{&node};
  while (!open.empty()) {
    const Node* next = open.back();
    open.pop_back();
    auto want = [&](const Value& v) {
      if (left(*v.node) && wanted.insert(v.node).second) open.push_back(v.node);
    };
    for (const Value& v : next->inputs()) want(v);
    for (const Value& v : CapturedBy(*next)) want(v);
  }
  std::vector<const Node*> found;
  for (const Node* next : code_.nodes()) {
    if (wanted.contains(next)) found.push_back(next);
  }
  return found;
}

}  // namespace sluice
