#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "sluice/autodiff/flow_back.h"
#include "sluice/autodiff/gradients.h"
#include "sluice/autodiff/value_origins.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

using ValueSet = std::unordered_set<Value, ValueHash>;

// All that y depends on and that depends on x.
ValueSet Between(const Value& y, const Value& x) {
  std::unordered_map<Value, std::vector<Value>, ValueHash> leads_to;
  ValueSet seen = {y}, between;
  std::vector<Value> open = {y};
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    Origins from = OriginsOf(v);
    for (const auto* list : {&from.values, &from.deciders}) {
      for (const Value& u : *list) {
        leads_to[u].push_back(v);
        if (seen.insert(u).second) open.push_back(u);
      }
    }
  }
  if (!seen.count(x)) return between;
  between.insert(x);
  open = {x};
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    for (const Value& u : leads_to[v]) {
      if (between.insert(u).second) open.push_back(u);
    }
  }
  return between;
}

// The node and its line, and the loops and branches it is in.
std::string Place(const Node& node) {
  std::string text = StrCat("\n  ", NodeLine(node));
  for (const Region* r = node.region(); r && r->owner(); r = r->parent()) {
    if (r->owner() == &node) continue;
    Flow flow = r->owner()->op().flow;
    StrAppend(text, "\n  inside the ",
              flow == Flow::kLoop     ? "loop"
              : flow == Flow::kBranch ? "conditional"
                                      : "function",
              " ", NodeLine(*r->owner()));
  }
  return text;
}

std::string Described(const Node& node) {
  return StrCat(node.op().name, " \"", node.name(), "\"");
}

std::string NoRule(const Node& node) {
  const std::string& reason = node.op().no_grad;
  std::string text =
      StrCat("the path ends at ", Described(node), ", which ",
             reason.empty() ? std::string("has no gradient rule")
                            : StrCat("has no gradient: ", reason),
             Place(node));
  // What passes its operand on was put there for this.
  if (node.op().view) return text;
  return StrCat(text, "\n  wanted another op there, or a custom_gradient");
}

std::string Decides(const Node& node) {
  return StrCat(
      "it only decides ",
      node.op().flow == Flow::kLoop ? "how often " : "which branch of ",
      Described(node), " runs, and that jumps", Place(node));
}

// `v` carries no gradients: where it ceased to be a value that does.
std::string BecameInteger(Value v, const ValueSet& between) {
  ValueSet seen = {v};
  std::vector<Value> open = {v};
  while (!open.empty()) {
    v = open.back();
    open.pop_back();
    for (const Value& u : OriginsOf(v).values) {
      if (!between.count(u)) continue;
      if (CarriesGradient(u)) {
        return StrCat("the path ends at ", Described(*v.node), ", which gives ",
                      v.type().ToString(),
                      ", and only floating-point values carry gradients",
                      Place(*v.node), "\n  wanted it kept floating-point");
      }
      if (seen.insert(u).second) open.push_back(u);
    }
  }
  return StrCat(v.ToString(), " is ", v.type().ToString(),
                ", and only floating-point values carry gradients",
                Place(*v.node));
}

}  // namespace

std::string WhyNoGrad(const Value& y, const Value& x) {
  if (y == x) return {};
  ValueSet between = Between(y, x);
  if (between.empty()) {
    return StrCat(y.ToString(), " is not computed from ", x.ToString());
  }
  // Back from y: either a way leads to x, or each ends somewhere.
  ValueSet seen = {y};
  std::vector<Value> open = {y};
  std::string ends, decides;
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    Origins from = OriginsOf(v);
    const Node& node = *v.node;
    bool passes = node.is_args() || node.op().flow != Flow::kNone ||
                  static_cast<bool>(node.op().grad);
    for (const Value& u : from.values) {
      if (!between.count(u)) continue;
      if (!passes) {
        if (ends.empty()) ends = NoRule(node);
      } else if (!CarriesGradient(u)) {
        if (ends.empty()) ends = BecameInteger(u, between);
      } else if (u == x) {
        return {};
      } else if (seen.insert(u).second) {
        open.push_back(u);
      }
    }
    for (const Value& u : from.deciders) {
      if (decides.empty() && between.count(u)) decides = Decides(node);
    }
  }
  if (!ends.empty()) return ends;
  if (!decides.empty()) return decides;
  return StrCat("no op between ", x.ToString(), " and ", y.ToString(),
                " passes a gradient on");
}

}  // namespace sluice
