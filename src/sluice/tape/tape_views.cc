#include "sluice/tape/tape_views.h"

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

// Represents an arbitrary base address: only ever added to and subtracted from.
void* FakeBase() { return reinterpret_cast<void*>(uintptr_t{1} << 40); }

}  // namespace

TapeViews::TapeViews(const std::vector<Node*>& nodes,
                     const std::vector<Value>& outputs) {
  std::unordered_set<Value, ValueHash> given(outputs.begin(), outputs.end());
  for (Node* node : nodes) {
    if (!node->op().view || given.count(node->output(0))) continue;
    Layout in = LayoutOf(node->input(0));
    std::vector<Array> inputs;
    inputs.push_back(Array::Borrow(FakeBase(), node->input(0).dtype(), in.shape,
                                   in.strides));
    bool known = true;
    for (int i = 1; i < node->num_inputs(); ++i) {
      const Array* value = ConstantValue(node->input(i));
      known = known && value;
      inputs.push_back(value ? *value : Array());
    }
    if (!known) continue;
    StepContext step;
    NodeInfo info{node->name(), node->line(), node->key()};
    Array out;
    KernelContext context(node->op(), node->attrs(), info, step, inputs,
                          {&out, 1});
    if (!node->op().view(context, &out)) continue;
    int64_t offset = static_cast<const char*>(out.raw()) -
                     static_cast<const char*>(FakeBase());
    views_[node] = {out.shape(), out.strides(), offset};
  }
}

TapeViews::Layout TapeViews::LayoutOf(const Value& v) const {
  auto it = views_.find(v.node);
  if (it != views_.end()) return it->second;
  Shape shape = v.shape().ToShape();
  return {shape, ContiguousStrides(shape), 0};
}

Value TapeViews::Root(Value v) const {
  while (IsView(v.node)) v = v.node->input(0);
  return v;
}

bool TapeViews::ShowsAll(const Value& v) const {
  Layout layout = LayoutOf(v);
  // Contiguous and with the same number of elements: it starts where its root
  // starts.
  return IsContiguous(layout.shape, layout.strides) &&
         layout.shape.num_elements() ==
             Root(v).shape().ToShape().num_elements() &&
         Root(v).dtype() == v.dtype();
}

}  // namespace sluice
