#include "sluice/front/region_draft.h"

#include <algorithm>
#include <set>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/call.h"
#include "sluice/front/capture.h"
#include "sluice/front/made_once.h"
#include "sluice/front/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::front_internal {

void Refuse(std::string_view what, std::string_view message,
            std::source_location where) {
  throw Error(InvalidArgument(StrCat("[", what, "] ", message))
                  .WithLine(StrCat("at ", SourceLine::From(where))));
}

RegionDraft::RegionDraft(std::string_view op, std::span<const Operand> inputs,
                         const Attrs& attrs, std::string_view name,
                         std::source_location where)
    : operation_(AddNode({.op = op,
                          .inputs = inputs,
                          .attrs = &attrs,
                          .hint = name,
                          .line = SourceLine::From(where)})),
      variables_made_(
          MadeOnce::Run::Current() ? MadeOnce::Run::Current()->Mark() : 0) {}

RegionDraft::~RegionDraft() {
  if (keep_) return;
  if (MadeOnce::Run* run = MadeOnce::Run::Current()) {
    run->Rewind(variables_made_);
  }
  MutexLock lock(graph().mu());
  graph().Erase(node());
}

Operation RegionDraft::Keep() {
  keep_ = true;
  MutexLock lock(graph().mu());
  graph().MoveToEnd(node());
  return operation_;
}

namespace {

// The value of a tensor inside the region being recorded.
Value ValueHere(const Tensor& tensor, std::string_view what,
                std::source_location where) {
  if (!tensor) Refuse(what, "a result is a Tensor that holds nothing", where);
  if (tensor.is_sparse()) {
    Refuse(what, "a result is sparse; wanted to_dense() of it", where);
  }
  if (tensor.symbolic()) return tensor.value();
  Capture* capture = Capture::Current();
  if (capture && &capture->graph() == Building::Current().graph) {
    return capture->At(tensor.eager()).now;
  }
  return CallOne("Identity", std::vector<Operand>{tensor}, {}, "", where)
      .value();
}

// Captured tensors as they were before a region, put back after it.
class SavedCaptures {
 public:
  SavedCaptures() : capture_(Capture::Current()) {
    if (!capture_) return;
    for (const Capture::Entry& e : capture_->entries()) {
      before_.push_back(e.now);
    }
  }
  ~SavedCaptures() {
    if (!capture_) return;
    std::deque<Capture::Entry>& entries = capture_->entries();
    for (size_t i = 0; i < entries.size(); ++i) entries[i].now = Before(i);
  }

  // What differs from before, and all that was given a value of the region.
  std::vector<Written> Changed(std::span<const size_t> carried) const {
    std::vector<Written> changed;
    if (!capture_) return changed;
    const std::deque<Capture::Entry>& entries = capture_->entries();
    for (size_t i = 0; i < entries.size(); ++i) {
      bool given =
          std::find(carried.begin(), carried.end(), i) != carried.end();
      if (given || entries[i].now != Before(i)) {
        changed.push_back({i, entries[i].now});
      }
    }
    return changed;
  }

 private:
  // Tensors met in the region were unwritten before it.
  Value Before(size_t i) const {
    return i < before_.size() ? before_[i] : capture_->entries()[i].arg;
  }
  Capture* capture_;
  std::vector<Value> before_;
};

// Gradients left on tensors inside a region cannot leave it.
void CheckGradients(const Region& region, const RegionRequest& request) {
  Capture* capture = Capture::Current();
  if (!capture) return;
  for (const Capture::Entry& entry : capture->entries()) {
    if (!entry.grad_set || !entry.grad || !entry.grad.symbolic() ||
        !region.Encloses(entry.grad.value().node->region())) {
      continue;
    }
    Refuse(request.what,
           StrCat("backward() inside leaves a gradient on ",
                  entry.value->Describe(), "; wanted grad() of it as a result"),
           request.where);
  }
}

}  // namespace

RecordedRegion RecordRegion(RegionDraft& draft, const RegionRequest& request) {
  Graph& graph = draft.graph();
  RecordedRegion recorded;
  std::vector<Tensor> tensors;
  SavedCaptures captures;
  {
    MutexLock lock(graph.mu());
    recorded.region =
        ValueOrThrow(graph.AddRegion(draft.node(), request.label));
    Region& region = *recorded.region;
    for (size_t i = 0; i < request.args.size(); ++i) {
      Value arg =
          ValueOrThrow(graph.AddArg(region, StrCat("v", i), request.args[i]));
      tensors.push_back(Tensor(graph, arg));
    }
    for (size_t entry : request.carried) {
      Value arg = ValueOrThrow(
          graph.AddArg(region, StrCat("w", entry), CapturedNow(entry).type()));
      SetCaptured(entry, arg);
    }
  }
  SavedBuilding saved;
  Building& building = Building::Current();
  building.graph = &graph;
  building.region = recorded.region;
  building.controls.clear();  // the node itself waits for them
  recorded.code = request.code(tensors);
  std::vector<Value> values;
  for (Tensor& t : recorded.code.tensors) {
    Value v = ValueHere(t, request.what, request.where);
    if (!v.node->region()->Encloses(recorded.region)) {
      Refuse(request.what,
             StrCat("\"", v.ToString(),
                    "\" belongs to another region or graph; wanted a value "
                    "made here or around here"),
             request.where);
    }
    values.push_back(v);
    t = Tensor(graph, v);
  }
  CheckGradients(*recorded.region, request);
  recorded.written = captures.Changed(request.carried);
  MutexLock lock(graph.mu());
  graph.SetResults(*recorded.region, std::move(values));
  return recorded;
}

Value CapturedNow(size_t entry) {
  return Capture::Current()->entries()[entry].now;
}

void SetCaptured(size_t entry, Value now) {
  Capture::Current()->entries()[entry].now = now;
}

bool RunsNow(const std::vector<Tensor>& tensors) {
  if (Building::Current().graph) return false;
  for (const Tensor& t : tensors) {
    if (t && t.symbolic()) return false;
  }
  return true;
}

std::vector<Tensor> OutputsOf(const Operation& op) {
  std::vector<Tensor> outputs;
  for (int i = 0; i < op.num_outputs(); ++i) outputs.push_back(op.output(i));
  return outputs;
}

// Adds values to the results of a region.
void AddResults(Graph& graph, Region& region, const std::vector<Value>& more) {
  std::vector<Value> results(region.results().begin(), region.results().end());
  results.insert(results.end(), more.begin(), more.end());
  graph.SetResults(region, std::move(results));
}

const Written* Find(const std::vector<Written>& written, size_t entry) {
  for (const Written& w : written) {
    if (w.entry == entry) return &w;
  }
  return nullptr;
}

// What any of the regions has written, in order.
std::vector<size_t> AllWritten(const std::vector<RecordedRegion>& regions) {
  std::set<size_t> all;
  for (const RecordedRegion& r : regions) {
    for (const Written& w : r.written) all.insert(w.entry);
  }
  return {all.begin(), all.end()};
}

}  // namespace sluice::front_internal
