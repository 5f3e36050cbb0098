// Views and writes in a function being recorded.
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/trace_call.h"

namespace sluice {

using front_internal::EagerMode;

// A view of `from`, as imperatively: both are one memory.
void Capture::Share(const EagerRef& made, const EagerRef& from,
                    const Node& node) {
  const OpRecord& op = node.op();
  const Attrs& attrs = node.attrs();
  if (!op.view_order) return;
  const TraceState& before = *from->traced;
  TraceState& now = *made->traced;
  ViewOrder order = op.view_order(attrs);
  const EagerRef& base = from->view_of ? from->view_of->base : from;
  // What shows elements more than once is a look that nobody writes through.
  now.expanded = before.expanded || !op.write_back;
  if (order == ViewOrder::kNeeds && !before.contiguous) {
    MayBe(*made, base, TraceState::Perhaps::How::kStrides);
    return;
  }
  if (order == ViewOrder::kNeeds) base->traced->reshaped = true;
  now.contiguous =
      order != ViewOrder::kChanges && before.contiguous && !now.expanded;
  now.seen = from->writes().count;
  made->view = true;
  made->log = from->log;
  made->view_of = std::make_unique<ViewOf>();
  made->view_of->base = base;
  made->view_of->moved = base->moved;
  made->view_of->seen = from->log->histories;
  made->view_of->records = EagerMode::Current().grad;
  if (from->view_of) made->view_of->steps = from->view_of->steps;
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
  if (view.view_of) OrderMatters(*view.view_of->base);
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
  const EagerRef& base = made->view_of ? made->view_of->base : made;
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
  // Who writes to one of them writes to both.
  MayBe(*base, target, TraceState::Perhaps::How::kLook);
}

void Capture::Write(const EagerRef& target, const EagerRef& made,
                    const SourceLine& line, bool records) {
  if (target->view_of) CheckUnmoved(*target);
  const EagerRef base = target->view_of ? target->view_of->base : target;
  CheckApart(*base, line);
  OrderMatters(*base);
  for (const TraceState::Perhaps& p : base->traced->perhaps) {
    p.other->traced->unknown = true;
    p.other->traced->unknown_by = line;
  }
  base->traced->perhaps.clear();
  EagerRef whole = made;
  bool cut = false;  // gradients do not flow from the view to what it looks at
  if (target->view_of) {
    const std::vector<ViewStep>& steps = target->view_of->steps;
    std::vector<EagerRef> parts{base};
    for (const ViewStep& step : steps) {
      cut = cut || !step.op->grad;
      if (parts.size() == steps.size()) break;
      std::vector<EagerRef> inputs{parts.back()};
      inputs.insert(inputs.end(), step.others.begin(), step.others.end());
      EagerResults results;
      ThrowIfError(Call(*step.op, inputs, step.attrs, line, results));
      parts.push_back(results[0]);
    }
    for (size_t i = steps.size(); i-- > 0;) {
      whole = ValueOrThrow(WriteBack(steps[i], parts[i], whole, line));
    }
  }
  Value now = Now(*whole);
  NoteChange(*base, /*written=*/true);
  WriteLog& log = base->writes();
  ++log.count;
  log.last = line;
  TraceState& traced = *base->traced;
  bool stays = !records || cut;
  if (stays && base->tracked()) {
    if (!traced.history) traced.history = traced.value;
    traced.value = now;
    return;
  }
  traced.value = now;
  traced.history = {};
  traced.tainted = whole->traced->tainted;
  if (stays) return;
  ++log.histories;
  base->producer = whole->producer;
  base->output = whole->output;
}

}  // namespace sluice
