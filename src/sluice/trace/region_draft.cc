#include "sluice/trace/region_draft.h"

#include <algorithm>
#include <unordered_map>

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
#include "sluice/trace/memory_of.h"

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
  // Without memory for it the node stays, and nothing reads it.
  (void)Guarded([&]() -> Status {
    MutexLock lock(graph().mu());
    graph().Erase(node());
    return OkStatus();
  });
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
  if (!tensor.defined())
    Refuse(what, "a result is a Tensor that holds nothing", where);
  if (tensor.is_sparse()) {
    Refuse(what, "a result is sparse; wanted to_dense() of it", where);
  }
  if (Capture* capture = Capture::Open()) {
    return capture->NowAsOperand(*capture->ValueOf(tensor));
  }
  if (tensor.symbolic()) return tensor.value();
  return CallOne("Identity", std::vector<Operand>{tensor}, {}, "", where)
      .value();
}

// Gradients that code inside sets on tensors outside cannot leave the region.
void CheckGradients(const Capture::Region& inside,
                    const RegionRequest& request) {
  if (EagerRef leaf = inside.GradChanged()) {
    Refuse(request.what,
           StrCat("backward() inside leaves a gradient on ", leaf->Describe(),
                  "; wanted grad() of it as a result"),
           request.where);
  }
}

// An argument through which gradients flow, to and from what is around.
TapeEdge ThroughArgument(const RegionRequest& request, Value when) {
  return {MakeRef<OutsideTapeNode>(
              StrCat("a value that ", request.what,
                     " is given, or carries from one iteration to the next"),
              SourceLine::From(request.where), when),
          0,
          {}};
}

// What an argument, or what is carried after them, is told by.
Value ToldBy(const RegionRequest& request, const std::vector<Value>& told,
             size_t argument, bool which) {
  for (size_t i = 0; i < told.size(); ++i) {
    if (request.told[i].argument == argument &&
        request.told[i].which == which) {
      return told[i];
    }
  }
  return {};
}

using Perhaps = TraceState::Perhaps;

// What tensors outside a value made inside may be, or look into.
std::vector<Perhaps> PerhapsOutside(const Capture::Region& inside,
                                    const EagerRef& value) {
  std::vector<Perhaps> found;
  if (!value || inside.IsOutside(*value)) return found;
  auto add = [&](const EagerValue& of, Perhaps::How most) {
    for (const Perhaps& p : of.traced->perhaps) {
      if (!inside.IsOutside(*p.other)) continue;
      found.push_back({p.other, p.seen, std::min(p.how, most)});
    }
  };
  add(*value, Perhaps::How::kWhole);
  if (!value->view_of) return found;
  const EagerRef& base = MemoryOf(value);
  if (inside.IsOutside(*base)) {
    found.push_back({base, base->writes().count, Perhaps::How::kLook});
  } else {
    add(*base, Perhaps::How::kLook);
  }
  return found;
}

// What calls of the region have kept on the way to a value. What they write
// over themselves is an error in runs that come here, and in no others.
void AddKept(const Capture::Region& inside, const EagerValue& value,
             std::vector<RecordedRegion::Kept>& kept) {
  for (KeptValue& one : KeptSince(value, inside.first(), inside.OwnLogs())) {
    if (one.log->count != one.count) {
      throw Error(Unimplemented(
          OverwrittenText(one.before, one.type, *one.log, one.after)));
    }
    Ref<WriteLog> log = Ref<WriteLog>::Share(one.log);
    kept.push_back({std::move(log), std::move(one)});
  }
}

// Two that may be one: a write to either makes the other unknown.
void MayBeBoth(Capture& capture, const EagerRef& a, const EagerRef& b,
               Perhaps::How how) {
  if (a == b) return;
  capture.MayBe(*a, b, how);
  capture.MayBe(*b, a, how);
}

std::vector<RecordedRegion::Alike> AlikeIn(Capture& capture,
                                           const std::vector<Tensor>& results) {
  std::vector<EagerRef> values;
  std::unordered_map<const EagerValue*, size_t> first;
  std::vector<RecordedRegion::Alike> alike;
  for (const Tensor& t : results) {
    const size_t k = values.size();
    values.emplace_back();
    if (!t.defined() || t.is_sparse() || IsNumber(t)) continue;
    EagerRef value = capture.ValueOf(t);
    if (!value->traced) continue;
    const EagerValue* base = MemoryOf(value).get();
    auto [it, fresh] = first.try_emplace(base, k);
    if (!fresh) alike.push_back({it->second, k, values[it->second] == value});
    // Or they may be one, by branches inside.
    for (size_t i = 0; i < k && fresh; ++i) {
      if (values[i] && Capture::MayShare(*values[i], *value)) {
        alike.push_back({i, k, /*whole=*/false});
      }
    }
    values[k] = std::move(value);
  }
  return alike;
}

// None: what is known tells.
Value WhenHere(Capture& capture, const EagerValue& value) {
  FlowWhen flow = capture.FlowOf(value);
  return flow.open() ? capture.AnyOf(flow) : Value();
}

}  // namespace

