// RecordRegion (trace/region_draft.h): user code recorded into one region.
#include <algorithm>
#include <unordered_map>

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
#include "sluice/trace/grad_arrivals.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/memory_of.h"
#include "sluice/trace/region_draft.h"

namespace sluice::front_internal {

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

// An argument through which gradients flow, to and from the outer code.
TapeEdge ThroughArgument(const RegionRequest& request, Value when) {
  return {MakeRef<OutsideTapeNode>(
              StrCat("a value that ", request.what,
                     " is given, or carries from one iteration to the next"),
              SourceLine::From(request.where), when),
          0,
          {}};
}

// The argument that holds a property of an argument or a carried tensor.
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

// The tensors outside that a value made inside may be, or be a view of.
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

// What calls of the region that a value depends on keep. If they overwrite it
// themselves, runs that get here fail, and no others.
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
    // Or branches inside may make them one.
    for (size_t i = 0; i < k && fresh; ++i) {
      if (values[i] && Capture::MayShare(*values[i], *value)) {
        alike.push_back({i, k, /*whole=*/false});
      }
    }
    values[k] = std::move(value);
  }
  return alike;
}

// None: known without a run.
Value WhenHere(Capture& capture, const EagerValue& value) {
  FlowWhen flow = capture.FlowOf(value);
  return flow.open() ? capture.AnyOf(flow) : Value();
}

// The arguments of the region: its inputs, the carried tensors, and the
// run-time properties of both.
struct Arguments {
  std::vector<Value> given, carried, told;
};

Arguments AddArguments(Graph& graph, Region& region,
                       const RegionRequest& request) {
  Arguments made;
  auto add = [&](const char* letter, size_t i, const ValueType& type) {
    return ValueOrThrow(graph.AddArg(region, StrCat(letter, i), type));
  };
  for (size_t i = 0; i < request.args.size(); ++i) {
    made.given.push_back(add("v", i, request.args[i]));
  }
  for (size_t i = 0; i < request.carried.size(); ++i) {
    const EagerValue& carried = *request.carried[i].tensor;
    made.carried.push_back(add("w", i, {carried.dtype(), carried.shape()}));
  }
  for (size_t i = 0; i < request.told.size(); ++i) {
    DType type = request.told[i].which ? DType::kI64 : DType::kBool;
    made.told.push_back(add("t", i, {type, Shape()}));
  }
  return made;
}

// The tensor that the code receives for argument i.
Tensor Given(Capture& capture, const RegionRequest& request,
             const Arguments& arguments, size_t i, RecordedRegion& recorded) {
  const Value& arg = arguments.given[i];
  bool flows = (i >= request.flows.size() || request.flows[i]) &&
               CarriesGradient(arg.dtype());
  TapeEdge edge =
      flows
          ? ThroughArgument(request, ToldBy(request, arguments.told, i, false))
          : TapeEdge();
  recorded.places.push_back({edge.node.get(), 0, nullptr});
  Tensor tensor(capture.Make(arg, SourceLine::From(request.where),
                             std::move(edge), flows));
  if (Value which = ToldBy(request, arguments.told, i, true)) {
    capture.SetWhich(*tensor.identity(), which);
  }
  if (i < request.perhaps.size()) {
    for (const Perhaps& p : request.perhaps[i]) {
      capture.MayBe(*tensor.identity(), p.other, p.how);
    }
  }
  if (i < request.numbers.size() && request.numbers[i]) SetNumber(tensor);
  return tensor;
}

// Carried tensors are arguments while the code runs.
void ReplaceCarried(Capture& capture, const RegionRequest& request,
                    const Arguments& arguments, RecordedRegion& recorded) {
  for (size_t i = 0; i < arguments.carried.size(); ++i) {
    Value when =
        ToldBy(request, arguments.told, arguments.given.size() + i, false);
    TapeEdge edge =
        request.carried[i].flows ? ThroughArgument(request, when) : TapeEdge();
    recorded.places.push_back({edge.node.get(), 0, nullptr});
    capture.Replace(*request.carried[i].tensor, arguments.carried[i],
                    std::move(edge));
  }
}

