#include "sluice/trace/region_draft.h"

#include <algorithm>

#include "sluice/base/caught.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/scope.h"
#include "sluice/eager/view_write.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/made_once.h"
#include "sluice/trace/unused_calls.h"

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
  Capture* capture = Capture::Current();
  if (capture && &capture->graph() == &graph()) capture->ForgetCalls(node());
  // If memory runs out the node stays, and nothing reads it.
  (void)Guarded([&]() -> Status {
    MutexLock lock(graph().mu());
    graph().Erase(node());
    return OkStatus();
  });
}

Operation RegionDraft::Keep() {
  keep_ = true;
  Capture* capture = Capture::Current();
  MutexLock lock(graph().mu());
  if (capture && &capture->graph() == &graph()) {
    for (const auto& region : node().regions()) {
      KeepUnusedCalls(graph(), *region, capture->calls());
    }
  }
  graph().MoveToEnd(node());
  return operation_;
}

using Perhaps = TraceState::Perhaps;

bool Flows(const Tensor& tensor) {
  Capture* capture = Capture::Open();
  if (!capture || !CarriesGradient(tensor.dtype())) return false;
  EagerRef value = capture->ValueOf(tensor);
  capture->Now(*value);
  return value->tracked();
}

bool IsNumber(const Tensor& tensor) {
  return tensor.traced() && tensor.identity()->traced->number;
}

void SetNumber(const Tensor& tensor) {
  if (tensor.traced()) tensor.identity()->traced->number = true;
}

void TakeWritten(const EagerRef& tensor, const Tensor& result, bool flows,
                 const std::vector<RecordedRegion>& regions,
                 std::source_location where) {
  bool leaf = !tensor->producer && tensor->requires_grad;
  // Where calls are not recorded its history is unchanged, unless code inside
  // turned recording on.
  bool recorded = EagerMode::Current().grad;
  for (const RecordedRegion& r : regions) {
    const Written* w = Find(r.written, tensor);
    recorded = recorded || (w && w->recorded);
  }
  Capture& capture = *Capture::Current();
  // Its elements are those of the tensor it was detached from, which is
  // written, too.
  if (StandsAlone(*tensor)) {
    return capture.TakeHistory(*tensor, result.identity());
  }
  capture.Write(tensor, result.identity(), SourceLine::From(where),
                flows && !leaf && recorded);
}

std::vector<Tensor> OutputsOf(const Operation& op) {
  std::vector<Tensor> outputs;
  for (int i = 0; i < op.num_outputs(); ++i) outputs.push_back(op.output(i));
  return outputs;
}

void WatchKept(const std::vector<Tensor>& outputs,
               const std::vector<RecordedRegion>& regions) {
  GraphTapeNode* way = nullptr;
  for (const Tensor& t : outputs) {
    if (!t.traced() || way) continue;
    way = dynamic_cast<GraphTapeNode*>(t.identity()->producer.get());
  }
  if (!way) return;
  for (const RecordedRegion& region : regions) {
    for (const RecordedRegion::Kept& kept : region.kept) {
      way->KeptInside(kept.what, kept.log);
    }
  }
}

void MayBeAs(EagerValue& result, const RecordedRegion& region, size_t k) {
  Capture& capture = *Capture::Current();
  if (region.same[k]) {
    capture.MayBe(result, region.same[k], Perhaps::How::kWhole);
  }
  for (const Perhaps& p : region.perhaps[k]) {
    capture.MayBe(result, p.other, p.how);
  }
}

void MayBeBoth(Capture& capture, const EagerRef& a, const EagerRef& b,
               Perhaps::How how) {
  if (a == b) return;
  capture.MayBe(*a, b, how);
  capture.MayBe(*b, a, how);
}

void MayBeEachOther(std::vector<Tensor>& outputs,
                    const std::vector<RecordedRegion>& regions) {
  Capture* capture = Capture::Open();
  if (!capture) return;
  for (const RecordedRegion& region : regions) {
    for (const RecordedRegion::Alike& a : region.alike) {
      if (a.second >= outputs.size()) continue;
      bool on_all = a.whole;
      for (const RecordedRegion& other : regions) {
        bool there = false;
        for (const RecordedRegion::Alike& b : other.alike) {
          there =
              there || (b.first == a.first && b.second == a.second && b.whole);
        }
        on_all = on_all && there;
      }
      if (on_all) {
        outputs[a.second] = outputs[a.first];
        continue;
      }
      MayBeBoth(*capture, outputs[a.first].identity(),
                outputs[a.second].identity(),
                a.whole ? Perhaps::How::kWhole : Perhaps::How::kLook);
    }
  }
}

void AddResults(Graph& graph, Region& region, const std::vector<Value>& more) {
  std::vector<Value> results(region.results().begin(), region.results().end());
  results.insert(results.end(), more.begin(), more.end());
  graph.SetResults(region, std::move(results));
}

Value KnownIn(Graph& graph, Region& region, const Array& known) {
  NodeOptions options;
  if (region.owner()) options.device = region.owner()->device();
  return ValueOrThrow(
             graph.Add(region, "Const", {}, {{"value", known}}, options))
      ->output();
}

const Written* Find(const std::vector<Written>& written,
                    const EagerRef& tensor) {
  for (const Written& w : written) {
    if (w.tensor == tensor) return &w;
  }
  return nullptr;
}

std::vector<EagerRef> AllWritten(const std::vector<RecordedRegion>& regions) {
  std::vector<EagerRef> all;
  for (const RecordedRegion& r : regions) {
    for (const Written& w : r.written) {
      if (std::find(all.begin(), all.end(), w.tensor) == all.end()) {
        all.push_back(w.tensor);
      }
    }
  }
  return all;
}

}  // namespace sluice::front_internal
