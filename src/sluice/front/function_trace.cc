#include "sluice/front/function_trace.h"

#include <chrono>
#include <unordered_set>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/scope.h"
#include "sluice/passes/raise_for_gradients.h"

namespace sluice::front_internal {

Signature SignatureOf(const std::vector<Tensor>& args) {
  Signature s;
  for (const Tensor& a : args) s.args.emplace_back(a.dtype(), a.rank());
  return s;
}

bool Signature::Is(const std::vector<Tensor>& tensors) const {
  if (tensors.size() != args.size()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    const Array& array = tensors[i].array();
    if (array.dtype() != args[i].first || array.rank() != args[i].second) {
      return false;
    }
  }
  return true;
}

std::string Text(const std::pair<DType, int>& arg) {
  return TypeText(arg.first, PartialShape::OfRank(arg.second));
}

namespace {

// Whether running the node is seen elsewhere; of a call, whether its function
// is seen to act. A function by itself does nothing.
bool Acts(const Node& node, std::unordered_set<const Node*>& called) {
  const OpRecord& op = node.op();
  if (op.effect == Effect::kWrite || !op.global_effect.empty() || op.async() ||
      (op.stateful && node.num_outputs() == 0)) {
    return true;
  }
  if (op.flow == Flow::kFunction) return false;
  const Node* owner = op.flow == Flow::kCall ? node.input(0).node : &node;
  if (owner != &node && !called.insert(owner).second) return false;
  for (const auto& region : owner->regions()) {
    for (const Node* inner : region->nodes()) {
      if (Acts(*inner, called)) return true;
    }
  }
  return false;
}

// Effects without a result must happen all the same.
std::vector<Node*> EffectsOf(const Graph& graph) {
  std::vector<Node*> effects;
  for (Node* node : graph.root().nodes()) {
    std::unordered_set<const Node*> called;
    if (Acts(*node, called)) effects.push_back(node);
  }
  return effects;
}

bool Draws(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (node->op().random) return true;
    for (const auto& inner : node->regions()) {
      if (Draws(*inner)) return true;
    }
  }
  return false;
}

// Whether a value is made of another by ops that can write over it.
bool WritesOver(Value made, const Value& from) {
  while (made != from) {
    const OpRecord& op = made.node->op();
    if ((!op.in_place && !op.elementwise()) || made.index != 0) return false;
    made = made.node->input(0);
  }
  return true;
}

// State that functions make lives as long as the process.
std::shared_ptr<ResourceManager> SharedResources() {
  static auto* resources =
      new std::shared_ptr<ResourceManager>(std::make_shared<ResourceManager>());
  return *resources;
}

}  // namespace

Result<TraceGradient> Trace::Gradient() {
  if (gradient) return *gradient;
  TraceGradient made;
  std::vector<Value> ys, flows, xs, fed = feeds, fetches, found;
  {
    SavedBuilding saved;
    MutexLock lock(graph->mu());
    Building::Current().locked = graph.get();
    flow_args.assign(num_results, Value());
    for (size_t i = 0; i < num_results; ++i) {
      if (!kFloats.contains(results[i].dtype())) continue;
      SL_ASSIGN_OR_RETURN(
          flow_args[i],
          graph->AddArg(graph->root(), StrCat("flow_", i), results[i].type()));
      ys.push_back(results[i]);
      flows.push_back(flow_args[i]);
      fed.push_back(flow_args[i]);
    }
    std::vector<size_t> which;
    made.wanted.assign(feeds.size(), -1);
    for (size_t i = 0; i < feeds.size(); ++i) {
      if (!kFloats.contains(feeds[i].dtype())) continue;
      xs.push_back(feeds[i]);
      which.push_back(i);
    }
    SL_RETURN_IF_ERROR(RaiseForGradients(*graph, ys, xs));
    SL_ASSIGN_OR_RETURN(found, Gradients(*graph, ys, xs, flows,
                                         {.none_when_unconnected = true}));
    for (size_t k = 0; k < which.size(); ++k) {
      if (!found[k]) continue;
      made.wanted[which[k]] = static_cast<int>(fetches.size());
      fetches.push_back(found[k]);
    }
  }
  SL_ASSIGN_OR_RETURN(made.program, master->ProgramFor(fed, fetches, {},
                                                       ExecutorChoice::kAuto));
  gradient = made;
  return made;
}

