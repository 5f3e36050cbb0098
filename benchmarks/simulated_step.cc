#include "benchmarks/simulated_step.h"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>

#include "sluice/base/status.h"
#include "sluice/cluster/piece_edge.h"
#include "sluice/graph/traverse.h"

namespace sluice::bench {

namespace {

using cluster::EdgeOf;
using cluster::PieceEdge;

// Of what is outside of loops.
constexpr int64_t kOnce = -1;

// One region, once: a loop's for each iteration.
struct Visit {
  const Region* region = nullptr;
  int64_t round = kOnce;
  std::unordered_map<const Node*, int> missing;  // what a node waits for
  int64_t left = 0;                              // nodes that have not run
  double began = 0;
  double ended = 0;  // the last that has
};

class Simulation {
 public:
  Simulation(const std::vector<TaskPiece>& pieces, int64_t trips,
             const StepCosts& costs)
      : pieces_(pieces), trips_(trips), costs_(costs), tasks_(pieces.size()) {}

  SimulatedStep Run() {
    // The master calls the tasks one after the other, its own last.
    for (size_t p = 1; p < pieces_.size(); ++p) {
      Spend(0, costs_.send);
      Enter(p, pieces_[p].graph->root(), kOnce,
            tasks_[0].free + costs_.latency + costs_.receive);
    }
    Enter(0, pieces_[0].graph->root(), kOnce, tasks_[0].free);
    while (!ready_.empty()) {
      Ready next = ready_.top();
      ready_.pop();
      Start(next);
    }
    return Result();
  }

 private:
  struct Ready {
    double at;
    int64_t order;  // as they came, where times are equal
    size_t task;
    Visit* visit;
    const Node* node;
    bool operator<(const Ready& other) const {
      return std::pair(at, order) > std::pair(other.at, other.order);
    }
  };
  // A loop of one task.
  struct Loop {
    const Node* node = nullptr;
    Visit* outer = nullptr;
    int64_t parallel = 1;
    double began = 0;
    // When things are there; negative: not yet.
    struct Round {
      std::vector<double> variables;
      double predicate = -1, ended = -1;
    };
    std::map<int64_t, Round> rounds;
    Round& At(int64_t number) {
      Round& round = rounds[number];
      round.variables.resize(static_cast<size_t>(node->num_outputs()), -1);
      return round;
    }
  };
  struct Task {
    double free = 0, busy = 0, ended = 0, loop = 0;
    std::map<std::pair<const Region*, int64_t>, Visit> visits;
    std::unordered_map<const Node*, Loop> loops;
  };

  void Spend(size_t task, double seconds) {
    tasks_[task].free += seconds;
    tasks_[task].busy += seconds;
  }

  void Push(size_t task, Visit* visit, const Node* node, double at) {
    ready_.push({at, order_++, task, visit, node});
  }

  // ---- Regions ----

  static bool IsHere(const Value& v, const Region& region) {
    return !v.node->is_args() && v.node->region() == &region;
  }
  static bool IsArg(const Value& v, const Region& region) {
    return v.node->is_args() && v.node->region() == &region;
  }

  // When a variable of the loop around is there; negative: not yet.
  double ArgAt(size_t task, const Region& region, int64_t round, int index) {
    if (!region.owner()) return 0;
    Loop& loop = tasks_[task].loops.at(region.owner());
    return loop.At(round).variables[static_cast<size_t>(index)];
  }

  void Enter(size_t task, const Region& region, int64_t round, double at) {
    Visit& visit = tasks_[task].visits[{&region, round}];
    visit.region = &region;
    visit.round = round;
    visit.began = visit.ended = at;
    visit.left = static_cast<int64_t>(region.nodes().size());
    for (const Node* node : region.nodes()) {
      int missing = static_cast<int>(node->controls().size());
      for (const Value& in : InputsWithCaptures(*node)) {
        missing +=
            IsHere(in, region) ||
            (IsArg(in, region) && ArgAt(task, region, round, in.index) < 0);
      }
      if (Receives(*node)) ++missing;
      visit.missing[node] = missing;
    }
    for (const Node* node : region.nodes()) {
      std::optional<PieceEdge> edge = EdgeOf(*node);
      if (edge && !edge->sends) {
        Await(task, &visit, node, edge->number, at);
      } else if (visit.missing[node] == 0) {
        Push(task, &visit, node, at);
      }
    }
    if (visit.left == 0) Left(task, visit);
  }

