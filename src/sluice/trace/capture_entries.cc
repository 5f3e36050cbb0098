// The entries of a function being recorded, and their stand-ins.
#include <optional>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/rows.h"
#include "sluice/eager/same_memory.h"
#include "sluice/eager/scope.h"
#include "sluice/eager/view_write.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/trace_call.h"

namespace sluice {

using front_internal::Building;

Capture::Entry& Capture::AddEntry(const EagerRef& value,
                                  const PartialShape& shape,
                                  std::string_view kind) {
  std::string name = StrCat(kind, "_", entries_.size());
  std::optional<MutexLock> lock;
  if (Building::Current().locked != &graph_) lock.emplace(graph_.mu());
  // Gradients built earlier have added arguments of their own.
  while (graph_.root().FindArg(name) >= 0) name += "_more";
  Value arg = ValueOrThrow(
      graph_.AddArg(graph_.root(), name, {value->array.dtype(), shape}));
  entries_.push_back({.value = value, .arg = arg, .inside = {}});
  return entries_.back();
}

namespace {

// The tensor's own history ends where the function begins.
void Resemble(EagerValue& inside, EagerValue& outside) {
  if (outside.producer) {
    auto way = MakeRef<OutsideTapeNode>(outside.Describe(), outside.line);
    way->before = outside.producer;
    inside.producer = std::move(way);
  } else {
    inside.requires_grad = outside.requires_grad;
  }
  if (outside.extra) {
    inside.extras().name = outside.extra->name;
    inside.extras().hooks = outside.extra->hooks;
    inside.extras().next_hook = outside.extra->next_hook;
  }
  inside.traced->contiguous = outside.array.contiguous();
}

void Describe(Capture::Entry& entry) {
  entry.required_grad = entry.value->tracked();
  entry.leaf = !entry.value->producer;
  entry.contiguous = entry.value->array.contiguous();
}

// Two entries that share memory in an unknown way cannot be followed.
void CheckPair(const Capture::Entry& written, const Capture::Entry& other,
               const SourceLine& line, std::vector<EagerRef>* shared) {
  if (&other == &written || other.value == written.value || !other.inside) {
    return;
  }
  if (IsReference(written.value->array.dtype()) ||
      IsReference(other.value->array.dtype()) ||
      !SameMemory(written.value->array, other.value->array)) {
    return;
  }
  if (shared) shared->insert(shared->end(), {written.value, other.value});
  throw Error(
      Unimplemented(
          StrCat("a captured function writes ", written.value->Describe(),
                 ", whose memory it also sees as ", other.value->Describe(),
                 "; wanted one of them as a view of the other, or clone()"))
          .WithLine(StrCat("at ", line)));
}

// Checks the new entry against all others. Pairs of existing entries were
// checked when the second one was added, or when one was written.
void CheckNew(const Capture::Entry& entry,
              const std::deque<Capture::Entry>& all, const SourceLine& line,
              std::vector<EagerRef>* shared) {
  for (const Capture::Entry& other : all) {
    if (other.written()) CheckPair(other, entry, line, shared);
  }
}

}  // namespace

EagerRef Capture::AddArgument(const EagerRef& value,
                              const PartialShape& shape) {
  Entry& entry = AddEntry(value, shape, "arg");
  entry.argument = true;
  Describe(entry);
  auto [known, fresh] = inside_.try_emplace(value.get());
  if (!fresh) return known->second;
  EagerRef made = Make(entry.arg, value->line, {}, value->tracked());
  made->traced->entry = static_cast<int64_t>(entries_.size()) - 1;
  made->traced->serial = 0;  // it existed before all regions
  Resemble(*made, *value);
  known_[entry.arg].edge = EdgeTo(*made);
  entry.inside = made;
  known->second = made;
  return made;
}

void Capture::AddLookArgument(const EagerRef& value,
                              const PartialShape& shape) {
  Entry& entry = AddEntry(value, shape, "arg");
  entry.argument = true;
  Describe(entry);
}

EagerRef Capture::Replayed(const EagerValue& view, EagerRef inside) {
  GradModeScope mode(view.view_of->records);
  for (const ViewStep& step : view.view_of->steps) {
    std::vector<EagerRef> inputs{inside};
    for (const EagerRef& other : step.others) {
      inputs.push_back(Frozen(TraceConstant(*this, other->array)));
    }
    EagerResults results;
    ThrowIfError(Call(*step.op, inputs, step.attrs, view.line, results));
    inside = results[0];
  }
  return inside;
}

EagerRef Capture::InsideOfLook(const EagerRef& view) {
  const EagerRef& base = view->view_of->base;
  if (auto known = inside_.find(base.get()); known != inside_.end()) {
    return Replayed(*view, known->second);
  }
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].argument && entries_[i].value == base) {
      return Replayed(*view, LookArgument(i));
    }
  }
  // A detached tensor in between must be used by this view alone.
  bool between = base->view_of && !base->requires_grad && !base->grad;
  return Replayed(*view, between ? InsideOfLook(base) : StandIn(base));
}

