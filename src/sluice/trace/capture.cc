#include "sluice/trace/capture.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/trace/traced_device.h"

namespace sluice {

Capture::Capture(std::shared_ptr<Graph> graph)
    : Recording(*graph), kept_graph_(std::move(graph)), outer_(Suspend()) {
  Resume(this);
}

Capture::~Capture() {
  Resume(outer_);
  for (size_t i = undo_.size(); i-- > 0;) undo_[i]();
  // Code that builds gradients later may refer to the graph's own values.
  for (auto& [value, made_as] : values_) {
    Value last = value->traced->value;
    Over(*value);
    value->traced->value = last;
    value->traced->graph = kept_graph_;
  }
}

// The recording is over; holders of the value may still ask for its type.
void Capture::Over(EagerValue& value) {
  TraceState& traced = *value.traced;
  traced.type = traced.value.type();
  traced.recording = nullptr;
  traced.value = {};
  // Two values that may alias each other would keep each other alive.
  traced.perhaps.clear();
  value.producer = {};
}

bool Capture::Mine(const EagerValue& value) const {
  const TraceState& traced = *value.traced;
  if (traced.recording) return traced.recording == this;
  return traced.value && traced.graph.lock().get() == &graph_;
}

void Capture::Know(const EagerRef& value, Value arg) {
  entries_.push_back({.value = value, .arg = arg, .inside = {}});
  auto [known, fresh] = inside_.try_emplace(value.get());
  if (!fresh) return;
  EagerRef made = Make(arg, value->line, {}, value->tracked());
  made->traced->entry = static_cast<int64_t>(entries_.size()) - 1;
  made->traced->serial = 0;
  entries_.back().inside = made;
  known->second = made;
}

void Capture::NoteElements(const EagerRef& value) {
  for (const ElementsRead& known : elements_read_) {
    if (known.value == value) return;
  }
  elements_read_.push_back({value, value->writes().count});
}

void Capture::Note(std::shared_ptr<const int> fact, std::string name) {
  for (const Fact& known : facts_) {
    if (known.now == fact) return;
  }
  int then = *fact;
  facts_.push_back({std::move(fact), then, std::move(name)});
}

}  // namespace sluice
