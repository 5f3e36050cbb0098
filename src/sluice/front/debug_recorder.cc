#include "sluice/front/debug_recorder.h"

#include "sluice/base/strings.h"

namespace sluice::front_internal {

DebugRecorder::DebugRecorder(const DebugOptions& options, DebugResult& result)
    : options_(options), result_(result) {
  for (const std::string& name : options.watches)
    result.watched.push_back({name, {}});
}

DebugEvent DebugRecorder::EventOf(const Node& node,
                                  const FlowPlace* place) const {
  DebugEvent event;
  event.node = node.name();
  event.op = node.op().name;
  event.line = node.line().known() ? node.line().ToString() : "";
  for (const FlowPlace* p : PlacesFrom(place)) {
    event.places.push_back(
        {p->node ? p->node->name() : p->frame, p->iteration, p->is_loop()});
  }
  return event;
}

Status DebugRecorder::Act(DebugAction action, const DebugEvent& event) {
  if (action == DebugAction::kGoOn) return OkStatus();
  stopped_ = true;
  result_.stopped = event;
  return Cancelled("stopped by the debugger");
}

Status DebugRecorder::Before(const Node& node, const FlowPlace* place,
                             std::span<const Array> inputs) {
  last_ = EventOf(node, place);
  last_.inputs.assign(inputs.begin(), inputs.end());
  for (const Breakpoint& b : options_.breakpoints) {
    bool hit = (b.node.empty() || b.node == last_.node) &&
               (b.op.empty() || b.op == last_.op) &&
               (b.line.empty() || b.line == last_.line) &&
               (!b.condition || b.condition(last_));
    if (!hit) continue;
    DebugEvent event = last_;
    SL_RETURN_IF_ERROR(
        Act(b.action ? b.action(event) : DebugAction::kStop, event));
  }
  return OkStatus();
}

Status DebugRecorder::After(const Node& node, const FlowPlace* place,
                            std::span<const Array> outputs) {
  DebugEvent event = EventOf(node, place);
  event.outputs.assign(outputs.begin(), outputs.end());
  Watch(node, event);
  if (options_.max_trace_lines > 0) Trace(event);
  if (options_.on_step) return Act(options_.on_step(event), event);
  return OkStatus();
}

void DebugRecorder::Watch(const Node& node, const DebugEvent& event) {
  if (result_.watched.empty()) return;
  for (size_t i = 0; i < event.outputs.size(); ++i) {
    auto keep = [&](const std::string& name) {
      for (DebugResult::Watched& w : result_.watched) {
        if (w.name != name || w.seen.size() >= options_.max_watched) continue;
        w.seen.push_back({event.places, event.outputs[i]});
      }
    };
    if (i == 0) keep(node.name());
    keep(StrCat(node.name(), ":", i));
  }
}

// Iterations are headings, nodes lie under them.
void DebugRecorder::Trace(const DebugEvent& event) {
  size_t same = 0;
  while (same < event.places.size() && same < traced_.size() &&
         event.places[same].name == traced_[same].name &&
         event.places[same].iteration == traced_[same].iteration) {
    ++same;
  }
  for (size_t d = same; d < event.places.size(); ++d) {
    const DebugPlace& p = event.places[d];
    TraceLine(d, p.loop ? StrCat("iteration ", p.iteration, " of ", p.name)
                        : StrCat("call ", p.name));
  }
  traced_ = event.places;
  std::string text = StrCat(event.node, " = ", event.op);
  for (size_t i = 0; i < event.outputs.size(); ++i) {
    const Array& value = event.outputs[i];
    StrAppend(text, i ? ", " : " -> ",
              !value                              ? std::string("dead")
              : value.dtype() == DType::kResource ? std::string("a handle")
                                                  : value.ToString(8));
  }
  TraceLine(event.places.size(), text);
}

void DebugRecorder::TraceLine(size_t depth, const std::string& text) {
  if (++lines_ > options_.max_trace_lines) return;
  result_.trace.append(2 * depth, ' ');
  // One line each: values of several rows are put into one.
  bool space = false;
  for (char c : text) {
    if (c == '\n' || c == ' ') {
      if (!space) result_.trace += ' ';
      space = true;
      continue;
    }
    space = false;
    result_.trace += c;
  }
  result_.trace += '\n';
}

void DebugRecorder::Finish() {
  int64_t left = lines_ - options_.max_trace_lines;
  if (options_.max_trace_lines > 0 && left > 0) {
    StrAppend(result_.trace, "... and ", left, " lines more\n");
  }
}

}  // namespace sluice::front_internal
