// TaskNeeds: determines which task needs which value of a graph, and which
// conditionals and loops each task takes part in. It is the first half of
// SplitByTask.
//
// A value is native to the task that produces it: for plain nodes their own
// task, for results of a conditional one task chosen for it, for carried values
// every task that carries them. All other tasks that need it receive it, in the
// region that produces it. If only one branch of a conditional reads it and
// both tasks take part in the conditional, they exchange it in that branch.
// Constants and root arguments are native to all tasks.
//
// Immutable after Find; any thread may read it. The graph must outlive it.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/partition/split_by_task.h"

namespace sluice {

using TaskSet = std::set<int>;

class TaskNeeds {
 public:
  static Result<std::unique_ptr<TaskNeeds>> Find(const Graph& graph,
                                                 const SplitOptions& options);

  // In order of job and task.
  const std::vector<std::string>& tasks() const { return names_; }

  // Whether it is a constant, which is copied to each task that needs it.
  static bool IsCopied(const Node& node);
  // Whether it is a conditional or a loop, which are cloned.
  static bool IsCloned(const Node& node);

  // The task of a node that is neither copied nor cloned.
  int task_of(const Node& node) const { return tasks_.at(&node); }
  // The tasks in which a node, or something inside it, runs.
  TaskSet TasksOf(const Node& node) const;
  bool Participates(const Node& op, int task) const;
  bool Carries(const Node& loop, int i, int task) const;
  bool Needs(const Value& v, int task) const;
  bool Native(const Value& v, int task) const;
  // The task that sends it to tasks where it is not native.
  int SenderOf(const Value& v) const;
  // The task from which result i of the root is fetched.
  int result_task(size_t i) const { return result_tasks_[i]; }

  // Messages from one task to another: values, and notices that a node is done.
  struct Edge {
    uint32_t id;
    int from, to;
  };
  std::vector<Edge> EdgesOf(const Value& v) const;
  // Outer values of a branch that are sent when the branch begins.
  struct Captured {
    Value value;
    Edge edge;
  };
  std::vector<Captured> CapturedBy(const Region& branch) const;
  std::vector<Edge> TokensOf(const Node& node) const;

 private:
  // The first reader of a value in a task, and the region around all its
  // readers.
  struct Needed {
    const Node* why;
    const Region* in;
  };
  struct Need {
    Value value;
    int task;
    const Node* why;
  };

  TaskNeeds(const Graph& graph, const SplitOptions& options)
      : graph_(graph), options_(options) {}
  Status Run();

  // ---- Tasks of nodes ----
  Result<std::string> NamedTask(const Node& node) const;
  Status NameTasks(const Region& region);
  Status NameTask(const Node& node);
  Status FindTasks(const Region& region);
  // The one task of all nodes inside; -1 if not found yet.
  Status FunctionTask(const Node& function, int* task);
  Status TaskInside(const Region& region, const Node& function, int* task,
                    const Node** first);
  int OwnTask(const Node& node) const;

  // ---- Needs ----
  void Visit(const Region& region);
  void Add(const Value& v, int task, const Node* why, const Region* in);
  void Follow(const Need& need);
  void FollowAll();
  void Participate(const Node& op, int task);
  void Carry(const Node& loop, int i, int task, const Node* why);
  // The task a value belongs to; -1: any.
  int Home(const Value& v);
  int FindHome(const Value& v);

  // ---- Messages ----
  Status NumberEdges(const Region& region);
  // The branch in which a value is sent; null: the region that produces it.
  const Region* BranchFor(const Value& v, int to) const;
  Status CheckResource(const Value& v, int to) const;
  Status CrossControl(const Node& before, const Node& after) const;
  Status CheckPrimitives(const Region& region) const;

  const Graph& graph_;
  const SplitOptions& options_;
  std::vector<std::string> names_;
  std::map<std::string, int> numbers_;
  std::unordered_map<const Node*, int> tasks_;
  std::unordered_map<const Node*, int> functions_;
  std::vector<const Node*> cloned_;  // in program order
  std::unordered_map<Value, std::map<int, Needed>, ValueHash> needs_;
  std::vector<Need> work_;
  std::unordered_map<const Node*, TaskSet> participants_;
  std::unordered_map<const Node*, std::map<int, TaskSet>> carried_;
  std::unordered_map<Value, int, ValueHash> homes_;
  std::vector<int> result_tasks_;
  uint32_t next_edge_ = 0;
  std::unordered_map<Value, std::vector<Edge>, ValueHash> edges_;
  std::unordered_map<const Region*, std::vector<Captured>> captured_;
  std::unordered_map<const Node*, std::vector<Edge>> tokens_;
};

}  // namespace sluice