// The value of a result and its properties.
Value TakeResult(Capture* capture, Capture::Region& inside,
                 const RegionRequest& request, const Tensor& t,
                 RecordedRegion& recorded) {
  Value v = ValueHere(t, request.what, request.where);
  if (!v.node->region()->Encloses(recorded.region)) {
    Refuse(request.what,
           StrCat("\"", v.ToString(),
                  "\" belongs to another region or graph; wanted a value "
                  "made here or around here"),
           request.where);
  }
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
  if (same) GradArrivals(*capture, {&same, 1}, inside.first()).CheckSeen(false);
  if (same && (!inside.IsOutside(*same) || same->traced->number)) same = {};
  recorded.same.push_back(std::move(same));
  return v;
}

// The state of a tensor outside that the code wrote.
Written TakeWrittenInside(Capture& capture, Capture::Region& inside,
                          const RegionRequest& request,
                          const Arguments& arguments, const EagerRef& tensor,
                          RecordedRegion& recorded) {
  Value as_is = capture.Now(*tensor);
  auto* call = dynamic_cast<const GraphTapeNode*>(tensor->producer.get());
  bool made_here = call && call->made_at() >= inside.first();
  bool given = std::find(arguments.carried.begin(), arguments.carried.end(),
                         as_is) != arguments.carried.end();
  // For a detached tensor, this is about its history alone.
  if (StandsAlone(*tensor)) given = !made_here;
  Value now = capture.NowAsOperand(*tensor);
  AddKept(inside, *tensor, recorded.kept);
  inside.CheckHooks(*tensor, request.what);
  GradArrivals(capture, {&tensor, 1}, inside.first()).CheckSeen(false);
  return {.tensor = tensor,
          .value = now,
          .flows = tensor->tracked(),
          .recorded = made_here,
          .when = WhenHere(capture, *tensor),
          .given = given,
          .reach = capture.ReachOf(*tensor, inside.first())};
}

}  // namespace

RecordedRegion RecordRegion(RegionDraft& draft, const RegionRequest& request) {
  Graph& graph = draft.graph();
  Capture* capture = Capture::Current();
  if (capture && &capture->graph() != &graph) capture = nullptr;
  RecordedRegion recorded;
  Arguments arguments;
  {
    MutexLock lock(graph.mu());
    recorded.region =
        ValueOrThrow(graph.AddRegion(draft.node(), request.label));
    arguments = AddArguments(graph, *recorded.region, request);
  }
  if (capture && capture->sizes() && !request.now.empty()) {
    capture->sizes()->now().Enter(*recorded.region, request.now);
  }
  if (capture && !arguments.told.empty()) capture->NoteMerged();
  SavedBuilding saved;
  Building& building = Building::Current();
  building.graph = &graph;
  building.region = recorded.region;
  building.controls.clear();  // the node itself waits for them
  Capture::Region inside(capture);
  const Node* owner = recorded.region->owner();
  if (owner && owner->op().flow == Flow::kLoop) inside.SetLoops();
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < arguments.given.size(); ++i) {
    tensors.push_back(capture ? Given(*capture, request, arguments, i, recorded)
                              : Tensor(graph, arguments.given[i]));
  }
  if (capture) {
    for (const auto& [a, b] : request.alike) {
      MayBeBoth(*capture, tensors[a].identity(), tensors[b].identity(),
                Perhaps::How::kWhole);
    }
    ReplaceCarried(*capture, request, arguments, recorded);
  }
  recorded.code = request.code(tensors);
  if (capture) recorded.alike = AlikeIn(*capture, recorded.code.tensors);
  std::vector<Value> values;
  for (Tensor& t : recorded.code.tensors) {
    values.push_back(TakeResult(capture, inside, request, t, recorded));
    t = Tensor(graph, values.back());
  }
  if (capture) {
    CheckGradients(inside, request);
    for (const EagerRef& tensor : inside.Written()) {
      recorded.written.push_back(TakeWrittenInside(
          *capture, inside, request, arguments, tensor, recorded));
    }
  }
  MutexLock lock(graph.mu());
  graph.SetResults(*recorded.region, std::move(values));
  return recorded;
}

}  // namespace sluice::front_internal
