#include "sluice/trace/random_place.h"

#include <utility>

#include "sluice/trace/capture.h"
#include "sluice/trace/trace_call.h"

namespace sluice {

const EagerRef& RandomPlace() {
  static auto* place = new EagerRef(MakeRef<EagerValue>(PlaceArray({})));
  return *place;
}

Array PlaceArray(const RandomState& state) {
  return Array::Vector<int64_t>(
      {static_cast<int64_t>(state.seed), state.calls});
}

RandomState StateOf(const Array& place) {
  const int64_t* parts = place.data<int64_t>();
  return {static_cast<uint64_t>(parts[0]), parts[1]};
}

bool DrawsAtPlace(const Node& node) {
  const auto& declared = node.op().inputs;
  if (declared.empty() || !declared.back().list) return false;
  if (node.num_inputs() < static_cast<int>(declared.size())) return false;
  const PartialShape& tag = node.input(node.num_inputs() - 1).shape();
  return tag.rank_known() && tag.rank() == 1;
}

PlaceAhead AheadOf(const Value& place) {
  const Node& node = *place.node;
  if (node.is_args() || node.op().role != Role::kAdd) return {place, 0};
  const Node& by = *node.input(1).node;
  if (by.is_args() || by.op().role != Role::kConst) return {place, 0};
  return {node.input(0), by.attrs().get<Array>("value").data<int64_t>()[1]};
}

Value Capture::NextDraw(const SourceLine& line) {
  if (draws_apart > 0) return {};
  EagerRef place = StandIn(RandomPlace());
  Value now = Now(*place);
  // Computed from the known position, so that draws do not wait for each other.
  PlaceAhead ahead = AheadOf(now);
  Value step =
      TraceConstant(*this, Array::Vector<int64_t>({0, ahead.draws + 1}));
  MoveTo(*place, TraceNode(*this, "Add", {ahead.from, step}, {}), line);
  return now;
}

void Capture::SetPlace(const RandomState& state, const SourceLine& line) {
  MoveTo(*StandIn(RandomPlace()), TraceConstant(*this, PlaceArray(state)),
         line);
}

void Capture::MoveTo(EagerValue& place, Value now, const SourceLine& line) {
  NoteChange(place, /*written=*/true);
  WriteLog& log = place.writes();
  ++log.count;
  log.last = line;
  place.traced->value = now;
  known_[now] = {{}, false, EagerRef::Share(&place)};
  if (region_) region_->made_.emplace_back(EagerRef(), now);
}

}  // namespace sluice
