// Views and writes in a function being recorded.
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/view_write.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/memory_of.h"
#include "sluice/trace/trace_call.h"

namespace sluice {

using front_internal::EagerMode;

// A view of `from`, as in imperative code: both share one memory.
void Capture::Share(const EagerRef& made, const EagerRef& from,
                    const Node& node) {
  const OpRecord& op = node.op();
  const Attrs& attrs = node.attrs();
  if (!op.view_order) return;
  const TraceState& before = *from->traced;
  TraceState& now = *made->traced;
  ViewOrder order = op.view_order(attrs);
  // A view of a detached tensor is a view of that tensor, which may get a
  // history of its own.
  bool further = from->view_of && !StandsAlone(*from);
  const EagerRef& base = further ? from->view_of->base : from;
  // A view that shows elements more than once cannot be written through.
  now.expanded = before.expanded || !op.write_back;
  if (order == ViewOrder::kNeeds && !before.contiguous) {
    MayBe(*made, base, TraceState::Perhaps::How::kStrides);
    return;
  }
  if (order == ViewOrder::kNeeds) MemoryOf(from)->traced->reshaped = true;
  now.contiguous =
      order != ViewOrder::kChanges && before.contiguous && !now.expanded;
  now.seen = from->writes().count;
  made->view = true;
  made->log = from->log;
  made->view_of = std::make_unique<ViewOf>();
  made->view_of->base = base;
  made->view_of->moved = base->moved;
  made->view_of->seen = from->log->histories;
  made->view_of->records =
      EagerMode::Current().grad && (!further || from->view_of->records);
  if (further) made->view_of->steps = from->view_of->steps;
  ViewStep step{&op, attrs, {}};
  for (int i = 1; i < node.num_inputs(); ++i) {
    step.others.push_back(Frozen(node.input(i)));
  }
  made->view_of->steps.push_back(std::move(step));
}

void Capture::OrderMatters(const EagerValue& base) {
  if (base.traced->entry < 0) return;
  Entry& entry = entries_[static_cast<size_t>(base.traced->entry)];
  if (base.traced->reshaped || !entry.contiguous) entry.order_matters = true;
}

void Capture::LookedInto(const EagerValue& view) {
  OrderMatters(MemoryOf(view));
  for (const TraceState::Perhaps& p : view.traced->perhaps) {
    OrderMatters(*p.other);
  }
}

bool Capture::HaveOneShape(const Value& a, const Value& b) {
  if (a.shape().fully_known() && b.shape().fully_known()) {
    return a.shape() == b.shape();
  }
  if (!a.shape().rank_known() || !b.shape().rank_known()) return false;
  if (a.shape().rank() != b.shape().rank() || !sizes_) return false;
  Value same = TraceNode(
      *this, "Equal",
      {TraceNode(*this, "Shape", {a}, {}), TraceNode(*this, "Shape", {b}, {})},
      {});
  same = TraceNode(*this, "All", {same}, {});
  Result<std::optional<double>> now = sizes_->now().NumberOf(same);
  if (!now.ok() || !*now || **now == 0) return false;
  return sizes_->Require(same, "two shapes are one").ok();
}

void Capture::SetData(const EagerRef& target, const EagerRef& made,
                      const SourceLine& line) {
  if (target == made) return;
  auto refuse = [&](std::string_view what) {
    throw Error(Unimplemented(StrCat("data: ", what,
                                     " while a function is recorded; wanted "
                                     "copy_() under no_grad"))
                    .WithLine(StrCat("at ", line)));
  };
  const EagerRef& base = MemoryOf(made);
  if (region_) refuse("a tensor is given other memory in a branch or loop");
  if (target->view_of) refuse("a view is given other memory");
  if (base == target || base->traced->entry >= 0) {
    refuse("a tensor is given the memory of one from outside");
  }
  Value now = Now(*made), before = Now(*target);
  if (now.dtype() != before.dtype() || !HaveOneShape(now, before)) {
    refuse("a tensor is given elements of another type or shape");
  }
  Write(target, made, line, /*records=*/false);
  ++target->moved;
  // A write to one of them is a write to both.
  MayBe(*base, target, TraceState::Perhaps::How::kLook);
}

void Capture::Write(const EagerRef& target, const EagerRef& made,
                    const SourceLine& line, bool records) {
  const EagerRef memory = MemoryOf(target);
  CheckApart(*memory, line);
  OrderMatters(*memory);
  for (const TraceState::Perhaps& p : memory->traced->perhaps) {
    p.other->traced->unknown = true;
    p.other->traced->unknown_by = line;
    unknown_via_[p.other.get()].push_back(memory->traced->value.node);
  }
  memory->traced->perhaps.clear();
  WriteInto(target, made, line, records);
}

EagerRef Capture::WithPart(const EagerRef& view, const EagerRef& part,
                           const SourceLine& line) {
  const std::vector<ViewStep>& steps = view->view_of->steps;
  std::vector<EagerRef> parts{view->view_of->base};
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    std::vector<EagerRef> inputs{parts.back()};
    inputs.insert(inputs.end(), steps[i].others.begin(), steps[i].others.end());
    EagerResults results;
    ThrowIfError(Call(*steps[i].op, inputs, steps[i].attrs, line, results));
    parts.push_back(results[0]);
  }
  EagerRef whole = part;
  for (size_t i = steps.size(); i-- > 0;) {
    whole = ValueOrThrow(WriteBack(steps[i], parts[i], whole, line));
  }
  return whole;
}

void Capture::WriteInto(const EagerRef& target, const EagerRef& made,
                        const SourceLine& line, bool records) {
  if (target->view_of) {
    CheckUnmoved(*target);
    const bool alone = StandsAlone(*target);
    if (alone && records) CheckOwnHistory(*target, line);
    EagerRef whole = WithPart(target, made, line);
    WriteInto(target->view_of->base, whole, line, records && !alone);
    if (alone && records) {
      TakeHistory(*target, made);
      target->traced->seen = target->log->count;
    }
    return;
  }
  Value now = Now(*made);
  NoteChange(*target, /*written=*/true);
  WriteLog& log = target->writes();
  ++log.count;
  log.last = line;
  TraceState& traced = *target->traced;
  if (!records && target->tracked()) {
    if (!traced.history) traced.history = traced.value;
    traced.value = now;
    return;
  }
  traced.value = now;
  traced.history = {};
  traced.tainted = made->traced->tainted;
  if (!records) return;
  ++log.histories;
  target->producer = made->producer;
  target->output = made->output;
}

void Capture::CheckOwnHistory(const EagerValue& alone,
                              const SourceLine& line) const {
  for (const Look& look : looks_) {
    if (look.inside.get() != &alone || !look.in_region) continue;
    throw Error(
        Unimplemented(
            StrCat("a captured function writes a value that requires gradients "
                   "into ",
                   look.value->Describe(),
                   ", which was detached from another tensor and is met in a "
                   "branch or loop first; wanted it read before that"))
            .WithLine(StrCat("at ", line)));
  }
}

void Capture::TakeHistory(EagerValue& alone, const EagerRef& made) {
  Value now = Now(*made);
  NoteChange(alone, /*written=*/true);
  ++alone.writes().histories;
  TraceState& traced = *alone.traced;
  traced.value = now;
  traced.history = {};
  traced.tainted = made->traced->tainted;
  alone.producer = made->producer;
  alone.output = made->output;
}

}  // namespace sluice
