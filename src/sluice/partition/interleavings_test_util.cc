#include "sluice/partition/interleavings_test_util.h"

#include "sluice/base/strings.h"
#include "sluice/graph/flow_rules.h"
#include "sluice/op/run_op.h"
#include "sluice/op/step_context.h"

namespace sluice {

namespace {

bool IsSend(const Node& node) {
  return node.attrs().find("edge") && node.num_outputs() == 0;
}
bool IsRecv(const Node& node) {
  return node.attrs().find("edge") && node.num_inputs() == 0;
}
bool IsLoop(const Node& node) { return node.op().flow == Flow::kLoop; }
bool IsBranch(const Node& node) { return node.op().flow == Flow::kBranch; }

}  // namespace

Interleavings::Interleavings(const std::vector<TaskPiece>& pieces,
                             const std::vector<Array>& args)
    : args_(args) {
  for (const TaskPiece& piece : pieces) {
    pieces_.push_back(&piece);
    roots_.push_back(static_cast<int>(places_.size()));
    places_.push_back(
        {static_cast<int>(pieces_.size()) - 1, &piece.graph->root(), -1, 0, 0});
  }
}

size_t Interleavings::StateHash::operator()(const State& state) const {
  uint64_t h = 0;
  for (uint64_t w : state) h = (h ^ w) * 0x9e3779b97f4a7c15u + (h >> 31);
  return h;
}

bool Interleavings::Has(const State& state, int event) {
  auto word = static_cast<size_t>(event) / 64;
  return word < state.size() && (state[word] >> (event % 64) & 1);
}

int Interleavings::IdOf(const Event& event) {
  auto [it, fresh] =
      event_ids_.emplace(event, static_cast<int>(events_.size()));
  if (fresh) {
    events_.push_back(event);
    given_.emplace_back();
    known_.push_back(false);
  }
  return it->second;
}

int Interleavings::PlaceOf(int outer, const Region& region, int64_t iteration,
                           uint64_t tag) {
  auto [it, fresh] = place_ids_.emplace(std::tuple(outer, &region, iteration),
                                        static_cast<int>(places_.size()));
  if (fresh) {
    int piece = places_[static_cast<size_t>(outer)].piece;
    places_.push_back({piece, &region, outer, iteration, tag});
  }
  return it->second;
}

Array Interleavings::Lookup(const State& state, int place, const Value& v) {
  while (places_[static_cast<size_t>(place)].region != v.node->region()) {
    place = places_[static_cast<size_t>(place)].outer;
  }
  const Place at = places_[static_cast<size_t>(place)];
  auto index = static_cast<size_t>(v.index);
  if (v.node->is_args()) {
    Node* loop = at.region->owner();
    if (!loop) {
      int arg = pieces_[static_cast<size_t>(at.piece)]->args[index];
      return args_[static_cast<size_t>(arg)];
    }
    if (at.iteration == 0) return Lookup(state, at.outer, loop->input(v.index));
    const Region& body = *loop->regions()[1];
    int last = PlaceOf(at.outer, body, at.iteration - 1, 0);
    return Lookup(state, last, body.results()[index]);
  }
  if (const Array* constant = ConstantValue(v)) return *constant;
  Kind kind = IsLoop(*v.node) || IsBranch(*v.node) ? Kind::kLeave : Kind::kFire;
  int event = IdOf({place, v.node, kind, 0});
  if (!Has(state, event)) return Array();
  return given_[static_cast<size_t>(event)][index];
}

bool Interleavings::Done(const State& state, int place, Node& node) {
  while (places_[static_cast<size_t>(place)].region != node.region()) {
    place = places_[static_cast<size_t>(place)].outer;
  }
  bool inside = IsLoop(node) || IsBranch(node);
  int event = IdOf({place, &node, inside ? Kind::kLeave : Kind::kFire, 0});
  if (!Has(state, event)) return false;
  if (!IsSend(node)) return true;
  uint64_t tag = places_[static_cast<size_t>(place)].tag;
  auto it = taken_.find({node.attrs().get<int64_t>("edge"), tag});
  return it != taken_.end() && Has(state, it->second);
}

bool Interleavings::AllDone(const State& state, int place) {
  for (Node* node : places_[static_cast<size_t>(place)].region->nodes()) {
    if (!Done(state, place, *node)) return false;
  }
  return true;
}

bool Interleavings::Ready(const State& state, int place, Node& node) {
  for (const Value& v : node.inputs()) {
    if (!Lookup(state, place, v)) return false;
  }
  for (Node* c : node.controls()) {
    if (!Done(state, place, *c)) return false;
  }
  const Place at = places_[static_cast<size_t>(place)];
  if (!effects_.count(at.region)) {
    effects_[at.region] = EffectEdges(*at.region);
  }
  for (const EffectEdge& e : effects_[at.region]) {
    if (e.after == &node && !Done(state, place, *e.before)) return false;
  }
  if (!IsRecv(node)) return true;
  auto it = sent_.find({node.attrs().get<int64_t>("edge"), at.tag});
  return it != sent_.end() && Has(state, it->second);
}

void Interleavings::EnabledInside(const State& state, int place, Node& node,
                                  std::vector<int>& out) {
  uint64_t tag = places_[static_cast<size_t>(place)].tag;
  if (IsBranch(node)) {
    Result<size_t> chosen =
        ChosenRegion(node, Lookup(state, place, node.input(0)));
    SL_CHECK(chosen.ok());
    int inner = PlaceOf(place, *node.regions()[*chosen], 0, tag);
    if (AllDone(state, inner)) {
      out.push_back(IdOf({place, &node, Kind::kLeave, 0}));
    } else {
      Enabled(state, inner, out);
    }
    return;
  }
  for (int64_t k = 0;; ++k) {
    uint64_t at = IterationTag(tag, node.key(), static_cast<uint64_t>(k));
    int cond = PlaceOf(place, *node.regions()[0], k, at);
    int decided = IdOf({place, &node, Kind::kCond, k});
    if (!Has(state, decided)) {
      if (AllDone(state, cond)) {
        out.push_back(decided);
      } else {
        Enabled(state, cond, out);
      }
      return;
    }
    const Array& go = given_[static_cast<size_t>(decided)][0];
    if (!*go.data<bool>()) {
      out.push_back(IdOf({place, &node, Kind::kLeave, 0}));
      return;
    }
    int body = PlaceOf(place, *node.regions()[1], k, at);
    int ended = IdOf({place, &node, Kind::kBody, k});
    if (Has(state, ended)) continue;
    if (AllDone(state, body)) {
      out.push_back(ended);
    } else {
      Enabled(state, body, out);
    }
    return;
  }
}

void Interleavings::Enabled(const State& state, int place,
                            std::vector<int>& out) {
  for (Node* node : places_[static_cast<size_t>(place)].region->nodes()) {
    bool inside = IsLoop(*node) || IsBranch(*node);
    if (inside && Has(state, IdOf({place, node, Kind::kEnter, 0}))) {
      if (!Has(state, IdOf({place, node, Kind::kLeave, 0}))) {
        EnabledInside(state, place, *node, out);
      }
      continue;
    }
    int event = IdOf({place, node, inside ? Kind::kEnter : Kind::kFire, 0});
    if (!Has(state, event) && Ready(state, place, *node)) out.push_back(event);
  }
}

Result<std::vector<Array>> Interleavings::Give(const State& state,
                                               const Event& event) {
  Node& node = *event.node;
  const Place at = places_[static_cast<size_t>(event.place)];
  std::vector<Array> out;
  if (event.kind == Kind::kCond) {
    int cond = PlaceOf(event.place, *node.regions()[0], event.iteration, 0);
    out.push_back(Lookup(state, cond, node.regions()[0]->results()[0]));
    return out;
  }
  if (event.kind == Kind::kEnter || event.kind == Kind::kBody) return out;
  if (event.kind == Kind::kLeave) {
    int from = -1;
    const Region* region = nullptr;
    if (IsBranch(node)) {
      SL_ASSIGN_OR_RETURN(
          size_t chosen,
          ChosenRegion(node, Lookup(state, event.place, node.input(0))));
      region = node.regions()[chosen].get();
      from = PlaceOf(event.place, *region, 0, at.tag);
      for (const Value& v : region->results()) {
        out.push_back(Lookup(state, from, v));
      }
      return out;
    }
    int64_t k = 0;
    while (Has(state, IdOf({event.place, &node, Kind::kBody, k}))) ++k;
    from = PlaceOf(event.place, *node.regions()[0], k, 0);
    for (int i = 0; i < node.num_outputs(); ++i) {
      out.push_back(Lookup(state, from, node.regions()[0]->arg(i)));
    }
    return out;
  }
  const AttrValue* edge = node.attrs().find("edge");
  if (IsRecv(node)) {
    int sent = sent_.at({edge->get<int64_t>(), at.tag});
    const Event& send = events_[static_cast<size_t>(sent)];
    out.push_back(Lookup(state, send.place, send.node->input(0)));
    return out;
  }
  if (IsSend(node)) return out;
  std::vector<Array> inputs;
  for (const Value& v : node.inputs()) {
    inputs.push_back(Lookup(state, event.place, v));
  }
  StepContext step;
  step.step_id = 1;
  step.tag = at.tag;
  NodeInfo info{node.name(), node.line(), node.key()};
  return RunOp(node.op(), node.attrs(), inputs, &step, &info);
}

Status Interleavings::TryAll(size_t most_states) {
  std::vector<State> open = {State()};
  seen_.insert(State());
  while (!open.empty()) {
    State state = std::move(open.back());
    open.pop_back();
    std::vector<int> enabled;
    for (int root : roots_) Enabled(state, root, enabled);
    if (enabled.empty()) {
      for (int root : roots_) {
        if (!AllDone(state, root)) {
          return Internal(
              StrCat("nothing can go on in ",
                     pieces_[static_cast<size_t>(
                                 places_[static_cast<size_t>(root)].piece)]
                         ->task));
        }
        const TaskPiece& piece = *pieces_[static_cast<size_t>(
            places_[static_cast<size_t>(root)].piece)];
        for (size_t i = 0; i < piece.results.size(); ++i) {
          results_[piece.results[i]] =
              Lookup(state, root, piece.graph->root().results()[i]);
        }
      }
    }
    for (int id : enabled) {
      const Event event = events_[static_cast<size_t>(id)];
      SL_ASSIGN_OR_RETURN(std::vector<Array> given, Give(state, event));
      auto at = static_cast<size_t>(id);
      for (size_t i = 0; known_[at] && i < given.size(); ++i) {
        if (!given[i].BitEquals(given_[at][i])) {
          return Internal(
              StrCat("\"", event.node->name(), "\" depends on the order"));
        }
      }
      if (const AttrValue* edge = event.node->attrs().find("edge")) {
        uint64_t tag = places_[static_cast<size_t>(event.place)].tag;
        auto& by_key = IsSend(*event.node) ? sent_ : taken_;
        by_key[{edge->get<int64_t>(), tag}] = id;
      }
      if (!known_[at]) given_[at] = std::move(given);
      known_[at] = true;
      State next = state;
      auto word = static_cast<size_t>(id) / 64;
      if (next.size() <= word) next.resize(word + 1, 0);
      next[word] |= uint64_t{1} << (id % 64);
      if (!seen_.insert(next).second) continue;
      if (seen_.size() > most_states) return Internal("too many states");
      open.push_back(std::move(next));
    }
  }
  return OkStatus();
}

}  // namespace sluice