  static bool Receives(const Node& node) {
    std::optional<PieceEdge> edge = EdgeOf(node);
    return edge && !edge->sends;
  }

  void Met(size_t task, Visit* visit, const Node* node, double at) {
    if (--visit->missing.at(node) == 0) Push(task, visit, node, at);
  }

  // ---- Messages ----

  using Message = std::pair<uint32_t, int64_t>;  // edge and round
  struct Waiting {
    size_t task;
    Visit* visit;
    const Node* node;
  };

  void Await(size_t task, Visit* visit, const Node* node, uint32_t edge,
             double at) {
    auto it = sent_.find({edge, visit->round});
    if (it == sent_.end()) {
      waiting_[{edge, visit->round}] = {task, visit, node};
      return;
    }
    Met(task, visit, node, std::max(at, it->second));
  }

  void Sent(uint32_t edge, int64_t round, double at) {
    ++messages_;
    sent_[{edge, round}] = at;
    auto it = waiting_.find({edge, round});
    if (it == waiting_.end()) return;
    Waiting waiting = it->second;
    waiting_.erase(it);
    Met(waiting.task, waiting.visit, waiting.node, at);
  }

  // ---- Nodes ----

  void Start(const Ready& r) {
    Task& task = tasks_[r.task];
    std::optional<PieceEdge> edge = EdgeOf(*r.node);
    if (r.node->op().flow == Flow::kLoop) return Begin(r);
    double cost = !edge         ? costs_.op
                  : edge->sends ? costs_.send
                                : costs_.receive;
    // What the plan has made of it before the step.
    if (r.node->op().role == Role::kConst) cost = 0;
    task.free = std::max(task.free, r.at);
    Spend(r.task, cost);
    if (edge && edge->sends) {
      Sent(edge->number, r.visit->round, task.free + costs_.latency);
    }
    Done(r.task, *r.visit, *r.node, task.free);
  }

  void Done(size_t task, Visit& visit, const Node& node, double at) {
    for (const Node* user : visit.region->nodes()) {
      int uses = 0;
      for (const Value& in : InputsWithCaptures(*user))
        uses += in.node == &node;
      for (const Node* before : user->controls()) uses += before == &node;
      for (int i = 0; i < uses; ++i) Met(task, &visit, user, at);
    }
    visit.ended = std::max(visit.ended, at);
    --visit.left;
    if (const Node* owner = visit.region->owner()) {
      Given(task, *owner, visit, node, at);
    }
    if (visit.left == 0) Left(task, visit);
  }

  // Everything in the region has run.
  void Left(size_t task, Visit& visit) {
    tasks_[task].ended = std::max(tasks_[task].ended, visit.ended);
    const Node* owner = visit.region->owner();
    if (!owner || visit.region != owner->regions()[1].get()) return;
    Loop& loop = tasks_[task].loops.at(owner);
    loop.At(visit.round).ended = visit.ended;
    Advance(task, loop, visit.round + loop.parallel);
  }

  // ---- Loops ----

  void Begin(const Ready& r) {
    Loop& loop = tasks_[r.task].loops[r.node];
    loop.node = r.node;
    loop.outer = r.visit;
    loop.began = r.at;
    const AttrValue* parallel = r.node->attrs().find("parallel");
    loop.parallel =
        parallel ? std::max<int64_t>(1, parallel->get<int64_t>()) : 32;
    for (double& v : loop.At(0).variables) v = r.at;
    Advance(r.task, loop, 0);
  }

  // Begins a round, when the one before is decided and an earlier one is over.
  void Advance(size_t task, Loop& loop, int64_t number) {
    const Region& cond = *loop.node->regions()[0];
    if (tasks_[task].visits.count({&cond, number})) return;
    double at = loop.began;
    if (number > 0) {
      const double before = loop.At(number - 1).predicate;
      if (before < 0) return;
      at = std::max(at, before);
    }
    if (number >= loop.parallel) {
      const double over = loop.At(number - loop.parallel).ended;
      if (over < 0) return;
      at = std::max(at, over);
    }
    Enter(task, cond, number, at);
    const Value& predicate = cond.results()[0];
    SL_CHECK(IsHere(predicate, cond));
  }

