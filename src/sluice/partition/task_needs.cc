#include "sluice/partition/task_needs.h"

#include "sluice/base/strings.h"
#include "sluice/device/device_name.h"
#include "sluice/graph/traverse.h"

namespace sluice {

namespace {
// Being determined: values that depend on it must ignore it.
constexpr int kSearching = -2;

int DepthOf(const Region* region) {
  int depth = 0;
  for (; region->owner(); region = region->owner()->region()) ++depth;
  return depth;
}

// The innermost region that contains both.
const Region* Around(const Region* a, const Region* b) {
  int x = DepthOf(a), y = DepthOf(b);
  while (a != b) {
    if (x >= y) {
      a = a->owner()->region();
      --x;
    } else {
      b = b->owner()->region();
      --y;
    }
  }
  return a;
}
}  // namespace

bool TaskNeeds::IsCopied(const Node& node) {
  return node.controls().empty() && node.num_outputs() == 1 &&
         ConstantValue({const_cast<Node*>(&node), 0});
}

bool TaskNeeds::IsCloned(const Node& node) {
  return node.op().flow == Flow::kBranch || node.op().flow == Flow::kLoop;
}

Result<std::unique_ptr<TaskNeeds>> TaskNeeds::Find(
    const Graph& graph, const SplitOptions& options) {
  std::unique_ptr<TaskNeeds> needs(new TaskNeeds(graph, options));
  SL_RETURN_IF_ERROR(needs->Run());
  return needs;
}

Status TaskNeeds::Run() {
  const Region& root = graph_.root();
  SL_RETURN_IF_ERROR(NameTasks(root));
  if (names_.empty() && !options_.default_task.empty()) {
    names_.push_back(options_.default_task);
    numbers_[names_[0]] = 0;
  }
  if (names_.empty()) {
    if (root.results().empty()) return OkStatus();
    return InvalidArgument(
        "[SplitByTask] no node has a task; wanted one for what is fetched");
  }
  SL_RETURN_IF_ERROR(FindTasks(root));
  Visit(root);
  FollowAll();
  for (const Value& v : root.results()) {
    int task = Home(v);
    if (task < 0) task = v.node->is_args() ? 0 : OwnTask(*v.node);
    result_tasks_.push_back(task);
    Add(v, task, v.node, &root);
  }
  FollowAll();
  // Empty conditionals and loops still evaluate their predicates: an index may
  // be out of range.
  for (const Node* op : cloned_) {
    if (participants_[op].empty()) Participate(*op, OwnTask(*op));
    FollowAll();
  }
  SL_RETURN_IF_ERROR(CheckPrimitives(root));
  return NumberEdges(root);
}

// ---- Needs ----

void TaskNeeds::Visit(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (node->op().flow == Flow::kFunction) continue;
    if (IsCloned(*node)) {
      cloned_.push_back(node);
      for (const auto& inner : node->regions()) Visit(*inner);
      continue;
    }
    if (IsCopied(*node)) continue;
    int task = task_of(*node);
    if (const Node* owner = region.owner()) Participate(*owner, task);
    for (const Value& v : node->inputs()) Add(v, task, node, &region);
  }
  for (const Node* target : region.targets()) {
    if (IsCopied(*target)) {
      Add({const_cast<Node*>(target), 0}, OwnTask(*target), target, &region);
    }
  }
}

void TaskNeeds::Add(const Value& v, int task, const Node* why,
                    const Region* in) {
  auto [it, first] = needs_[v].emplace(task, Needed{why, in});
  if (!first) {
    it->second.in = Around(it->second.in, in);
    return;
  }
  work_.push_back({v, task, why});
}

void TaskNeeds::FollowAll() {
  while (!work_.empty()) {
    Need need = work_.back();
    work_.pop_back();
    Follow(need);
  }
}

