#include "sluice/trace/loop_reach.h"

#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::front_internal {

namespace {

// Whether a gradient reaches a destination.
enum class Flow3 : uint8_t { kNever, kAlways, kTold };

struct Status3 {
  Flow3 flow = Flow3::kNever;
  Value when{};
  bool operator==(const Status3&) const = default;
};

Status3 Find(const Reach& reach, const TapeKey& key) {
  for (const Reached& to : reach) {
    if (!(to.key == key)) continue;
    return {to.when ? Flow3::kTold : Flow3::kAlways, to.when};
  }
  return {};
}

// With more variables than this, the cost exceeds the benefit.
constexpr size_t kMost = 256;

class Extender {
 public:
  Extender(RegionDraft& draft, const std::vector<LoopVariable>& variables,
           std::vector<ValueType>& types)
      : graph_(draft.graph()),
        loop_(draft.node()),
        body_(*loop_.regions()[1]),
        vars_(variables),
        types_(types) {}

  std::vector<ReachesTold> Run() {
    Collect();
    std::vector<ReachesTold> reach(vars_.size());
    size_t open = 0;
    for (Group& group : groups_) open += Settle(group);
    if (open > kMost) return {};
    for (Group& group : groups_) {
      Carry(group);
      for (size_t j = 0; j < vars_.size(); ++j) {
        if (group.now[j] == Flow3::kNever) continue;
        for (const TapeKey& key : group.keys) {
          reach[j].push_back({key, group.told[j]});
        }
      }
    }
    return reach;
  }

 private:
  // Destinations that all variables treat alike.
  struct Group {
    std::vector<TapeKey> keys;
    std::vector<bool> first;
    std::vector<Status3> direct;
    std::vector<Flow3> now;
    std::vector<int> told;  // the input that tells it; negative: none
  };

  bool IsArgument(const TapeKey& key) const {
    for (const LoopVariable& v : vars_) {
      if (v.argument && v.argument == key) return true;
    }
    return false;
  }

  void Collect() {
    std::vector<TapeKey> keys;
    auto add = [&](const TapeKey& key) {
      if (!key || IsArgument(key)) return;
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        keys.push_back(key);
      }
    };
    for (const LoopVariable& v : vars_) {
      add(v.first);
      for (const Reached& to : *v.next) add(to.key);
    }
    for (const TapeKey& key : keys) {
      Group made;
      for (const LoopVariable& v : vars_) {
        made.first.push_back(v.first == key);
        made.direct.push_back(Find(*v.next, key));
      }
      auto same = std::find_if(groups_.begin(), groups_.end(), [&](Group& g) {
        return g.first == made.first && g.direct == made.direct;
      });
      if (same == groups_.end()) {
        groups_.push_back(std::move(made));
        same = groups_.end() - 1;
      }
      same->keys.push_back(key);
    }
  }

  // Determines what is known without a run; returns how many remain.
  size_t Settle(Group& group) const {
    for (bool first : group.first) {
      group.now.push_back(first ? Flow3::kAlways : Flow3::kNever);
    }
    group.told.assign(vars_.size(), -1);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t j = 0; j < vars_.size(); ++j) {
        if (group.now[j] == Flow3::kTold) continue;
        Flow3 next = group.direct[j].flow;
        for (size_t i = 0; i < vars_.size(); ++i) {
          if (!vars_[i].argument) continue;
          Flow3 by = Find(*vars_[j].next, vars_[i].argument).flow;
          if (by == Flow3::kNever || group.now[i] == Flow3::kNever) continue;
          bool sure = by == Flow3::kAlways && group.now[i] == Flow3::kAlways;
          if (next == Flow3::kAlways) continue;
          next = sure ? Flow3::kAlways : Flow3::kTold;
        }
        if (next == group.now[j]) continue;
        group.now[j] = Flow3::kTold;
        changed = true;
      }
    }
    return static_cast<size_t>(
        std::count(group.now.begin(), group.now.end(), Flow3::kTold));
  }

  // Adds one more variable for each that remains.
  void Carry(Group& group) {
    for (size_t j = 0; j < vars_.size(); ++j) {
      if (group.now[j] != Flow3::kTold) continue;
      group.told[j] = loop_.num_inputs();
      std::vector<Value> inputs(loop_.inputs().begin(), loop_.inputs().end());
      inputs.push_back(KnownIn(graph_, *loop_.region(),
                               Array::Scalar<bool>(group.first[j])));
      graph_.SetInputs(loop_, std::move(inputs));
      for (const auto& region : loop_.regions()) {
        ThrowIfError(graph_
                         .AddArg(*region, StrCat("r", group.told[j]),
                                 {DType::kBool, Shape()})
                         .status());
      }
      types_.push_back({DType::kBool, Shape()});
    }
    std::vector<Value> more;
    for (size_t j = 0; j < vars_.size(); ++j) {
      if (group.told[j] >= 0) more.push_back(Next(group, j));
    }
    AddResults(graph_, body_, more);
  }

  Value Next(const Group& group, size_t j) {
    Value any;
    auto add = [&](const Value& v) {
      any = any ? Call("LogicalOr", any, v) : v;
    };
    if (group.direct[j].flow == Flow3::kAlways) return Truth(true);
    if (group.direct[j].when) add(group.direct[j].when);
    for (size_t i = 0; i < vars_.size(); ++i) {
      if (!vars_[i].argument || group.now[i] == Flow3::kNever) continue;
      Status3 by = Find(*vars_[j].next, vars_[i].argument);
      if (by.flow == Flow3::kNever) continue;
      Value its;
      if (group.now[i] == Flow3::kTold) its = body_.arg(group.told[i]);
      if (its && by.when) its = Call("LogicalAnd", its, by.when);
      if (!its) its = by.when;
      if (!its) return Truth(true);
      add(its);
    }
    return any ? any : Truth(false);
  }

  Value Truth(bool value) {
    return KnownIn(graph_, body_, Array::Scalar<bool>(value));
  }
  Value Call(std::string_view op, const Value& a, const Value& b) {
    Value in[] = {a, b};
    NodeOptions options;
    options.device = loop_.device();
    return ValueOrThrow(graph_.Add(body_, op, in, {}, options))->output();
  }

  Graph& graph_;
  Node& loop_;
  Region& body_;
  const std::vector<LoopVariable>& vars_;
  std::vector<ValueType>& types_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<ReachesTold> LoopReach(RegionDraft& draft,
                                   const std::vector<LoopVariable>& variables,
                                   std::vector<ValueType>& types) {
  return Extender(draft, variables, types).Run();
}

}  // namespace sluice::front_internal
