#include "sluice/tape/islands.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/signature.h"

namespace sluice {

namespace {

// Sets of what a node waits for that others may not: asynchronous ancestors,
// sides of predicates, frames. Each distinct set is stored once; nodes carry
// its number. Graphs have few distinct sets, so unions are mostly lookups.
class AncestorSets {
 public:
  AncestorSets() { Intern({}); }

  int Union(int a, int b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    auto key = std::minmax(a, b);
    auto it = unions_.find(key);
    if (it != unions_.end()) return it->second;
    std::vector<int> merged;
    const auto &x = sets_[static_cast<size_t>(a)],
               &y = sets_[static_cast<size_t>(b)];
    std::set_union(x.begin(), x.end(), y.begin(), y.end(),
                   std::back_inserter(merged));
    return unions_[key] = Intern(std::move(merged));
  }
  int With(int set, int element) {
    auto key = std::pair(set, element);
    auto it = withs_.find(key);
    if (it != withs_.end()) return it->second;
    std::vector<int> more = sets_[static_cast<size_t>(set)];
    auto at = std::lower_bound(more.begin(), more.end(), element);
    if (at == more.end() || *at != element) more.insert(at, element);
    return withs_[key] = Intern(std::move(more));
  }

 private:
  int Intern(std::vector<int> set) {
    auto [it, fresh] = ids_.emplace(set, static_cast<int>(sets_.size()));
    if (fresh) sets_.push_back(std::move(set));
    return it->second;
  }
  std::vector<std::vector<int>> sets_;
  std::map<std::vector<int>, int> ids_;
  std::map<std::pair<int, int>, int> unions_, withs_;
};

// A view that nobody inside the island reads would be copied out of it; left
// outside it stays free. Taking away what nothing inside depends on keeps an
// island convex.
void LeaveTrailingViews(const std::vector<Node*>& order,
                        std::vector<std::string>& why_not) {
  std::unordered_map<const Node*, size_t> position;
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  for (size_t i = order.size(); i-- > 0;) {
    if (!why_not[i].empty() || !order[i]->op().view) continue;
    bool read_inside = false;
    for (Node* user : order[i]->users()) {
      auto it = position.find(user);
      read_inside =
          read_inside || (it != position.end() && why_not[it->second].empty());
    }
    if (!read_inside) why_not[i] = "a view that leaves the island";
  }
}

// Numbers for what may be in a set of ancestors.
class Elements {
 public:
  int Async(int position) { return Number(0, nullptr, position); }
  int Side(const Value& pred, int side) {
    return Number(1, pred.node, pred.index * 2 + side);
  }
  // Of a Merge, by what its inputs have behind them: it is alive when one of
  // them is, whatever side that comes from.
  int Merged(std::vector<int> ways) {
    std::sort(ways.begin(), ways.end());
    auto [it, fresh] =
        merges_.emplace(std::move(ways), static_cast<int>(merges_.size()));
    return Number(3, nullptr, it->second);
  }
  int Frame(const std::string& name) {
    auto [it, fresh] = frames_.emplace(name, static_cast<int>(frames_.size()));
    return Number(2, nullptr, it->second);
  }

 private:
  int Number(int kind, const Node* node, int i) {
    auto key = std::tuple(kind, node, i);
    return ids_.emplace(key, static_cast<int>(ids_.size())).first->second;
  }
  std::map<std::tuple<int, const Node*, int>, int> ids_;
  std::map<std::string, int> frames_;
  std::map<std::vector<int>, int> merges_;
};

int Find(std::vector<int>& parent, int x) {
  while (parent[static_cast<size_t>(x)] != x) {
    int& p = parent[static_cast<size_t>(x)];
    p = parent[static_cast<size_t>(p)];
    x = p;
  }
  return x;
}

// Whether the shapes of a node's outputs, which memory is planned from, follow
// from those of its inputs. A graph may state more than that (one from a file
// states what it likes), and a shape function that was not shown a value has
// not refused it either: such a node is checked when it runs, by itself.
std::string WhyNotCertain(const Node& node) {
  std::vector<DType> dtypes, out_dtypes;
  std::vector<PartialShape> shapes;
  std::vector<const Array*> values;
  for (const Value& v : node.inputs()) {
    dtypes.push_back(v.dtype());
    shapes.push_back(v.shape());
    values.push_back(ConstantValue(v));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    out_dtypes.push_back(node.output_type(i).dtype);
  }
  std::vector<PartialShape> out(out_dtypes.size());
  ShapeContext context(node.op(), node.attrs(), dtypes, shapes, values,
                       out_dtypes, out);
  if (!node.op().shape(context).ok()) return "refused by its shape function";
  if (context.missed_value()) return "shape depends on values";
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!(out[static_cast<size_t>(i)] == node.output_type(i).shape)) {
      return StrCat("stated shape ", node.output_type(i).shape,
                    " does not follow");
    }
  }
  return "";
}

}  // namespace

std::string WhyNotInIsland(const Node& node) {
  const OpRecord& op = node.op();
  if (op.async()) return "asynchronous";
  if (!node.regions().empty()) return "owns regions";
  if (op.handle) return "resource handle";
  if (op.effect != Effect::kNone) return "touches state";
  if (!op.global_effect.empty() || op.stateful) return "has a side effect";
  if (op.structural) return "structural";
  if (op.dynamic_output) return "output size depends on values";
  if (!op.kernel(DeviceKind::kCpu).launch && !op.block) return "no CPU kernel";
  if (node.num_outputs() == 0) return "no outputs";
  for (int i = 0; i < node.num_outputs(); ++i) {
    const ValueType& type = node.output_type(i);
    if (!IsPlainData(type.dtype)) {
      return StrCat(DTypeName(type.dtype), " elements");
    }
    if (!type.shape.fully_known())
      return StrCat("shape ", type.shape, " unknown");
  }
  for (const Value& v : node.inputs()) {
    if (!IsPlainData(v.dtype())) return StrCat(DTypeName(v.dtype()), " input");
    if (!v.shape().fully_known()) {
      return StrCat("input shape ", v.shape(), " unknown");
    }
  }
  return WhyNotCertain(node);
}

