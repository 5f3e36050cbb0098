#include <algorithm>
#include <unordered_set>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

std::string Describe(const Node& node) {
  return StrCat(node.op().name, " \"", node.name(), "\"");
}

// Nodes y is computed from.
std::unordered_set<const Node*> Upstream(const Value& y) {
  std::unordered_set<const Node*> seen = {y.node};
  std::vector<const Node*> open = {y.node};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (const Value& v : node->inputs()) {
      if (seen.insert(v.node).second) open.push_back(v.node);
    }
  }
  return seen;
}

}  // namespace

std::string WhyNoGrad(const Value& y, const Value& x) {
  if (y == x) return {};
  std::unordered_set<const Node*> upstream = Upstream(y);
  if (!upstream.count(x.node)) {
    return StrCat(y.ToString(), " is not computed from ", x.ToString());
  }
  // Along every path from x: either one goes through, or each is cut by an op.
  std::unordered_set<const Node*> seen;
  std::vector<Value> open = {x};
  std::string cut;
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    for (Node* user : v.node->users()) {
      auto in = user->inputs();
      if (!upstream.count(user) ||
          std::find(in.begin(), in.end(), v) == in.end() ||
          !seen.insert(user).second) {
        continue;
      }
      if (!user->op().grad) {
        if (!cut.empty()) continue;
        const std::string& reason = user->op().no_grad;
        cut = StrCat("the path ends at ", Describe(*user), ", which ",
                     reason.empty() ? std::string("has no gradient rule")
                                    : StrCat("has no gradient: ", reason),
                     "\n  ", NodeLine(*user));
        continue;
      }
      if (user == y.node) return {};
      for (int i = 0; i < user->num_outputs(); ++i) {
        Value out = user->output(i);
        if (kFloats.contains(out.dtype())) {
          open.push_back(out);
        } else if (cut.empty()) {
          cut = StrCat(out.ToString(), " is ", out.type().ToString(),
                       ", and only floating-point values carry gradients",
                       "\n  ", NodeLine(*user));
        }
      }
    }
  }
  return cut.empty() ? StrCat("no op between ", x.ToString(), " and ",
                              y.ToString(), " passes a gradient on")
                     : cut;
}

}  // namespace sluice
