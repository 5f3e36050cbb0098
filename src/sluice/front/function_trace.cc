#include "sluice/front/function_trace.h"

#include <chrono>
#include <unordered_map>
#include <unordered_set>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/kept_values.h"
#include "sluice/front/random_place.h"
#include "sluice/front/scope.h"
#include "sluice/front/view_write.h"
#include "sluice/graph/traverse.h"
#include "sluice/passes/raise_for_gradients.h"

namespace sluice::front_internal {

namespace {

Signature::Arg ArgOf(const std::vector<Tensor>& args, size_t i) {
  const EagerRef& value = args[i].eager();
  if (value->view_of) RefreshView(*value);
  const Array& array = value->array;
  Signature::Arg arg{array.dtype(), array.rank(), value->tracked(),
                     !value->producer};
  for (size_t k = 0; k < i && arg.same_as < 0; ++k) {
    if (args[k].eager() == value) arg.same_as = static_cast<int>(k);
  }
  return arg;
}

}  // namespace

Signature SignatureOf(const std::vector<Tensor>& args) {
  Signature s;
  s.records = EagerMode::Current().grad;
  for (size_t i = 0; i < args.size(); ++i) s.args.push_back(ArgOf(args, i));
  return s;
}

bool Signature::Is(const std::vector<Tensor>& tensors) const {
  if (tensors.size() != args.size()) return false;
  if (records != EagerMode::Current().grad) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!(ArgOf(tensors, i) == args[i])) return false;
  }
  return true;
}

