#include "sluice/eager/tape.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/eager/eager_grad_context.h"
#include "sluice/eager/recompute.h"
#include "sluice/eager/shared_outside.h"
#include "sluice/tensor/list.h"

namespace sluice {

TapeEdge EdgeTo(EagerValue& value) {
  if (value.producer) return {value.producer, value.output, {}};
  if (value.requires_grad) return {{}, 0, EagerRef::Share(&value)};
  return {};
}

void TapeNode::SetDepth() {
  for (const TapeEdge& edge : edges) {
    if (edge.node) depth_ = std::max(depth_, edge.node->depth_ + 1);
  }
}

// A chain of a million calls must not take a million stack frames: nodes that
// die with this one hand their edges over before they do.
TapeNode::~TapeNode() {
  SmallVector<Ref<TapeNode>, 4> open;
  auto take = [&](TapeNode& node) {
    for (TapeEdge& edge : node.edges) {
      if (edge.node && edge.node->unique()) {
        open.push_back(std::move(edge.node));
      }
    }
  };
  take(*this);
  while (!open.empty()) {
    Ref<TapeNode> node = std::move(open.back());
    open.resize(open.size() - 1);
    take(*node);
  }
}

OpTapeNode::OpTapeNode(Ref<EagerOp> op, SourceLine line)
    : TapeNode(line), op_(std::move(op)) {
  if (RecomputeRegion* region = RecomputeRegion::Current()) {
    kept_ = !region->Enter(*this);
  }
}

OpTapeNode::~OpTapeNode() {
  if (region_) region_->Leave(number_);
}

void OpTapeNode::SetRegion(Ref<RecomputeRegion> region, size_t number) {
  region_ = std::move(region);
  number_ = number;
}

void OpTapeNode::TakeValues(OpTapeNode& repetition) {
  if (dropped_) return;
  values_ = std::move(repetition.values_);
  kept_ = true;
}

OpTapeNode::Saved OpTapeNode::Save(EagerValue& value) const {
  WriteLog& log = value.writes();
  if (SharedOutside::Is(&log)) [[unlikely]] {
    if (Result<Array> copy = value.array.Clone(); copy.ok()) {
      return {*std::move(copy), {}};
    }
  }
  return {value.array, Ref<WriteLog>::Share(&log), log.count};
}

// Of what is not kept, type and shape are: those of something that is kept
// anyway, where there is such a thing.
OpTapeNode::Saved OpTapeNode::TypeOnly(const Array& a) const {
  if (const ListValue* list = ListOf(a)) {
    return {ListArray(ListValue::Hollow(list->dtype(), list->size())), {}};
  }
  for (uint32_t i = 0; i < values_.size(); ++i) {
    const Array& other = values_[i].array;
    if (other && other.dtype() == a.dtype() && other.shape() == a.shape()) {
      return {{}, {}, 0, i};
    }
  }
  return {Array::Borrow(nullptr, a.dtype(), a.shape()), {}};
}

Status OpTapeNode::Keep(std::span<EagerValue* const> inputs,
                        std::span<const Array> outputs, bool overwritten) {
  uint64_t wants = 0, ranks = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i < 64 && edges[i]) wants |= uint64_t{1} << i;
    ranks = ranks * 16 + static_cast<uint64_t>(inputs[i]->array.rank());
  }
  if (const GradNeeds* known = op_->KnownNeeds(wants, ranks)) {
    needs_ = *known;
  } else {
    SmallVector<const Array*, 4> in, out;
    for (const EagerValue* v : inputs) in.push_back(&v->array);
    for (const Array& a : outputs) out.push_back(&a);
    needs_ = op_->Needs(wants, in, out);
  }
  if (!kept_) return OkStatus();
  values_.resize(inputs.size());
  // Those that are kept first: their types may serve for others.
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!KeepsInput(i)) continue;
    if (overwritten && i == 0) {
      SL_ASSIGN_OR_RETURN(values_[i].array, inputs[i]->array.Clone());
    } else {
      values_[i] = Save(*inputs[i]);
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!KeepsInput(i)) values_[i] = TypeOnly(inputs[i]->array);
  }
  return OkStatus();
}

void OpTapeNode::KeepOutputs(std::span<const EagerRef> outputs) {
  if (!kept_) return;
  for (size_t i = 0; i < outputs.size(); ++i) {
    values_.push_back(KeepsOutput(i) ? Save(*outputs[i])
                                     : TypeOnly(outputs[i]->array));
  }
}

Status UsedUp(std::string_view name) {
  return FailedPrecondition(
      StrCat("[", name,
             "] backward went through here before and gave up what it kept; "
             "wanted retain_graph in the first backward"));
}

void OpTapeNode::Drop() {
  dropped_ = true;
  values_.clear();
}

Result<Array> OpTapeNode::Kept(size_t i) const {
  const Saved& saved = values_[i];
  SharedOutside::NoticeWrites(saved.log.get());
  if (saved.log && saved.log->count != saved.count) {
    size_t inputs = edges.size();
    std::string which = i < inputs
                            ? op_->record().InputName(static_cast<int>(i))
                            : StrCat("the result of the call");
    return FailedPrecondition(
        StrCat("[", name(), "] ", which, " (", saved.array.TypeText(),
               ") is needed for the gradient, but was overwritten in place at ",
               saved.log->last.ToString(), "; wanted it as it was at ",
               line().ToString(), ": write out of place, or to a clone()"));
  }
  return saved.array ? saved.array : values_[saved.like].array;
}

Status OpTapeNode::Backward(std::span<const EagerRef> dy, bool record,
                            std::span<EagerRef> dx) {
  if (dropped_) return UsedUp(name());
  if (!kept_) {
    // The region outlives its own run: this node keeps it.
    SL_RETURN_IF_ERROR(region_->Recompute());
  }
  EagerGradContext context(*this, dy, record);
  SL_RETURN_IF_ERROR(context.status());
  op_->record().grad(context);
  SL_RETURN_IF_ERROR(context.status());
  for (size_t i = 0; i < dx.size(); ++i) {
    SL_ASSIGN_OR_RETURN(dx[i], context.Gradient(i));
  }
  return OkStatus();
}

}  // namespace sluice