EagerRef Capture::LookArgument(size_t argument) {
  EagerRef value = entries_[argument].value;
  if (auto known = inside_.find(value.get()); known != inside_.end()) {
    return known->second;
  }
  EagerRef made = InsideOfLook(value);
  if (value->tracked() && !made->tracked()) {
    throw Error(Unimplemented(
        StrCat("a captured function writes what ", value->Describe(),
               ", looks into, which has gradients that this tensor has not; "
               "wanted a clone()")));
  }
  looks_.push_back({value, made, false, static_cast<int64_t>(argument)});
  inside_[value.get()] = made;
  return made;
}

EagerRef Capture::StandIn(const EagerRef& value) {
  if (auto known = inside_.find(value.get()); known != inside_.end()) {
    int64_t entry = known->second->traced->entry;
    if (entry >= 0 && entries_[static_cast<size_t>(entry)].argument) {
      entries_[static_cast<size_t>(entry)].found_outside = true;
    }
    for (const Look& look : looks_) {
      if (look.argument < 0 || look.value != value) continue;
      entries_[static_cast<size_t>(look.argument)].found_outside = true;
    }
    return known->second;
  }
  ForgetMovedBase(*value);
  ForgetUnseenBase(*value);
  if (value->view_of && !value->requires_grad && !value->grad) {
    // The stand-in of a view is a view of the stand-in of its base.
    EagerRef made = Replayed(*value, StandIn(value->view_of->base));
    // A view of a parameter that is itself a view of its source has gradients
    // that this stand-in lacks.
    if (made->tracked() || !value->tracked()) {
      looks_.push_back({value, made, region_ != nullptr});
      inside_[value.get()] = made;
      // Nodes of a region are not visible outside it.
      if (region_) region_->met_.push_back(value.get());
      return made;
    }
  }
  Entry& entry =
      AddEntry(value, PartialShape(value->array.shape()), "captured");
  Describe(entry);
  EagerRef made = Make(entry.arg, value->line, {}, value->tracked());
  made->traced->entry = static_cast<int64_t>(entries_.size()) - 1;
  made->traced->serial = 0;  // it existed before all regions
  Resemble(*made, *value);
  known_[entry.arg].edge = EdgeTo(*made);
  entry.inside = made;
  inside_[value.get()] = made;
  CheckNew(entry, entries_, value->line, shared_);
  return made;
}

void Capture::CheckApart(const EagerValue& base, const SourceLine& line) const {
  if (base.traced->entry < 0) return;
  const Entry& own = entries_[static_cast<size_t>(base.traced->entry)];
  for (const Entry& other : entries_) CheckPair(own, other, line, shared_);
}

EagerRef Capture::ValueOf(const Tensor& tensor) {
  if (tensor.traced()) {
    const EagerRef& value = tensor.identity();
    bool before = !value->traced->recording && Mine(*value);
    return before ? Adopt(value->traced->value) : value;
  }
  if (tensor.symbolic()) return Adopt(tensor.value());
  return StandIn(tensor.eager());
}

EagerRef Capture::GradPart(const EagerRef& part, const EagerRef& grad_of,
                           Entry::Part which) {
  // Another call may have a different number of rows.
  PartialShape shape = part->array.shape();
  if (which != Entry::Part::kWhole) shape.set_dim(0, kUnknownDim);
  if (auto known = inside_.find(part.get()); known != inside_.end()) {
    return known->second;
  }
  Entry& entry = AddEntry(part, shape, "captured");
  entry.grad_of = grad_of;
  entry.part = which;
  EagerRef made = Make(entry.arg, part->line, {}, false);
  made->traced->entry = static_cast<int64_t>(entries_.size()) - 1;
  made->traced->serial = 0;  // it existed before all regions
  entry.inside = made;
  inside_[part.get()] = made;
  CheckNew(entry, entries_, part->line, shared_);
  return made;
}

