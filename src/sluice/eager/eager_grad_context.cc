#include "sluice/eager/eager_grad_context.h"

#include <optional>
#include <utility>

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/rows.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/registry.h"

namespace sluice {

namespace {

// Tensors that are made of no other go there for as long as it lives.
class MakingOn {
 public:
  explicit MakingOn(Device& device)
      : outer_(std::exchange(front_internal::EagerMode::Current().device,
                             &device)) {}
  ~MakingOn() { front_internal::EagerMode::Current().device = outer_; }
  MakingOn(const MakingOn&) = delete;
  MakingOn& operator=(const MakingOn&) = delete;

 private:
  Device* outer_;
};

}  // namespace

EagerGradContext::EagerGradContext(OpTapeNode& node,
                                   std::span<const EagerRef> dy, bool record)
    : GradContext(node.op().record(), node.op().attrs()),
      node_(node),
      record_(record) {
  size_t inputs = node.edges.size(), outputs = node.num_outputs();
  for (size_t i = 0; i < inputs + outputs && setup_.ok(); ++i) {
    Result<Array> kept = node.Kept(i);
    if (!kept.ok()) {
      setup_ = kept.status();
      break;
    }
    TapeEdge edge;
    if (record && i < inputs) edge = node.edges[i];
    if (record && i >= inputs) {
      edge = {Ref<TapeNode>::Share(&node), static_cast<int>(i - inputs), {}};
    }
    EagerRef leaf = edge.leaf;
    int id = Enter(*std::move(kept), std::move(leaf), std::move(edge),
                   node.Keeps(i));
    (i < inputs ? in_ : out_).push_back(id);
  }
  if (!setup_.ok()) return;
  for (const EagerRef& g : dy) {
    dy_.push_back(g ? Enter(g->array, record ? g : EagerRef()) : -1);
    // Not the default device, where gradients of the host are the host's.
    if (g && g->array && Devices::Count() > 1) {
      device_ = &Devices::Of(g->array);
    }
  }
  for (size_t i = 0; i < inputs; ++i) {
    wants_.push_back(static_cast<bool>(node.edges[i]));
  }
  dx_.resize(inputs, -1);
}

int EagerGradContext::Enter(Array array, EagerRef value, TapeEdge edge,
                            bool kept) {
  table_.push_back({std::move(array), std::move(value), std::move(edge), kept});
  return static_cast<int>(table_.size()) - 1;
}

const EagerRef& EagerGradContext::ValueOf(int id) {
  Entry& entry = table_[static_cast<size_t>(id)];
  if (!entry.value) {
    entry.value = MakeRef<EagerValue>(entry.array);
    entry.value->producer = entry.edge.node;
    entry.value->output = entry.edge.output;
    entry.value->line = node_.line();
  }
  return entry.value;
}

Status EagerGradContext::Emit(const OpRecord& op, std::span<const int> inputs,
                              const Attrs& attrs, Ids& made) {
  for (int id : inputs) {
    if (!At(id).kept && !op.shape_only) {
      return Internal(StrCat("[", node_.name(),
                             "] its gradient reads a value that "
                             "was not kept"));
    }
  }
  // A constant is there already.
  static const OpRecord* constant = FindOp("Const");
  if (&op == constant) {
    made.push_back(Enter(attrs.get<Array>("value")));
    table_.back().constant = true;
    return OkStatus();
  }
  std::optional<MakingOn> there;
  if (device_) {
    there.emplace(*device_);
    SL_RETURN_IF_ERROR(BringConstants(op, inputs));
  }
  if (record_) {
    SmallVector<EagerValue*, 6> values;
    for (int id : inputs) values.push_back(ValueOf(id).get());
    SmallVector<EagerRef, 4> results;
    SL_RETURN_IF_ERROR(EagerCall(op, values, attrs, node_.line(), results));
    for (EagerRef& r : results) {
      Array array = r->array;
      made.push_back(Enter(std::move(array), std::move(r)));
    }
    return OkStatus();
  }
  SmallVector<const Array*, 6> arrays;
  for (int id : inputs) arrays.push_back(&At(id).array);
  SL_ASSIGN_OR_RETURN(Ref<EagerOp> found, EagerOp::Find(op, attrs, arrays));
  SmallVector<Array, 4> results;
  results.resize(found->num_outputs());
  SL_RETURN_IF_ERROR(found->Run(arrays, results));
  for (Array& r : results) made.push_back(Enter(std::move(r)));
  return OkStatus();
}

// As those the source writes down among the operands of a call: with tensors
// of the host, sizes, they stay; without any tensor the call is made on the
// gradient's device.
Status EagerGradContext::BringConstants(const OpRecord& op,
                                        std::span<const int> inputs) {
  auto read = [&](size_t i) {
    const Array& in = At(inputs[i]).array;
    return IsPlainData(in.dtype()) && ReadOnDevice(op, in, i, inputs.size());
  };
  bool alone = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (At(inputs[i]).constant || !read(i)) continue;
    const Array& in = At(inputs[i]).array;
    if (!in.memory() && in.rank() > 0) return OkStatus();
    alone = alone && !in.memory();
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    Entry& entry = table_[static_cast<size_t>(inputs[i])];
    if (!entry.constant || !read(i)) continue;
    if (entry.array.rank() == 0 && !alone) continue;  // it goes anywhere
    SL_RETURN_IF_ERROR(Bring(entry));
    alone = false;
  }
  return OkStatus();
}

Status EagerGradContext::Bring(Entry& constant) {
  SL_ASSIGN_OR_RETURN(constant.array, CopyTo(constant.array, *device_));
  constant.value = {};
  constant.constant = false;
  return OkStatus();
}

Result<EagerRef> EagerGradContext::Gradient(size_t i) {
  int id = dx_[i];
  if (id < 0) return EagerRef();
  if (Entry& made = table_[static_cast<size_t>(id)];
      made.constant && device_ && IsPlainData(made.array.dtype())) {
    SL_RETURN_IF_ERROR(Bring(made));
  }
  const Array& g = At(id).array;
  const Array& x = At(in_[i]).array;
  if (!dx_rows_.empty() && dx_rows_[i] >= 0) {
    return MakeRows(Whole(dx_rows_[i]), Whole(id), x.dtype(), x.shape());
  }
  if (!(g.shape() == x.shape()) || g.dtype() != x.dtype()) {
    return Internal(StrCat("[", node_.name(), "] its gradient gives ",
                           g.TypeText(), " for input ", i, "; wanted ",
                           x.TypeText()));
  }
  return Whole(id);
}

EagerRef EagerGradContext::Whole(int id) {
  if (record_) return ValueOf(id);
  return MakeRef<EagerValue>(At(id).array);
}

}  // namespace sluice