std::shared_ptr<Trace> Trace::Record(const FunctionCore::VariantRef& variant,
                                     const std::string& name,
                                     const std::vector<Tensor>& args,
                                     std::source_location where) {
  auto began = std::chrono::steady_clock::now();
  auto made = std::make_shared<Trace>();
  Trace& t = *made;
  t.variant = variant;
  t.signature = SignatureOf(args);
  std::vector<std::string> texts;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::vector<std::string>& names = variant->names;
    texts.push_back(StrCat(i < names.size() ? names[i] + ": " : "",
                           Text(t.signature.args[i])));
  }
  if (!variant->fixed.empty()) texts.push_back(variant->fixed);
  t.info.signature = Join(texts, ", ");

  t.graph = std::make_shared<Graph>(name);
  if (variant->opened) variant->opened(t.graph);
  Graph& graph = *t.graph;
  std::vector<Value> feeds, fetches;
  std::vector<Tensor> inside;
  for (size_t i = 0; i < args.size(); ++i) {
    PartialShape shape = PartialShape::OfRank(args[i].rank());
    MutexLock lock(graph.mu());
    Value arg = ValueOrThrow(graph.AddArg(graph.root(), StrCat("arg_", i),
                                          {args[i].dtype(), shape}));
    feeds.push_back(arg);
    inside.push_back(Tensor(graph, arg));
  }
  GraphScope building(graph);
  Capture capture(graph);
  BodyResult given = variant->body(inside);
  t.note = std::move(given.note);
  std::vector<Tensor> results = std::move(given.tensors);
  t.num_results = results.size();
  for (const Tensor& r : results) {
    if (!r) {
      throw Error(InvalidArgument(StrCat("[", name,
                                         "] a result is a Tensor that holds "
                                         "nothing"))
                      .WithLine(StrCat("at ", SourceLine::From(where))));
    }
    fetches.push_back(r.symbolic() ? r.value() : capture.At(r.eager()).now);
  }
  // A gradient that is an imperative tensor is captured by asking for it.
  auto value_of = [&](const Tensor& part) {
    return part.symbolic() ? part.value() : capture.At(part.eager()).now;
  };
  for (size_t i = 0; i < capture.entries().size(); ++i) {
    Tensor grad = capture.entries()[i].grad;
    if (!grad) continue;
    if (grad.is_sparse()) {
      value_of(grad.indices());
      value_of(grad.values());
    } else {
      value_of(grad);
    }
  }
  for (Capture::Entry& entry : capture.entries()) {
    if (!entry.written) continue;
    fetches.push_back(entry.now);
    t.landings.push_back({entry.value, false});
  }
  for (Capture::Entry& entry : capture.entries()) {
    if (!entry.grad_set) continue;
    if (!entry.grad) {
      t.cleared.push_back(entry.value);
      continue;
    }
    bool rows = entry.grad.is_sparse();
    if (rows) fetches.push_back(value_of(entry.grad.indices()));
    fetches.push_back(value_of(rows ? entry.grad.values() : entry.grad));
    t.landings.push_back({entry.value, true, rows});
  }
  for (const Capture::Entry& entry : capture.entries()) {
    feeds.push_back(entry.arg);
    t.captured.push_back({entry.value, entry.grad_of, entry.part,
                          entry.written && WritesOver(entry.now, entry.arg)});
  }
  t.grads_seen = capture.grads_seen();
  for (const Capture::Entry& entry : capture.entries()) {
    if (!entry.grad_set) continue;
    bool read = false;
    for (const Capture::Entry& other : capture.entries()) {
      read = read || other.grad_of == entry.value;
    }
    if (!read) t.dropped.push_back(entry.value);
  }
  t.facts = capture.facts();
  t.feeds = feeds;
  t.results.assign(fetches.begin(),
                   fetches.begin() + static_cast<int64_t>(t.num_results));
  std::vector<Node*> targets = EffectsOf(graph);
  t.master = std::make_unique<LocalMaster>(
      graph, MasterOptions{.resources = SharedResources()});
  t.program = ValueOrThrow(
      t.master->ProgramFor(feeds, fetches, targets, ExecutorChoice::kAuto));
  t.random = Draws(t.program->graph().root());
  t.info.nodes = graph.num_nodes();
  t.info.captured = static_cast<int64_t>(t.captured.size());
  std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - began;
  t.info.milliseconds = took.count();
  return made;
}

}  // namespace sluice::front_internal