EagerRef Capture::GradOf(EagerValue& inside) {
  if (inside.grad_place) return *inside.grad_place;
  if (inside.traced->entry < 0) return inside.grad;
  auto index = static_cast<size_t>(inside.traced->entry);
  if (entries_[index].grad_loaded || entries_[index].grad_set) {
    return inside.grad;
  }
  entries_[index].grad_loaded = true;
  EagerRef outside = entries_[index].value;
  grads_seen_.push_back(GradSeen(index, *outside));
  const EagerRef& before = outside->grad;
  if (!before) return {};
  EagerRef grad;
  if (before->rows) {
    Shape sizes = before->array.shape();
    Value shape = TraceConstant(*this, Array::Vector(sizes.dims()));
    grad = MakeRows(
        GradPart(before->rows->indices, outside, Entry::Part::kIndices),
        GradPart(before->rows->values, outside, Entry::Part::kValues), *this,
        shape, {before->array.dtype(), PartialShape(sizes)});
  } else {
    grad = GradPart(before, outside, Entry::Part::kWhole);
  }
  inside.grad = grad;
  entries_[index].grad_before = grad;
  return grad;
}

void Capture::SetGrad(const EagerRef& inside, EagerRef grad) {
  if (region_) GradOf(*inside);  // unchanged on the other path
  if (inside->traced->entry >= 0) {
    entries_[static_cast<size_t>(inside->traced->entry)].grad_set = true;
  }
  if (region_) region_->grads_.emplace_back(inside, inside->grad);
  inside->grad = std::move(grad);
  grads_when_.erase(inside.get());
}

void Capture::SetGradWhen(const EagerValue& inside, Value when) {
  grads_when_[&inside] = when;
}

Value Capture::GradWhen(const EagerValue& inside) const {
  auto known = grads_when_.find(&inside);
  return known == grads_when_.end() ? Value() : known->second;
}

void Capture::SetRequiresGrad(const EagerRef& inside, bool wanted) {
  bool around = region_ && inside->traced->serial <= region_->first_;
  for (const Look& look : looks_) {
    around = around || (look.inside == inside && look.in_region);
  }
  if (around || WhichOf(*inside).told) {
    throw Error(Unimplemented(
        StrCat("requires_grad_: ", inside->Describe(),
               ", was made outside of the branch or loop that sets this, or is "
               "a tensor of the program on some way; wanted it set before")));
  }
  for (const Look& look : looks_) {
    if (!wanted || look.inside != inside || inside->requires_grad) continue;
    throw Error(Unimplemented(
        StrCat("requires_grad_: ", look.value->Describe(),
               ", looks into the memory of another tensor, and gradients of "
               "the captured function would not reach it; wanted it set "
               "before the call")));
  }
  if (inside->requires_grad != wanted) flag_set_[inside.get()] = ++flag_number_;
  inside->requires_grad = wanted;
  if (wanted && inside->traced->entry >= 0) {
    Entry& entry = entries_[static_cast<size_t>(inside->traced->entry)];
    Value& now = inside->traced->value;
    if (!entry.required_grad && !entry.tracked_from) {
      now = entry.tracked_from = TraceNode(*this, "Identity", {now}, {});
      known_[now].owner = inside;
    }
    // Gradients flow to the tensor, whatever was written to it in the meantime.
    Value from = entry.tracked_from ? entry.tracked_from : entry.arg;
    if (now != from && !inside->traced->history) inside->traced->history = from;
  }
  Value now = inside->traced->value;
  known_[now].edge = wanted ? TapeEdge{{}, 0, inside} : TapeEdge();
  inside->traced->tainted = inside->traced->tainted || wanted;
  known_[now].tainted = inside->traced->tainted;
}

void Capture::Detach(const EagerRef& inside) {
  // On other paths it keeps the history it had.
  if (region_ && inside->traced->serial <= region_->first_) {
    throw Error(Unimplemented(
        StrCat("detach_: ", inside->Describe(),
               ", was made outside of the branch or loop that does this; "
               "wanted detach()")));
  }
  if (WhichOf(*inside).told) {
    throw Error(Unimplemented(
        StrCat("detach_: ", inside->Describe(),
               ", is a tensor of the program around on some way, by a branch; "
               "wanted detach()")));
  }
  Value now = TraceStopped(*this, Now(*inside));
  NoteChange(*inside, /*written=*/false);
  inside->traced->value = now;
  inside->traced->history = {};
  inside->producer = {};
  inside->output = 0;
  inside->requires_grad = false;
  inside->grad_place = nullptr;
  known_[now] = {{}, true, inside};
  if (region_) region_->made_.emplace_back(EagerRef(), now);
}

}  // namespace sluice