IslandChoice ChooseIslands(const std::vector<Node*>& order,
                           const std::vector<EffectEdge>& effects,
                           const IslandOptions& options) {
  size_t n = order.size();
  IslandChoice choice;
  choice.island.assign(n, -1);
  choice.why_not.resize(n);
  std::unordered_map<const Node*, int> position;
  position.reserve(n);
  for (size_t i = 0; i < n; ++i) position[order[i]] = static_cast<int>(i);
  std::vector<std::vector<int>> before_by_effect(effects.empty() ? 0 : n);
  for (const EffectEdge& e : effects) {
    before_by_effect[static_cast<size_t>(position.at(e.after))].push_back(
        position.at(e.before));
  }

  // depth counts how often a path to the node has crossed between island nodes
  // and others. Two nodes of equal depth with a path between them have only
  // nodes of that depth and kind on it, so equal depth makes a set convex.
  std::vector<int> depth(n, 0), ancestors(n, 0), parent(n);
  std::iota(parent.begin(), parent.end(), 0);
  AncestorSets sets;
  Elements elements;
  auto apart = [&](const Node& a, const Node& b) {
    return a.device() != b.device() ||
           (options.group && options.group(a) != options.group(b));
  };
  for (size_t i = 0; i < n; ++i) {
    Node* node = order[i];
    // A constant that waits for something is a node like any other.
    bool constant = node->num_outputs() > 0 && node->controls().empty() &&
                    ConstantValue(node->output(0)) != nullptr;
    bool inside = !constant;
    if (inside) {
      choice.why_not[i] = WhyNotInIsland(*node);
      inside = choice.why_not[i].empty();
    } else {
      choice.why_not[i] = "constant";
    }
    auto arrive = [&](int p, int output) {
      auto k = static_cast<size_t>(p);
      if (choice.why_not[k] == "constant") return;
      bool crossing =
          inside != choice.why_not[k].empty() || apart(*node, *order[k]);
      depth[i] = std::max(depth[i], depth[k] + (crossing ? 1 : 0));
      ancestors[i] = sets.Union(ancestors[i], ancestors[k]);
      if (order[k]->op().async()) {
        ancestors[i] = sets.With(ancestors[i], elements.Async(p));
      }
      // Alive on one side only.
      if (order[k]->op().flow == Flow::kSwitch && output >= 0) {
        ancestors[i] =
            sets.With(ancestors[i], elements.Side(order[k]->input(1), output));
      }
    };
    auto from = [&](const Node* source, int output) {
      auto it = position.find(source);
      if (it != position.end()) arrive(it->second, output);
    };
    if (node->op().flow == Flow::kNone) {
      for (const Value& v : node->inputs()) from(v.node, v.index);
    } else {
      // What its regions read it waits for, too.
      for (const Value& v : InputsWithCaptures(*node)) {
        if (!IsBackEdge(*node, v)) from(v.node, v.index);
      }
    }
    for (Node* c : node->controls()) from(c, -1);
    if (!before_by_effect.empty()) {
      for (int p : before_by_effect[i]) arrive(p, -1);
    }
    bool loops = false;
    for (const Value& v : node->inputs()) loops |= IsBackEdge(*node, v);
    if (node->op().flow == Flow::kMerge && !loops) {
      std::vector<int> ways;
      for (const Value& v : node->inputs()) {
        auto it = position.find(v.node);
        int behind = it == position.end()
                         ? 0
                         : ancestors[static_cast<size_t>(it->second)];
        if (v.node->op().flow == Flow::kSwitch) {
          behind = sets.With(behind, elements.Side(v.node->input(1), v.index));
        }
        ways.push_back(behind);
      }
      ancestors[i] = sets.With(0, elements.Merged(std::move(ways)));
    }
    // What a frame waited for outside, all of it has waited for.
    if (node->op().flow == Flow::kEnter) {
      ancestors[i] =
          sets.With(0, elements.Frame(node->attrs().get<std::string>("frame")));
    }
    if (!inside) continue;
    auto join = [&](const Node* source) {
      auto it = position.find(source);
      if (it == position.end()) return;
      auto k = static_cast<size_t>(it->second);
      if (!choice.why_not[k].empty() || depth[k] != depth[i] ||
          ancestors[k] != ancestors[i]) {
        return;
      }
      parent[static_cast<size_t>(Find(parent, static_cast<int>(i)))] =
          Find(parent, it->second);
    };
    for (const Value& v : node->inputs()) join(v.node);
    for (Node* c : node->controls()) join(c);
  }
  LeaveTrailingViews(order, choice.why_not);

  std::unordered_map<int, int> sizes, numbers;
  for (size_t i = 0; i < n; ++i) {
    if (choice.why_not[i].empty()) ++sizes[Find(parent, static_cast<int>(i))];
  }
  for (size_t i = 0; i < n; ++i) {
    if (!choice.why_not[i].empty()) continue;
    int root = Find(parent, static_cast<int>(i));
    if (sizes[root] < options.min_nodes) {
      choice.why_not[i] = "alone";
      continue;
    }
    auto [it, fresh] = numbers.emplace(root, choice.count);
    if (fresh) ++choice.count;
    choice.island[i] = it->second;
  }
  return choice;
}

}  // namespace sluice
