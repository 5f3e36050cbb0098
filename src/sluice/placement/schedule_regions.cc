// What regions come to in a schedule: branches, loops, functions and calls.
#include "sluice/placement/schedule_builder.h"

namespace sluice {

namespace {

// Nobody knows how long a loop runs; often enough that what is inside matters
// more than what is outside.
constexpr double kAssumedTrips = 16;

}  // namespace

int ScheduleBuilder::AddDecision(const Value& v, double weight, int gate) {
  int task = BeginTask(-1, false);
  After(gate);
  double whole = weight_[Id(v)];
  weight_[Id(v)] = std::min(whole, weight);
  Reads(v);
  weight_[Id(v)] = whole;
  EndTask();
  return task;
}

void ScheduleBuilder::AddBranch(Node& node, double weight, int gate) {
  int chosen = AddDecision(node.input(0), weight, gate);
  double share = weight / static_cast<double>(node.regions().size());
  for (const auto& region : node.regions()) {
    AddRegion(*region, share, chosen);
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    int task = BeginTask(HomeUnit(node.output(i)), false);
    After(chosen);
    for (const auto& region : node.regions()) {
      if (static_cast<size_t>(i) < region->results().size()) {
        Reads(region->results()[static_cast<size_t>(i)]);
      }
    }
    EndTask();
    Made(node.output(i), task, weight);
  }
}

void ScheduleBuilder::AddLoop(Node& node, double weight, int gate) {
  if (node.regions().size() != 2) return;
  const Region &cond = *node.regions()[0], &body = *node.regions()[1];
  if (!open_.empty()) out_.loops_[open_.back()].innermost = false;
  open_.push_back(out_.loops_.size());
  out_.loops_.emplace_back();
  // All that comes in; then one iteration.
  int begin = BeginTask(-1, false);
  out_.tasks_.back().begins = static_cast<int>(open_.back());
  After(gate);
  for (const Value& v : node.inputs()) Awaits(v);
  EndTask();
  for (int i = 0; i < body.num_args() && i < node.num_inputs(); ++i) {
    int task = BeginTask(HomeUnit(body.arg(i)), false);
    out_.tasks_.back().slot = i % Schedule::kMostSlots;
    out_.slots_ = std::max(out_.slots_, out_.tasks_.back().slot + 1);
    After(begin);
    Reads(node.input(i));
    EndTask();
    Made(body.arg(i), task, weight);
  }
  AddRegion(cond, weight, begin);
  int go = begin;
  for (const Value& v : cond.results()) go = AddDecision(v, weight, begin);
  AddRegion(body, weight, go);
  int end = BeginTask(-1, false);
  out_.tasks_.back().ends = static_cast<int>(open_.back());
  After(go);
  for (const Value& v : body.results()) Awaits(v);
  for (const Node* target : body.targets()) {
    if (target->num_outputs() > 0) Awaits({const_cast<Node*>(target), 0});
  }
  EndTask();
  Schedule::Loop& loop = out_.loops_[open_.back()];
  open_.pop_back();
  loop.begin = begin;
  loop.end = end;
  loop.trips = kAssumedTrips;
  const AttrValue* parallel = node.attrs().find("parallel");
  if (parallel) loop.parallel = static_cast<double>(parallel->get<int64_t>());
  for (size_t i = 0; i < body.results().size(); ++i) {
    const Value& v = body.results()[i];
    if (v == body.arg(static_cast<int>(i))) continue;
    loop.carried.emplace_back(static_cast<int>(i) % Schedule::kMostSlots,
                              made_by_[Id(v)]);
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    int task = BeginTask(HomeUnit(node.output(i)), false);
    After(end);
    if (static_cast<size_t>(i) < body.results().size()) {
      Reads(body.results()[static_cast<size_t>(i)]);
    }
    EndTask();
    Made(node.output(i), task, weight);
  }
}

void ScheduleBuilder::AddFunction(Node& node, double weight, int gate) {
  if (node.regions().empty()) return;
  const Region& body = *node.regions()[0];
  double inside =
      weight * static_cast<double>(std::max<size_t>(1, node.users().size()));
  for (int i = 0; i < body.num_args(); ++i) {
    Made(body.arg(i), gate, inside);
  }
  AddRegion(body, inside, gate);
  for (const Value& v : body.results()) AddDecision(v, inside, gate);
}

void ScheduleBuilder::AddCall(Node& node, double weight, int gate) {
  const Node* function = ValueFlow::FunctionOf(node);
  int task = BeginTask(-1, false);
  After(gate);
  for (int i = 1; i < node.num_inputs(); ++i) Reads(node.input(i));
  if (function) {
    for (const Value& v : function->regions()[0]->results()) Awaits(v);
  }
  EndTask();
  for (int i = 0; i < node.num_outputs(); ++i) {
    Made(node.output(i), task, weight);
  }
}

}  // namespace sluice