RecordedRegion RecordRegion(RegionDraft& draft, const RegionRequest& request) {
  Graph& graph = draft.graph();
  Capture* capture = Capture::Current();
  if (capture && &capture->graph() != &graph) capture = nullptr;
  SourceLine line = SourceLine::From(request.where);
  RecordedRegion recorded;
  std::vector<Value> args, written_args, told;
  {
    MutexLock lock(graph.mu());
    recorded.region =
        ValueOrThrow(graph.AddRegion(draft.node(), request.label));
    Region& region = *recorded.region;
    for (size_t i = 0; i < request.args.size(); ++i) {
      args.push_back(
          ValueOrThrow(graph.AddArg(region, StrCat("v", i), request.args[i])));
    }
    for (size_t i = 0; i < request.carried.size(); ++i) {
      const EagerValue& carried = *request.carried[i].tensor;
      written_args.push_back(ValueOrThrow(graph.AddArg(
          region, StrCat("w", i), {carried.dtype(), carried.shape()})));
    }
    for (size_t i = 0; i < request.told.size(); ++i) {
      DType type = request.told[i].which ? DType::kI64 : DType::kBool;
      told.push_back(
          ValueOrThrow(graph.AddArg(region, StrCat("t", i), {type, Shape()})));
    }
  }
  if (capture && capture->sizes() && !request.now.empty()) {
    capture->sizes()->now().Enter(*recorded.region, request.now);
  }
  if (capture && !told.empty()) capture->NoteMerged();
  SavedBuilding saved;
  Building& building = Building::Current();
  building.graph = &graph;
  building.region = recorded.region;
  building.controls.clear();  // the node itself waits for them
  Capture::Region inside(capture);
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!capture) {
      tensors.push_back(Tensor(graph, args[i]));
      continue;
    }
    bool flows = (i >= request.flows.size() || request.flows[i]) &&
                 CarriesGradient(args[i].dtype());
    TapeEdge edge =
        flows ? ThroughArgument(request, ToldBy(request, told, i, false))
              : TapeEdge();
    recorded.places.push_back({edge.node.get(), 0, nullptr});
    tensors.push_back(
        Tensor(capture->Make(args[i], line, std::move(edge), flows)));
    if (Value which = ToldBy(request, told, i, true)) {
      capture->SetWhich(*tensors.back().identity(), which);
    }
    if (i < request.perhaps.size()) {
      for (const Perhaps& p : request.perhaps[i]) {
        capture->MayBe(*tensors.back().identity(), p.other, p.how);
      }
    }
    if (i < request.numbers.size() && request.numbers[i]) {
      SetNumber(tensors.back());
    }
  }
  for (const auto& [a, b] : request.alike) {
    if (!capture) break;
    MayBeBoth(*capture, tensors[a].identity(), tensors[b].identity(),
              Perhaps::How::kWhole);
  }
  for (size_t i = 0; i < written_args.size(); ++i) {
    Value when = ToldBy(request, told, args.size() + i, false);
    TapeEdge edge =
        request.carried[i].flows ? ThroughArgument(request, when) : TapeEdge();
    recorded.places.push_back({edge.node.get(), 0, nullptr});
    capture->Replace(*request.carried[i].tensor, written_args[i],
                     std::move(edge));
  }
  recorded.code = request.code(tensors);
  if (capture) recorded.alike = AlikeIn(*capture, recorded.code.tensors);
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
    recorded.flows.push_back(Flows(t));
    recorded.numbers.push_back(IsNumber(t));
    EagerRef same = capture ? capture->ValueOf(t) : EagerRef();
    recorded.when.push_back(same ? WhenHere(*capture, *same) : Value());
    recorded.which.push_back(same ? capture->WhichOf(*same) : WhichEntry());
    recorded.reach.push_back(same ? capture->ReachOf(*same, inside.first())
                                  : Reach());
    recorded.perhaps.push_back(PerhapsOutside(inside, same));
    if (same) AddKept(inside, *same, recorded.kept);
    if (same) inside.CheckHooks(*same, request.what);
    if (same && (!inside.IsOutside(*same) || same->traced->number)) same = {};
    recorded.same.push_back(std::move(same));
    t = Tensor(graph, v);
  }
  if (capture) {
    CheckGradients(inside, request);
    for (const EagerRef& tensor : inside.Written()) {
      Value as_is = capture->Now(*tensor);
      auto* call = dynamic_cast<const GraphTapeNode*>(tensor->producer.get());
      bool made_here = call && call->made_at() >= inside.first();
      bool given = std::find(written_args.begin(), written_args.end(), as_is) !=
                   written_args.end();
      // Of what has the elements of another tensor this is about its history.
      if (StandsAlone(*tensor)) given = !made_here;
      Value now = capture->NowAsOperand(*tensor);
      AddKept(inside, *tensor, recorded.kept);
      inside.CheckHooks(*tensor, request.what);
      recorded.written.push_back(
          {.tensor = tensor,
           .value = now,
           .flows = tensor->tracked(),
           .recorded = made_here,
           .when = WhenHere(*capture, *tensor),
           .given = given,
           .reach = capture->ReachOf(*tensor, inside.first())});
    }
  }
  MutexLock lock(graph.mu());
  graph.SetResults(*recorded.region, std::move(values));
  return recorded;
}

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
  // Where calls are not recorded its history is what it was, unless code inside
  // has had them recorded.
  bool recorded = EagerMode::Current().grad;
  for (const RecordedRegion& r : regions) {
    const Written* w = Find(r.written, tensor);
    recorded = recorded || (w && w->recorded);
  }
  Capture& capture = *Capture::Current();
  // Its elements are those of what it was detached from, which is written, too.
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

// Adds values to the results of a region.
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

// What any of the regions has written, in order.
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