  // A node of a loop's region has run.
  void Given(size_t task, const Node& owner, const Visit& visit,
             const Node& node, double at) {
    Loop& loop = tasks_[task].loops.at(&owner);
    if (visit.region == owner.regions()[0].get()) {
      if (visit.region->results()[0].node == &node) {
        Decided(task, loop, visit.round, at);
      }
      return;
    }
    for (size_t i = 0; i < visit.region->results().size(); ++i) {
      if (visit.region->results()[i].node == &node) {
        Carried(task, loop, visit.round + 1, i, at);
      }
    }
  }

  void Decided(size_t task, Loop& loop, int64_t number, double at) {
    loop.At(number).predicate = at;
    if (number == trips_) return MaybeOver(task, loop);
    const Region& body = *loop.node->regions()[1];
    Enter(task, body, number, at);
    for (size_t i = 0; i < body.results().size(); ++i) {
      const Value& result = body.results()[i];
      if (IsHere(result, body)) continue;
      double there = at;
      if (IsArg(result, body)) {
        there = ArgAt(task, body, number, result.index);
        if (there < 0) continue;
      }
      Carried(task, loop, number + 1, i, std::max(at, there));
    }
    Advance(task, loop, number + 1);
  }

  // A variable has its value for a round.
  void Carried(size_t task, Loop& loop, int64_t number, size_t i, double at) {
    loop.At(number).variables[i] = at;
    if (number == trips_) MaybeOver(task, loop);
    for (const auto& region : loop.node->regions()) {
      auto it = tasks_[task].visits.find({region.get(), number});
      if (it == tasks_[task].visits.end()) continue;
      Visit& visit = it->second;
      for (const Node* user : region->nodes()) {
        for (const Value& in : InputsWithCaptures(*user)) {
          if (IsArg(in, *region) && static_cast<size_t>(in.index) == i) {
            Met(task, &visit, user, std::max(at, visit.began));
          }
        }
      }
    }
    // Passed on as it is.
    const Region& body = *loop.node->regions()[1];
    if (!tasks_[task].visits.count({&body, number})) return;
    for (size_t k = 0; k < body.results().size(); ++k) {
      const Value& result = body.results()[k];
      if (IsArg(result, body) && static_cast<size_t>(result.index) == i) {
        Carried(task, loop, number + 1, k, at);
      }
    }
  }

  void MaybeOver(size_t task, Loop& loop) {
    const Loop::Round& last = loop.At(trips_);
    double at = last.predicate;
    if (at < 0) return;
    for (double v : last.variables) {
      if (v < 0) return;
      at = std::max(at, v);
    }
    tasks_[task].loop = std::max(tasks_[task].loop, at - loop.began);
    Done(task, *loop.outer, *loop.node, at);
  }

  SimulatedStep Result() {
    SimulatedStep step;
    step.messages = messages_;
    double last = tasks_[0].ended;
    // Answers come to the master one by one.
    std::vector<double> answers;
    for (size_t p = 1; p < tasks_.size(); ++p) {
      answers.push_back(std::max(tasks_[p].ended, tasks_[p].free) +
                        costs_.send + costs_.latency);
    }
    std::sort(answers.begin(), answers.end());
    for (double at : answers) {
      last = std::max(last, at) + costs_.receive;
      tasks_[0].busy += costs_.receive;
    }
    step.seconds = last;
    for (const Task& task : tasks_) {
      step.loop = std::max(step.loop, task.loop);
      step.busy.push_back(task.busy);
    }
    return step;
  }

  const std::vector<TaskPiece>& pieces_;
  const int64_t trips_;
  const StepCosts costs_;
  std::vector<Task> tasks_;
  std::priority_queue<Ready> ready_;
  std::map<Message, double> sent_;
  std::map<Message, Waiting> waiting_;
  int64_t order_ = 0, messages_ = 0;
};

}  // namespace

SimulatedStep SimulateStep(const std::vector<TaskPiece>& pieces, int64_t trips,
                           const StepCosts& costs) {
  SL_CHECK(!pieces.empty());
  return Simulation(pieces, trips, costs).Run();
}

}  // namespace sluice::bench
