#include "sluice/eager/view_write.h"

#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/device/devices.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/op/registry.h"

namespace sluice {

namespace {

Result<EagerRef> Replay(const EagerRef& x, const std::vector<ViewStep>& steps,
                        const SourceLine& line) {
  EagerRef part = x;
  for (const ViewStep& step : steps) {
    std::vector<EagerRef> inputs{part};
    inputs.insert(inputs.end(), step.others.begin(), step.others.end());
    EagerResults made;
    SL_RETURN_IF_ERROR(EagerCall(*step.op, std::span<const EagerRef>(inputs),
                                 step.attrs, line, made));
    part = made[0];
  }
  return part;
}

// A value of which a part was replaced: what flows into the part flows to what
// was written there, the rest to what was there before.
class ViewWriteNode final : public TapeNode {
 public:
  ViewWriteNode(std::vector<ViewStep> steps, SourceLine line)
      : TapeNode(line), steps_(std::move(steps)) {}
  std::string_view name() const override { return "a write to a view"; }
  size_t num_outputs() const override { return 1; }
  void Drop() override { dropped_ = true; }
  bool dropped() const override { return dropped_; }

  Status Backward(std::span<const EagerRef> dy, bool,
                  std::span<EagerRef> dx) override {
    if (dropped_) {
      return FailedPrecondition(
          "[a write to a view] backward went through here before and gave up "
          "what it kept; wanted retain_graph in the first backward");
    }
    if (!dy[0]) return OkStatus();
    static const OpRecord* select = FindOp("Select");
    static const OpRecord* zeros_like = FindOp("ZerosLike");
    if (edges[1]) {
      SL_ASSIGN_OR_RETURN(dx[1], Replay(dy[0], steps_, line()));
    }
    if (edges[0]) {
      SL_ASSIGN_OR_RETURN(EagerRef rest, Rest(dy[0]->array));
      EagerResults zeros, kept;
      SL_RETURN_IF_ERROR(
          EagerCall(*zeros_like, {&dy[0], 1}, {}, line(), zeros));
      EagerRef in[] = {rest, dy[0], zeros[0]};
      SL_RETURN_IF_ERROR(EagerCall(*select, in, {}, line(), kept));
      dx[0] = kept[0];
    }
    return OkStatus();
  }

 private:
  // True where nothing was written, for a gradient to be chosen by: found on
  // the host, and then where the gradient lies.
  Result<EagerRef> Rest(const Array& like) const {
    SL_ASSIGN_OR_RETURN(Array mask, Array::Make(DType::kBool, like.shape()));
    std::fill_n(mask.mutable_data<bool>(), mask.num_elements(), true);
    EagerRef whole = MakeRef<EagerValue>(std::move(mask));
    NoGrad off;
    SL_ASSIGN_OR_RETURN(EagerRef part, Replay(whole, steps_, line()));
    EagerRef no[] = {MakeRef<EagerValue>(Array::Scalar<bool>(false))};
    SL_RETURN_IF_ERROR(
        EagerCallInPlace(*FindOp("Overwrite"), part, no, {}, line()));
    SL_ASSIGN_OR_RETURN(StartedCopy there,
                        StartCopy(whole->array, Devices::Of(like)));
    return MakeRef<EagerValue>(std::move(there.value));
  }

  const std::vector<ViewStep> steps_;
  bool dropped_ = false;
};

}  // namespace

void NoteView(EagerValue& view, const OpRecord& op, const Attrs& attrs,
              EagerPointers inputs, bool records) {
  EagerValue& from = *inputs[0];
  ForgetMovedBase(from);
  // A look at what looks into memory in a way nobody knows is such a look, too.
  if (from.view && !from.view_of) return;
  view.view_of = std::make_unique<ViewOf>();
  ViewOf& how = *view.view_of;
  how.records = records;
  if (from.view_of && !StandsAlone(from)) {
    how.base = from.view_of->base;
    how.steps = from.view_of->steps;
    how.records = records && from.view_of->records;
  } else {
    how.base = EagerRef::Share(&from);
  }
  how.seen = view.log->histories;
  how.moved = how.base->moved;
  ViewStep step{&op, attrs, {}};
  for (EagerValue* other : inputs.subspan(1)) {
    // Sizes, as they are now.
    Result<Array> copy = other->array.Clone();
    step.others.push_back(
        MakeRef<EagerValue>(copy.ok() ? *copy : other->array));
  }
  how.steps.push_back(std::move(step));
}

namespace {

void Forget(EagerValue& view) {
  view.view_of = nullptr;
  view.view = false;
}

}  // namespace

void ForgetMovedBase(EagerValue& view) {
  if (!view.view_of || view.view_of->base->moved == view.view_of->moved) return;
  Forget(view);
}

void ForgetUnseenBase(EagerValue& view) {
  if (StandsAlone(view) && view.view_of->base->unique()) Forget(view);
}

bool StandsAlone(const EagerValue& view) {
  return view.view_of && !view.view_of->steps.back().op->grad;
}

void RefreshView(EagerValue& view) {
  ForgetMovedBase(view);
  if (!view.view_of) return;
  ViewOf& how = *view.view_of;
  if (how.seen == view.log->histories) return;
  how.seen = view.log->histories;
  GradModeScope mode(how.records);
  EagerRef now = ValueOrThrow(Replay(how.base, how.steps, view.line));
  view.producer = now->producer;
  view.output = now->output;
}

void ComeFrom(EagerValue& view, const EagerValue& part) {
  view.producer = part.producer;
  view.output = part.output;
  if (view.traced && part.traced) view.traced->value = part.traced->value;
}

void ChangeHistory(EagerValue& view, const SourceLine& line) {
  ForgetMovedBase(view);
  if (!view.view_of) return;
  // The elements are shared, as before; the history is its own from now on.
  if (StandsAlone(view)) return Forget(view);
  ViewOf& how = *view.view_of;
  EagerValue& base = *how.base;
  if (StandsAlone(base)) Forget(base);
  auto node = MakeRef<ViewWriteNode>(how.steps, line);
  node->edges.push_back(EdgeTo(base));
  node->edges.push_back(EdgeTo(view));
  node->SetDepth();
  base.producer = node;
  base.output = 0;
  how.seen = view.log->histories;
}

}  // namespace sluice
