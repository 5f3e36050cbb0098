#include "sluice/autodiff/call_activity.h"

#include <algorithm>
#include <unordered_map>

#include "sluice/autodiff/flow_back.h"
#include "sluice/graph/traverse.h"

namespace sluice {

namespace {

using ValueSet = std::unordered_set<Value, ValueHash>;

class Search {
 public:
  explicit Search(const Node& call)
      : call_(call), body_(*call.input(0).node->regions()[0]) {
    called_.insert(call.input(0).node);
    Scan(body_);
  }

  CallActivity Run(const std::vector<int>& flowing, const ValueSet& wanted) {
    FindVarying(wanted);
    FindActive(flowing);
    CallActivity found;
    for (size_t i = 0; i < body_.results().size(); ++i) {
      auto number = static_cast<int>(i);
      if (!varying_.count(body_.results()[i])) {
        found.constant.push_back(number);
      } else if (results_.count({call_.input(0).node, number})) {
        found.results.push_back(number);
      }
    }
    for (int i = 0; i < body_.num_args(); ++i) {
      if (varying_.count(body_.arg(i)) && active_.count(body_.arg(i))) {
        found.args.push_back(i);
      }
    }
    std::vector<Value> reads = InputsWithCaptures(call_);
    ValueSet seen;
    for (size_t i = static_cast<size_t>(call_.num_inputs()); i < reads.size();
         ++i) {
      if (wanted.count(reads[i]) && active_.count(reads[i]) &&
          seen.insert(reads[i]).second) {
        found.captures.push_back(reads[i]);
      }
    }
    return found;
  }

 private:
  // A value that a region gives as its result of that number.
  struct Given {
    const Region* region;
    int number;
  };

  // All the code that a run of the function may run.
  void Scan(const Region& region) {
    inside_.insert(&region);
    for (size_t i = 0; i < region.results().size(); ++i) {
      given_.emplace(region.results()[i], Given{&region, static_cast<int>(i)});
    }
    for (Node* node : region.nodes()) {
      if (node->op().flow == Flow::kFunction) continue;  // when it is called
      for (const auto& inner : node->regions()) Scan(*inner);
      if (node->op().flow != Flow::kCall) continue;
      Node* function = node->input(0).node;
      if (function->regions().empty()) continue;
      calls_[function].push_back(node);
      if (called_.insert(function).second) Scan(*function->regions()[0]);
    }
  }

  static bool IsBody(const Region& region) {
    const Node& owner = *region.owner();
    return owner.op().flow != Flow::kLoop ||
           owner.regions()[1].get() == &region;
  }

  // ---- Forwards: what depends on something gradients are asked for ----

  void Vary(const Value& v) {
    if (CarriesGradient(v) && varying_.insert(v).second) open_.push_back(v);
  }

  void FindVarying(const ValueSet& wanted) {
    for (int i = 0; i < body_.num_args(); ++i) {
      if (wanted.count(call_.input(i + 1))) Vary(body_.arg(i));
    }
    for (const Value& v : wanted) Vary(v);
    while (!open_.empty()) {
      Value v = open_.back();
      open_.pop_back();
      for (Node* user : v.node->users()) {
        if (inside_.count(user->region())) VaryThrough(v, *user);
      }
      auto [begin, end] = given_.equal_range(v);
      for (auto it = begin; it != end; ++it) VaryResult(it->second);
    }
  }

  void VaryThrough(const Value& v, Node& user) {
    for (int i = 0; i < user.num_inputs(); ++i) {
      if (!(user.input(i) == v)) continue;
      switch (user.op().flow) {
        case Flow::kBranch:
        case Flow::kFunction:
          break;
        case Flow::kLoop:
          Vary(user.regions()[1]->arg(i));
          Vary(user.output(i));
          break;
        case Flow::kCall: {
          const Node* function = user.input(0).node;
          if (function->regions().empty() || i == 0) break;
          Vary(function->regions()[0]->arg(i - 1));
          break;
        }
        default:
          for (int k = 0; k < user.num_outputs(); ++k) Vary(user.output(k));
      }
    }
  }

  void VaryResult(const Given& given) {
    Node& owner = *given.region->owner();
    if (owner.op().flow == Flow::kFunction) {
      for (Node* call : calls_[&owner]) Vary(call->output(given.number));
    } else if (IsBody(*given.region)) {
      Vary(owner.output(given.number));
      if (owner.op().flow == Flow::kLoop) Vary(given.region->arg(given.number));
    }
  }

  // ---- Backwards: what something flows into ----

  void Activate(const Value& v) {
    if (CarriesGradient(v) && active_.insert(v).second &&
        inside_.count(v.node->region())) {
      open_.push_back(v);
    }
  }
  // A function whose gradient is being built has fewer results than its calls.
  void ActivateResult(Node& function, int i) {
    if (function.regions().empty()) return;
    auto results = function.regions()[0]->results();
    results_.insert({&function, i});
    if (static_cast<size_t>(i) < results.size()) {
      Activate(results[static_cast<size_t>(i)]);
    }
  }

  void FindActive(const std::vector<int>& flowing) {
    for (int i : flowing) ActivateResult(*call_.input(0).node, i);
    while (!open_.empty()) {
      Value v = open_.back();
      open_.pop_back();
      if (v.node->is_args()) {
        ActivateGiven(v);
      } else {
        ActivateRead(v);
      }
    }
  }

  // The possible values of a region's argument.
  void ActivateGiven(const Value& arg) {
    const Region& region = *arg.node->region();
    Node& owner = *region.owner();
    if (owner.op().flow == Flow::kFunction) {
      for (Node* call : calls_[&owner]) Activate(call->input(arg.index + 1));
    } else if (owner.op().flow == Flow::kLoop) {
      Activate(owner.input(arg.index));
      Activate(owner.regions()[1]->results()[static_cast<size_t>(arg.index)]);
    }
  }

  // The inputs from which a node computes an output.
  void ActivateRead(const Value& v) {
    auto i = static_cast<size_t>(v.index);
    switch (v.node->op().flow) {
      case Flow::kBranch:
        for (const auto& region : v.node->regions()) {
          Activate(region->results()[i]);
        }
        break;
      case Flow::kLoop:
        Activate(v.node->input(v.index));
        Activate(v.node->regions()[1]->results()[i]);
        break;
      case Flow::kCall:
        ActivateResult(*v.node->input(0).node, v.index);
        break;
      default:
        for (const Value& in : v.node->inputs()) Activate(in);
    }
  }

  struct ResultHash {
    size_t operator()(const std::pair<const Node*, int>& r) const {
      return std::hash<const void*>()(r.first) * 31 +
             static_cast<size_t>(r.second);
    }
  };

  const Node& call_;
  const Region& body_;
  std::unordered_set<const Region*> inside_;
  std::unordered_set<const Node*> called_;
  std::unordered_map<const Node*, std::vector<Node*>> calls_;
  std::unordered_multimap<Value, Given, ValueHash> given_;
  ValueSet varying_, active_;
  std::unordered_set<std::pair<const Node*, int>, ResultHash> results_;
  std::vector<Value> open_;
};

}  // namespace

CallActivity FindCallActivity(
    const Node& call, const std::vector<int>& flowing,
    const std::unordered_set<Value, ValueHash>& wanted) {
  return Search(call).Run(flowing, wanted);
}

}  // namespace sluice