std::string Text(const Signature::Arg& arg) {
  return TypeText(arg.dtype, PartialShape::OfRank(arg.rank));
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

bool DrawsApart(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (node->op().random && !DrawsAtPlace(*node)) return true;
    for (const auto& inner : node->regions()) {
      if (DrawsApart(*inner)) return true;
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

// What a value is a look into, by ops that copy nothing.
Value LooksInto(Value value) {
  while (!value.node->is_args() && value.node->op().view && value.index == 0) {
    value = value.node->input(0);
  }
  return value;
}

// State that functions make lives as long as the process.
std::shared_ptr<ResourceManager> SharedResources() {
  static auto* resources =
      new std::shared_ptr<ResourceManager>(std::make_shared<ResourceManager>());
  return *resources;
}

}  // namespace

const EagerRef& Trace::TensorAt(size_t source,
                                const std::vector<Tensor>& args) const {
  const Source& s = sources[source];
  if (!s.value) return args[source].eager();
  if (s.grad_of < 0) return s.value;
  return TensorAt(static_cast<size_t>(s.grad_of), args)->grad;
}

const Array& Trace::ArrayAt(size_t source,
                            const std::vector<Tensor>& args) const {
  const EagerValue& value = *TensorAt(source, args);
  switch (sources[source].part) {
    case Capture::Entry::Part::kIndices:
      return value.rows->indices->array;
    case Capture::Entry::Part::kValues:
      return value.rows->values->array;
    default:
      return value.array;
  }
}

namespace {

int HooksOf(const EagerValue& value) {
  if (!value.extra) return 0;
  return value.extra->next_hook * 1000 +
         static_cast<int>(value.extra->hooks.size());
}

}  // namespace

const char* Trace::Misfit(const std::vector<Tensor>& args) const {
  for (const Capture::Fact& fact : facts) {
    if (!fact.Still()) return "a mode";
  }
  for (size_t i = num_args; i < sources.size(); ++i) {
    const Source& s = sources[i];
    if (s.grad_of >= 0) continue;
    EagerValue& value = *s.value;
    if (value.view_of) RefreshView(value);
    if (value.tracked() != s.requires_grad || !value.producer != s.leaf) {
      return "requires_grad";
    }
    if (HooksOf(value) != s.hooks) return "hooks";
    for (const Tensor& arg : args) {
      if (arg.eager() == s.value) return "aliases";
    }
  }
  for (size_t i = 0; i < num_args; ++i) {
    if (HooksOf(*args[i].eager()) != sources[i].hooks) return "hooks";
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    const Source& s = sources[i];
    if (s.order_matters &&
        TensorAt(i, args)->array.contiguous() != s.contiguous) {
      return "order";
    }
  }
  for (const GradSeen& seen : grads_seen) {
    if (!seen.then.Still(*TensorAt(seen.source, args))) return "gradients";
  }
  return nullptr;
}

namespace {

// Of `args`, which ones the elements of some values are made from.
std::vector<bool> Reads(const std::vector<Value>& args,
                        const std::vector<Value>& values) {
  std::unordered_set<Value, ValueHash> met(values.begin(), values.end());
  std::vector<Value> open(values.begin(), values.end());
  std::unordered_set<const Node*> seen;
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    met.insert(v);
    if (v.node->is_args() || v.node->op().shape_only) continue;
    if (!seen.insert(v.node).second) continue;
    for (const Value& in : InputsWithCaptures(*v.node)) open.push_back(in);
  }
  std::vector<bool> reads;
  for (const Value& arg : args) reads.push_back(met.count(arg) > 0);
  return reads;
}

}  // namespace

Result<TraceGradient> Trace::Gradient(const std::vector<Value>& ys,
                                      const std::vector<Value>& fed,
                                      const std::vector<bool>& wants) {
  MutexLock one(mu_);
  for (const TraceGradient& known : gradients_) {
    if (known.ys == ys && known.wants == wants) return known;
  }
  TraceGradient made;
  made.ys = ys;
  made.wants = wants;
  made.found.resize(fed.size());
  std::vector<Value> from = ys, to, fetches, all = fed;
  {
    GraphScope building(*graph);
    // Rules may run code of the user's, which reads what it read before.
    Capture capture(graph);
    NoGrad off;
    // What it draws is its own, unless it is told a place.
    Capture::DrawsApart apart(&capture);
    for (size_t i = num_args; i < sources.size(); ++i) {
      if (sources[i].grad_of < 0) capture.Know(sources[i].value, feeds[i]);
    }
    const size_t known_before = capture.entries().size();
    MutexLock lock(graph->mu());
    Building::Current().locked = graph.get();
    Region& root = graph->root();
    for (const Value& y : ys) {
      SL_ASSIGN_OR_RETURN(
          Value flow,
          graph->AddArg(root, StrCat("flow_", root.num_args()), y.type()));
      made.flows.push_back(flow);
      all.push_back(flow);
    }
    std::vector<size_t> which;
    for (size_t i = 0; i < fed.size(); ++i) {
      if (!wants[i] || !kFloats.contains(fed[i].dtype())) continue;
      to.push_back(fed[i]);
      which.push_back(i);
    }
    SL_RETURN_IF_ERROR(RaiseForGradients(*graph, from, to));
    SL_ASSIGN_OR_RETURN(std::vector<Value> found,
                        Gradients(*graph, from, to, made.flows,
                                  {.none_when_unconnected = true}));
    for (size_t k = 0; k < which.size(); ++k) {
      if (!found[k]) continue;
      made.found[which[k]] = found[k];
      fetches.push_back(found[k]);
    }
    for (size_t i = known_before; i < capture.entries().size(); ++i) {
      made.more.push_back(capture.entries()[i].value);
      made.more_args.push_back(capture.entries()[i].arg);
      all.push_back(capture.entries()[i].arg);
    }
  }
  SL_ASSIGN_OR_RETURN(made.program, master->ProgramFor(all, fetches, {},
                                                       ExecutorChoice::kAuto));
  made.reads = Reads(fed, fetches);
  gradients_.push_back(made);
  return made;
}

namespace {

// What of the tape below a value backward() has used up.
bool Over(const EagerValue& value) {
  if (!value.producer) return false;
  std::vector<const TapeNode*> open{value.producer.get()};
  std::unordered_set<const TapeNode*> seen(open.begin(), open.end());
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    if (node->dropped()) return true;
    for (const TapeEdge& edge : node->edges) {
      if (edge.node && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
  }
  return false;
}

// Turns what a Capture saw into a Trace.
class Finisher {
 public:
  Finisher(Trace& trace, Capture& capture, const std::string& name,
           std::source_location where)
      : t_(trace), capture_(capture), name_(name), where_(where) {}

  void Results(const std::vector<Tensor>& results) {
    std::vector<EagerRef> values;
    for (const Tensor& r : results) {
      if (!r.defined()) {
        throw Error(InvalidArgument(StrCat("[", name_,
                                           "] a result is a Tensor that holds "
                                           "nothing"))
                        .WithLine(StrCat("at ", SourceLine::From(where_))));
      }
      if (r.is_sparse()) r.value();  // throws
      values.push_back(capture_.ValueOf(r));
      capture_.Now(*values.back());
      capture_.LookedInto(*values.back());
      ++uses_[BaseOf(values.back()).get()];
    }
    for (const EagerRef& value : values) t_.returned.push_back(Result(value));
  }

  void Sources() {
    // Asking for gradients captures what they are; the list may grow.
    for (size_t i = 0; i < capture_.entries().size(); ++i) {
      Land(i);
    }
    for (size_t i = 0; i < capture_.entries().size(); ++i) {
      const Capture::Entry& entry = capture_.entries()[i];
      t_.feeds.push_back(entry.arg);
      Trace::Source source;
      if (entry.argument) {
        ++t_.num_args;
      } else {
        source.value = entry.value;
      }
      if (entry.grad_of) source.grad_of = IndexOf(entry.grad_of);
      source.part = entry.part;
      source.requires_grad = entry.required_grad;
      source.leaf = entry.leaf;
      source.hooks = HooksOf(*entry.value);
      source.contiguous = entry.contiguous;
      source.order_matters = entry.order_matters;
      source.overwritten = entry.written() &&
                           WritesOver(entry.inside->traced->value, entry.arg) &&
                           !StillSeen(entry.arg);
      t_.sources.push_back(std::move(source));
    }
    for (const Capture::GradSeen& seen : capture_.grads_seen()) {
      t_.grads_seen.push_back({seen.entry, seen});
    }
    Kept();
  }

 private:
  static const EagerRef& BaseOf(const EagerRef& value) {
    return value->view_of ? value->view_of->base : value;
  }

  int64_t IndexOf(const EagerRef& outside) const {
    for (size_t i = 0; i < capture_.entries().size(); ++i) {
      const Capture::Entry& entry = capture_.entries()[i];
      if (entry.value == outside && !entry.grad_of) {
        return static_cast<int64_t>(i);
      }
    }
    return -1;
  }

  // The old elements are a result: they may not be written over.
  bool StillSeen(const Value& arg) const {
    for (const Trace::Fetched& f : t_.fetched) {
      if (LooksInto(f.value) == arg) return true;
    }
    return false;
  }

  size_t Fetch(const EagerRef& value) {
    Value now = capture_.Now(*value);
    bool flows = value->tracked() && kFloats.contains(now.dtype());
    // The elements are new, the history is not.
    if (flows) now = capture_.NowAsOperand(*value);
    t_.fetched.push_back({now, flows, flows && Over(*value)});
    FlowWhen when = capture_.FlowOf(*value);
    if (flows && when.open()) {
      t_.fetched.back().when = Tell(capture_.AnyOf(when));
    }
    if (Value told = capture_.WhichOf(*value).told) {
      t_.fetched.back().which = Tell(told);
    }
    if (flows) flowing_.emplace_back(t_.fetched.size() - 1, value);
    return t_.fetched.size() - 1;
  }

  int64_t Tell(const Value& value) {
    t_.told.push_back(value);
    return static_cast<int64_t>(t_.told.size()) - 1;
  }

  Trace::Returned Result(const EagerRef& value) {
    Trace::Returned made;
    const EagerRef& base = BaseOf(value);
    bool outside = base->traced->entry >= 0 && !OfGradient(*base);
    if (!outside && (base == value || uses_[base.get()] == 1)) {
      made.fetch = Once(value);
      return made;
    }
    if (outside) {
      made.source = base->traced->entry;
    } else {
      made.fetch = Once(base);
    }
    if (!value->view_of) return made;
    for (const ViewStep& step : value->view_of->steps) {
      made.steps.push_back({step, {}});
      for (const EagerRef& other : step.others) {
        made.steps.back().others.push_back(Fetch(other));
      }
      made.steps.back().how.others.clear();
    }
    return made;
  }

  // One tensor that is a result twice comes back once.
  size_t Once(const EagerRef& value) {
    auto [it, fresh] = fetched_.try_emplace(value.get(), 0);
    if (fresh) it->second = Fetch(value);
    return it->second;
  }

  bool OfGradient(const EagerValue& base) const {
    return static_cast<bool>(
        capture_.entries()[static_cast<size_t>(base.traced->entry)].grad_of);
  }

  // What became of a tensor outside.
  void Land(size_t i) {
    const Capture::Entry& entry = capture_.entries()[i];
    if (!entry.inside) return;
    EagerRef inside = entry.inside;
    if (entry.value == RandomPlace()) return LandPlace(i);
    capture_.CheckKnown(*inside);
    if (entry.written()) {
      t_.landings.push_back({i, FetchWritten(inside), /*grad=*/false});
    }
    if (entry.leaf && inside->requires_grad != entry.required_grad) {
      t_.flags.emplace_back(i, inside->requires_grad);
    }
    if (!entry.grad_set || inside->grad == entry.grad_before) {
      if (!entry.grad_set || entry.grad_before) return;
      // Cleared, and it may have been there.
    }
    if (!entry.grad_loaded) t_.dropped.push_back(i);
    if (!inside->grad) {
      t_.cleared.push_back(i);
      return;
    }
    const EagerValue& grad = *inside->grad;
    if (grad.rows) {
      size_t first = Fetch(capture_.ValueOf(Tensor(grad.rows->indices)));
      Fetch(capture_.ValueOf(Tensor(grad.rows->values)));
      t_.landings.push_back({i, first, /*grad=*/true, /*rows=*/true});
      return;
    }
    t_.landings.push_back({i, Once(inside->grad), /*grad=*/true});
  }

  // How often it draws, where that is the same in every call.
  void LandPlace(size_t i) {
    const Capture::Entry& entry = capture_.entries()[i];
    t_.place = static_cast<int64_t>(i);
    PlaceAhead ahead = AheadOf(capture_.Now(*entry.inside));
    t_.draws = ahead.draws;
    if (ahead.from == entry.arg) return;
    t_.place_fetch = static_cast<int64_t>(FetchWritten(entry.inside));
  }

  // What calls on the way to results have kept (front/kept_values.h).
  void Kept() {
    std::unordered_map<const WriteLog*, size_t> sources, returned;
    for (size_t i = 0; i < capture_.entries().size(); ++i) {
      const EagerRef& inside = capture_.entries()[i].inside;
      if (inside && inside->log) sources.try_emplace(inside->log.get(), i);
    }
    for (const auto& [value, fetch] : fetched_) {
      if (value->log) returned.try_emplace(value->log.get(), fetch);
    }
    std::unordered_map<const WriteLog*, size_t> all = sources;
    all.insert(returned.begin(), returned.end());
    t_.overwritten.resize(t_.fetched.size());
    for (const auto& [fetch, value] : flowing_) {
      for (KeptValue& kept : KeptFor(*value, all)) {
        if (kept.log->count != kept.count) {
          t_.overwritten[fetch] =
              OverwrittenText(kept.before, kept.type, *kept.log, kept.after);
          continue;
        }
        auto source = sources.find(kept.log);
        bool around = source != sources.end();
        t_.kept.push_back(
            {fetch, around ? static_cast<int64_t>(source->second) : -1,
             around ? 0 : returned.at(kept.log), std::move(kept.before),
             std::move(kept.type), std::move(kept.after)});
      }
    }
  }

  // Elements alone: a leaf stays one.
  size_t FetchWritten(const EagerRef& inside) {
    if (inside->producer && inside->tracked()) return Fetch(inside);
    t_.fetched.push_back({capture_.Now(*inside), false, false});
    return t_.fetched.size() - 1;
  }

  Trace& t_;
  Capture& capture_;
  const std::string& name_;
  std::source_location where_;
  std::unordered_map<const EagerValue*, int> uses_;
  std::unordered_map<const EagerValue*, size_t> fetched_;
  std::vector<std::pair<size_t, EagerRef>> flowing_;  // by fetch
};

}  // namespace

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
  GraphScope building(graph);
  Capture capture(t.graph);
  capture.set_sizes(std::make_shared<SizeGuards>(graph, args, variant->names));
  std::vector<Tensor> inside;
  for (const Tensor& arg : args) {
    inside.push_back(Tensor(
        capture.AddArgument(arg.eager(), PartialShape::OfRank(arg.rank()))));
  }
  BodyResult given = variant->body(inside);
  t.note = std::move(given.note);
  Finisher finish(t, capture, name, where);
  finish.Results(given.tensors);
  finish.Sources();
  t.facts = capture.facts();
  t.sizes = capture.sizes();
  std::vector<Value> fetches;
  for (const Fetched& f : t.fetched) fetches.push_back(f.value);
  fetches.insert(fetches.end(), t.told.begin(), t.told.end());
  std::vector<Node*> targets = EffectsOf(graph);
  t.master = std::make_unique<LocalMaster>(
      graph, MasterOptions{.resources = SharedResources()});
  t.program = ValueOrThrow(
      t.master->ProgramFor(t.feeds, fetches, targets, ExecutorChoice::kAuto));
  t.random = DrawsApart(t.program->graph().root());
  t.info.nodes = graph.num_nodes();
  t.info.captured = static_cast<int64_t>(t.sources.size() - t.num_args);
  std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - began;
  t.info.milliseconds = took.count();
  return made;
}

}  // namespace sluice::front_internal