// Adds the needs of a task that needs a value there.
void TaskNeeds::Follow(const Need& need) {
  const auto& [v, task, why] = need;
  const Node& node = *v.node;
  auto index = static_cast<size_t>(v.index);
  if (node.is_args()) {
    const Node* owner = node.region()->owner();
    if (owner) Carry(*owner, v.index, task, why);
  } else if (node.op().flow == Flow::kFunction) {
    for (const Value& captured : InputsWithCaptures(node)) {
      if (captured.node != &node) Add(captured, task, why, node.region());
    }
  } else if (IsCloned(node)) {
    int home = Home(v);
    if (task != home) return Add(v, home, why, node.region());
    if (node.op().flow == Flow::kLoop) return Carry(node, v.index, home, why);
    Participate(node, home);
    for (const auto& region : node.regions()) {
      Add(region->results()[index], home, &node, region.get());
    }
  }
}

void TaskNeeds::Participate(const Node& op, int task) {
  if (!participants_[&op].insert(task).second) return;
  if (const Node* around = op.region()->owner()) Participate(*around, task);
  if (op.op().flow == Flow::kLoop) {
    const Region& condition = *op.regions()[0];
    Add(condition.results()[0], task, &op, &condition);
  } else {
    Add(op.input(0), task, &op, op.region());
  }
}

void TaskNeeds::Carry(const Node& loop, int i, int task, const Node* why) {
  if (!carried_[&loop][i].insert(task).second) return;
  Participate(loop, task);
  const Region& body = *loop.regions()[1];
  Add(loop.input(i), task, why, loop.region());
  Add(body.results()[static_cast<size_t>(i)], task, why, &body);
}

// Carried values belong to the task that computes them in the body, results of
// a conditional to that of the first branch that computes one.
int TaskNeeds::Home(const Value& v) {
  if (v.node->is_args()) {
    Node* owner = v.node->region()->owner();
    return owner ? Home(owner->output(v.index)) : -1;
  }
  auto [it, fresh] = homes_.emplace(v, kSearching);
  if (!fresh) return it->second == kSearching ? -1 : it->second;
  int home = FindHome(v);
  homes_[v] = home;
  return home;
}

int TaskNeeds::FindHome(const Value& v) {
  const Node& node = *v.node;
  auto index = static_cast<size_t>(v.index);
  if (IsCopied(node)) return -1;
  if (!IsCloned(node)) {
    return node.op().flow == Flow::kFunction ? functions_.at(&node)
                                             : task_of(node);
  }
  int home = -1;
  if (node.op().flow == Flow::kLoop) {
    home = Home(node.regions()[1]->results()[index]);
    if (home < 0) home = Home(node.input(v.index));
  } else {
    for (const auto& region : node.regions()) {
      if (home < 0) home = Home(region->results()[index]);
    }
  }
  return home < 0 ? OwnTask(node) : home;
}

// ---- Questions ----

TaskSet TaskNeeds::TasksOf(const Node& node) const {
  if (IsCloned(node)) {
    auto it = participants_.find(&node);
    return it == participants_.end() ? TaskSet() : it->second;
  }
  if (IsCopied(node) || node.op().flow == Flow::kFunction) return {};
  return {task_of(node)};
}

bool TaskNeeds::Participates(const Node& op, int task) const {
  auto it = participants_.find(&op);
  return it != participants_.end() && it->second.count(task);
}

bool TaskNeeds::Carries(const Node& loop, int i, int task) const {
  auto it = carried_.find(&loop);
  if (it == carried_.end()) return false;
  auto tasks = it->second.find(i);
  return tasks != it->second.end() && tasks->second.count(task);
}

bool TaskNeeds::Needs(const Value& v, int task) const {
  auto it = needs_.find(v);
  return it != needs_.end() && it->second.count(task);
}

bool TaskNeeds::Native(const Value& v, int task) const {
  const Node& node = *v.node;
  if (node.is_args() || IsCopied(node)) return true;
  if (node.op().flow == Flow::kLoop) return Carries(node, v.index, task);
  return SenderOf(v) == task;
}

int TaskNeeds::SenderOf(const Value& v) const {
  if (IsCloned(*v.node)) {
    auto it = homes_.find(v);
    return it == homes_.end() ? -1 : it->second;
  }
  if (v.node->op().flow == Flow::kFunction) return functions_.at(v.node);
  return task_of(*v.node);
}

}  // namespace sluice
