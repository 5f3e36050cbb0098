// The state of an optimizer, saved and taken back.
#include <algorithm>
#include <unordered_set>

#include "sluice/eager/constants.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/ops.h"
#include "sluice/optim/optimizer.h"
#include "sluice/optim/refuse.h"
#include "sluice/trace/capture.h"

namespace sluice::optim {

namespace {

std::string GroupKey(size_t group, std::string_view what) {
  return StrCat("groups.", group, ".", what);
}

// What does not fit, collected so that one message names all of it.
struct Problems {
  std::vector<std::string> lines;
  std::unordered_set<std::string> used;

  // The tensor of that key if it fits; else one that holds nothing.
  Tensor Take(const StateDict& state, const std::string& key,
              const Variable& like) {
    const Tensor* found = state.find(key);
    if (!found) {
      lines.push_back(StrCat("missing: ", key));
      return {};
    }
    used.insert(key);
    std::string got = TypeText(found->dtype(), found->shape());
    std::string wanted = TypeText(like.dtype(), like.shape());
    if (got == wanted && !found->symbolic()) return *found;
    lines.push_back(StrCat(key, " is ",
                           found->symbolic() ? "part of a graph, " : "", got,
                           "; wanted ", wanted));
    return {};
  }
};

}  // namespace

StateDict Optimizer::state_dict() const {
  StateDict state;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    if (!group.lr.defined()) continue;
    state.set(GroupKey(i, "lr"), group.lr.value());
    state.set(GroupKey(i, "step"), group.step.value());
    for (const ParamState& p : group.params) {
      for (const auto& [slot, variable] : *p.slots) {
        state.set(StrCat(p.name, ".", slot), variable.value());
      }
    }
  }
  return state;
}

// A dry run: the update is recorded in a graph that is thrown away, so that
// nothing but the slots comes of it.
ParamState Optimizer::Fresh(const ParamState& state, size_t group) {
  ParamState fresh{state.name, state.variable};
  auto scratch = std::make_shared<Graph>();
  GraphScope building(*scratch);
  Capture capture(scratch);
  NoGrad off;
  const Group& own = groups_[group];
  GroupStep step(group, own.lr.read(), cast(own.step.read(), DType::kF64));
  Begin(step);
  std::vector<Operation> changes;
  UpdateOne(fresh, step,
            placeholder(state.variable.dtype(), state.variable.shape()),
            changes);
  capture.Keep();
  return fresh;
}

void Optimizer::load_state_dict(const StateDict& state, Where where) {
  if (symbolic() || NumParameters() == 0) {
    Refuse(StrCat(name_,
                  ": load_state_dict of an optimizer in a graph; its state is "
                  "in the sessions that run the graph"),
           &where);
  }
  struct Load {
    Variable to;
    Tensor from;
  };
  struct Adopt {
    ParamState* state;
    std::string slot;
    Variable variable;
  };
  std::vector<Load> loads;
  std::vector<Adopt> adopts;
  Problems problems;
  for (size_t i = 0; i < groups_.size(); ++i) {
    Group& group = groups_[i];
    loads.push_back(
        {group.lr, problems.Take(state, GroupKey(i, "lr"), group.lr)});
    loads.push_back(
        {group.step, problems.Take(state, GroupKey(i, "step"), group.step)});
    for (ParamState& p : group.params) {
      ParamState fresh = Fresh(p, i);
      bool given = false;
      for (const auto& [slot, variable] : *fresh.slots) {
        given = given || state.contains(StrCat(p.name, ".", slot));
      }
      if (!given && p.slots->empty()) continue;
      for (const auto& [slot, variable] : *fresh.slots) {
        Tensor from =
            given ? problems.Take(state, StrCat(p.name, ".", slot), variable)
                  : variable.tensor();
        auto own = std::find_if(
            p.slots->begin(), p.slots->end(),
            [&, &name = slot](const auto& s) { return s.first == name; });
        // Recorded plans know the tensors in use: those are written into.
        bool known = own != p.slots->end();
        loads.push_back({known ? own->second : variable, from});
        if (!known) adopts.push_back({&p, slot, variable});
      }
    }
  }
  for (const auto& [key, tensor] : state) {
    if (!problems.used.contains(key)) {
      problems.lines.push_back(StrCat("left over: ", key));
    }
  }
  if (!problems.lines.empty()) {
    Refuse(StrCat(name_, ": the state does not fit:\n  ",
                  Join(problems.lines, "\n  ")),
           &where);
  }
  for (const Load& load : loads) load.to.assign(load.from);
  for (Adopt& adopt : adopts) {
    adopt.state->slots->emplace_back(adopt.slot, adopt.variable);
  }
}

}  // namespace sluice::optim
