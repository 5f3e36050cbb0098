#include "sluice/front/tape.h"

#include <atomic>

#include "sluice/base/strings.h"
#include "sluice/front/eager_grad_context.h"

namespace sluice {

namespace {

std::atomic<uint64_t> next_sequence{1};

}  // namespace

TapeEdge EdgeTo(const EagerRef& value) {
  if (value->producer) return {value->producer, value->output, {}};
  if (value->requires_grad) return {{}, 0, value};
  return {};
}

TapeNode::TapeNode(SourceLine line)
    : sequence_(next_sequence.fetch_add(1, std::memory_order_relaxed)),
      line_(line) {}

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

OpTapeNode::Saved OpTapeNode::Save(const EagerRef& value, bool keep) const {
  if (!keep) {
    const Array& a = value->array;
    return {Array::Borrow(nullptr, a.dtype(), a.shape()), {}, 0};
  }
  WriteLog& log = value->writes();
  return {value->array, Ref<WriteLog>::Share(&log), log.count};
}

Status OpTapeNode::Keep(std::span<const EagerRef> inputs,
                        std::span<const Array> outputs, bool overwritten) {
  uint64_t wants = 0;
  SmallVector<Array, 6> in;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i < 64 && edges[i]) wants |= uint64_t{1} << i;
    in.push_back(inputs[i]->array);
  }
  needs_ = op_->Needs(wants, in, outputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    bool keep = i >= 64 || (needs_.inputs >> i & 1);
    Saved saved = Save(inputs[i], keep);
    if (keep && overwritten && i == 0) {
      SL_ASSIGN_OR_RETURN(saved.array, saved.array.Clone());
      saved.log = {};
    }
    values_.push_back(std::move(saved));
  }
  return OkStatus();
}

void OpTapeNode::KeepOutputs(std::span<const EagerRef> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    values_.push_back(Save(outputs[i], i >= 64 || (needs_.outputs >> i & 1)));
  }
}

void OpTapeNode::Drop() {
  dropped_ = true;
  values_.clear();
}

Result<Array> OpTapeNode::Kept(size_t i) const {
  const Saved& saved = values_[i];
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
  return saved.array;
}

Status OpTapeNode::Backward(std::span<const EagerRef> dy, bool record,
                            std::span<EagerRef> dx) {
  if (dropped_) {
    return FailedPrecondition(
        StrCat("[", name(),
               "] backward went through here before and gave up what it kept; "
               "wanted retain_graph in the first backward"));
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
