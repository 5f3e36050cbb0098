// The messages between tasks, and the values that cannot be sent. Part of
// TaskNeeds.
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"
#include "sluice/partition/task_needs.h"

namespace sluice {

namespace {

const Node* FunctionAround(const Node& node) {
  const Node* owner = node.region()->owner();
  while (owner && owner->op().flow != Flow::kFunction) {
    owner = owner->region()->owner();
  }
  return owner;
}

}  // namespace

std::vector<TaskNeeds::Edge> TaskNeeds::EdgesOf(const Value& v) const {
  auto it = edges_.find(v);
  return it == edges_.end() ? std::vector<Edge>() : it->second;
}

std::vector<TaskNeeds::Edge> TaskNeeds::TokensOf(const Node& node) const {
  auto it = tokens_.find(&node);
  return it == tokens_.end() ? std::vector<Edge>() : it->second;
}

std::vector<TaskNeeds::Captured> TaskNeeds::CapturedBy(
    const Region& branch) const {
  auto it = captured_.find(&branch);
  return it == captured_.end() ? std::vector<Captured>() : it->second;
}

// The innermost branch around all readers, as long as the sender takes part in
// the conditionals on the path anyway: nothing is sent for a branch not taken,
// and the sender need not be notified of the choice. Inside a loop it would be
// sent repeatedly.
const Region* TaskNeeds::BranchFor(const Value& v, int to) const {
  std::vector<const Region*> way;
  const Region* made = v.node->region();
  for (const Region* at = needs_.at(v).at(to).in; at != made;
       at = at->owner()->region()) {
    way.push_back(at);
  }
  const Region* branch = nullptr;
  for (auto it = way.rbegin(); it != way.rend(); ++it) {
    const Node& owner = *(*it)->owner();
    if (owner.op().flow != Flow::kBranch || !Participates(owner, SenderOf(v)) ||
        !Participates(owner, to)) {
      break;
    }
    branch = *it;
  }
  return branch;
}

// Edges are numbered in program order, by destination.
Status TaskNeeds::NumberEdges(const Region& region) {
  for (Node* node : region.nodes()) {
    if (IsCopied(*node) || node->op().flow == Flow::kFunction) continue;
    for (int i = 0; i < node->num_outputs(); ++i) {
      Value v = node->output(i);
      auto needed = needs_.find(v);
      if (needed == needs_.end()) continue;
      for (const auto& [task, need] : needed->second) {
        if (Native(v, task)) continue;
        SL_RETURN_IF_ERROR(CheckResource(v, task));
        Edge edge{next_edge_++, SenderOf(v), task};
        if (const Region* branch = BranchFor(v, task)) {
          captured_[branch].push_back({v, edge});
        } else {
          edges_[v].push_back(edge);
        }
      }
    }
    // A node that waits for another without reading it waits for all of it.
    std::set<std::pair<int, int>> waits;
    for (const Node* user : node->users()) {
      bool control = false;
      for (const Node* c : user->controls()) control = control || c == node;
      if (!control) continue;
      for (int to : TasksOf(*user)) {
        for (int from : TasksOf(*node)) {
          if (from == to) continue;
          if (FunctionAround(*user)) return CrossControl(*node, *user);
          waits.emplace(from, to);
        }
      }
    }
    for (auto [from, to] : waits) {
      tokens_[node].push_back({next_edge_++, from, to});
    }
    for (const auto& inner : node->regions()) {
      SL_RETURN_IF_ERROR(NumberEdges(*inner));
    }
  }
  return OkStatus();
}

// A function has no fixed place where a token could be received.
Status TaskNeeds::CrossControl(const Node& before, const Node& after) const {
  return InvalidArgument(StrCat("[SplitByTask] \"", after.name(),
                                "\" inside of the function \"",
                                FunctionAround(after)->name(),
                                "\" waits for \"", before.name(),
                                "\" of another task; wanted both in one"))
      .WithLine(NodeLine(after))
      .WithLine(NodeLine(before));
}

Status TaskNeeds::CheckResource(const Value& v, int to) const {
  if (v.dtype() != DType::kResource) return OkStatus();
  const Node& user = *needs_.at(v).at(to).why;
  return InvalidArgument(
             StrCat("[SplitByTask] the resource \"", v.ToString(), "\" is in ",
                    names_[static_cast<size_t>(SenderOf(v))], " and \"",
                    user.name(), "\" in ", names_[static_cast<size_t>(to)],
                    " uses it; wanted a resource and its users in one task"))
      .WithLine(NodeLine(*v.node))
      .WithLine(NodeLine(user));
}

// A value of primitives may be dead, and no message can express that: all nodes
// that depend on one stay in its task.
Status TaskNeeds::CheckPrimitives(const Region& region) const {
  std::unordered_set<const Node*> touched;
  std::vector<const Node*> work;
  for (const Node* node : region.nodes()) {
    if (IsPrimitive(*node) && touched.insert(node).second) {
      work.push_back(node);
    }
    if (node->op().flow == Flow::kFunction) continue;
    for (const auto& inner : node->regions()) {
      SL_RETURN_IF_ERROR(CheckPrimitives(*inner));
    }
  }
  const Node* first = work.empty() ? nullptr : work[0];
  while (!work.empty()) {
    const Node* node = work.back();
    work.pop_back();
    for (const Node* user : node->users()) {
      while (user && user->region() != &region) user = user->region()->owner();
      if (user && touched.insert(user).second) work.push_back(user);
    }
  }
  if (!first) return OkStatus();
  TaskSet tasks = TasksOf(*first);
  for (const Node* node : region.nodes()) {
    if (!touched.count(node)) continue;
    for (int task : TasksOf(*node)) {
      if (tasks.count(task)) continue;
      return InvalidArgument(
                 StrCat("[SplitByTask] ", node->op().name, " \"", node->name(),
                        "\" in ", names_[static_cast<size_t>(task)],
                        " is part of raw control flow or depends on it, as ",
                        first->op().name, " \"", first->name(), "\" in ",
                        names_[static_cast<size_t>(*tasks.begin())],
                        "; wanted primitives that are no regular conditional "
                        "or loop, and what depends on them, in one task"))
          .WithLine(NodeLine(*node))
          .WithLine(NodeLine(*first));
    }
  }
  return OkStatus();
}

}  // namespace sluice
