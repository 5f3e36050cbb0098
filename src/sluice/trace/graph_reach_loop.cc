// Loops: the extra boolean variables that they carry.
#include <algorithm>
#include <set>

#include "sluice/autodiff/carry_more.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/graph_reach.h"

namespace sluice {

namespace {

using Truth = GraphReach::Truth;
using Sources = GraphReach::Sources;

// With more variables than this, the cost exceeds the benefit.
constexpr size_t kMost = 256;

// What is known of a variable after any number of iterations.
enum class Known3 : uint8_t { kNever, kAlways, kTold };

Known3 As3(const Truth& truth) {
  if (truth.always) return Known3::kAlways;
  return truth.never() ? Known3::kNever : Known3::kTold;
}

std::vector<Known3> Settle(const std::vector<Truth>& begins,
                           const std::vector<Truth>& direct,
                           const std::vector<std::vector<Truth>>& by) {
  std::vector<Known3> now;
  for (const Truth& t : begins) now.push_back(As3(t));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t j = 0; j < now.size(); ++j) {
      if (now[j] == Known3::kTold) continue;
      Known3 next = As3(direct[j]);
      for (size_t i = 0; i < now.size() && next != Known3::kAlways; ++i) {
        Known3 through = As3(by[j][i]);
        if (through == Known3::kNever || now[i] == Known3::kNever) continue;
        bool sure = through == Known3::kAlways && now[i] == Known3::kAlways;
        next = sure ? Known3::kAlways : Known3::kTold;
      }
      if (next == now[j]) continue;
      now[j] = Known3::kTold;
      changed = true;
    }
  }
  return now;
}

}  // namespace

void GraphReach::PutAbove(Node& node, size_t before) {
  const auto& nodes = node.region()->nodes();
  std::vector<Node*> fresh(nodes.begin() + static_cast<std::ptrdiff_t>(before),
                           nodes.end());
  for (Node* added : fresh) graph_.MoveBefore(*added, node);
}

Result<Value> GraphReach::Above(Node& node, const Truth& truth) {
  Region& region = *node.region();
  const size_t before = region.nodes().size();
  SL_ASSIGN_OR_RETURN(Value value, AsValue(truth, region));
  PutAbove(node, before);
  return value;
}

Result<Value> GraphReach::Next(Node& loop, const LoopSteps& by,
                               const LoopGroup& group,
                               const std::vector<int>& told, size_t j) {
  Region& body = *loop.regions()[1];
  Truth after = group.direct[j];
  for (size_t i = 0; i < told.size() && !after.always; ++i) {
    if (by[j][i].never() || group.ends[i].never()) continue;
    if (told[i] < 0) {
      Or(after, by[j][i]);
    } else if (by[j][i].always) {
      Or(after, {.any = {body.arg(told[i])}});
    } else {
      SL_ASSIGN_OR_RETURN(Value through, AnyOf(by[j][i].any, body));
      SL_ASSIGN_OR_RETURN(Value both,
                          Call("LogicalAnd", body.arg(told[i]), through, body));
      Or(after, {.any = {both}});
    }
  }
  return AsValue(after, body);
}

Status GraphReach::EndOf(Node& loop, const LoopSteps& by, LoopGroup& group) {
  std::vector<Known3> now = Settle(group.begins, group.direct, by);
  auto open =
      static_cast<size_t>(std::count(now.begin(), now.end(), Known3::kTold));
  bool tells = tells_ && carried_ + open <= kMost;
  std::vector<int> told(now.size(), -1);
  for (size_t j = 0; j < now.size(); ++j) {
    group.ends.push_back({.always = now[j] != Known3::kNever});
    if (now[j] != Known3::kTold || !tells) continue;
    ++carried_;
    SL_ASSIGN_OR_RETURN(Value start, Above(loop, group.begins[j]));
    SL_ASSIGN_OR_RETURN(told[j], CarryMore(graph_, loop, start,
                                           {DType::kBool, Shape()}, "reach"));
    group.ends[j] = {.any = {loop.output(told[j])}};
  }
  for (size_t j = 0; j < now.size(); ++j) {
    if (told[j] < 0) continue;
    SL_ASSIGN_OR_RETURN(Value next, Next(loop, by, group, told, j));
    SetNext(graph_, loop, told[j], next);
  }
  return OkStatus();
}

Status GraphReach::EvalLoop(Node& node) {
  Region& body = *node.regions()[1];
  const int first = next_id_;
  const auto count = static_cast<size_t>(node.num_outputs());
  next_id_ += node.num_outputs();
  for (int i = 0; i < node.num_outputs(); ++i) {
    known_[body.arg(i)] = {{first + i, {.always = true}}};
  }
  SL_ASSIGN_OR_RETURN(std::vector<Sources> next, Results(body));
  std::vector<Sources> begin(count), ends(count);
  LoopSteps by(count);
  std::set<int> ids;
  for (size_t j = 0; j < count; ++j) {
    const Value& start = node.input(static_cast<int>(j));
    if (CarriesGradient(start.dtype())) begin[j] = Read({start});
    for (size_t i = 0; i < count; ++i) {
      int id = first + static_cast<int>(i);
      by[j].push_back(Find(next[j], id));
      next[j].erase(id);
    }
    for (const auto& [id, truth] : begin[j]) ids.insert(id);
    for (const auto& [id, truth] : next[j]) ids.insert(id);
  }
  std::vector<LoopGroup> groups;
  for (int id : ids) {
    LoopGroup made;
    for (size_t j = 0; j < count; ++j) {
      made.begins.push_back(Find(begin[j], id));
      made.direct.push_back(Find(next[j], id));
    }
    auto same =
        std::find_if(groups.begin(), groups.end(), [&](const LoopGroup& g) {
          return g.begins == made.begins && g.direct == made.direct;
        });
    if (same == groups.end()) {
      SL_RETURN_IF_ERROR(EndOf(node, by, made));
      groups.push_back(std::move(made));
      same = groups.end() - 1;
    }
    for (size_t j = 0; j < count; ++j) {
      if (!same->ends[j].never()) ends[j][id] = same->ends[j];
    }
  }
  for (size_t j = 0; j < count; ++j) {
    known_.try_emplace(node.output(static_cast<int>(j)), std::move(ends[j]));
  }
  return OkStatus();
}

}  // namespace sluice
