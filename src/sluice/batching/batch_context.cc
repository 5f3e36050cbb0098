#include "sluice/batching/batch_context.h"

namespace sluice {

BatchContext::BatchContext(BatchScope& scope, const Node& node)
    : Emitter(scope.emit()), scope_(scope), node_(node) {
  for (const Value& v : node.inputs()) in_.push_back(scope.Find(v));
  out_.resize(static_cast<size_t>(node.num_outputs()));
}

bool BatchContext::any_batched() const {
  for (const Lanes& lanes : in_) {
    if (lanes.batched) return true;
  }
  return false;
}

Emitter::Values BatchContext::all_full() {
  Values values;
  for (int i = 0; i < num_inputs(); ++i) values.push_back(full(i));
  return values;
}

int BatchContext::common_rank() const {
  for (int i = 1; i < num_inputs(); ++i) {
    if (rank(i) != rank(0)) return -1;
  }
  return num_inputs() == 0 ? -1 : rank(0);
}

Value BatchContext::LaneNumbers(DType dtype, int rank) {
  Value numbers = Call("Range", {Int(0), ScalarOf(lanes()), Int(1)});
  if (dtype != DType::kI64) {
    numbers = Call("Cast", {numbers}, {{"dtype", dtype}});
  }
  return Expand(numbers, 1, rank - 1);
}

Emitter::Values BatchContext::Again(const Values& inputs, const Attrs& attrs) {
  Node* made = Add(node_.op().name, inputs, attrs);
  Values outputs;
  for (int i = 0; i < node_.num_outputs(); ++i) {
    outputs.push_back(made ? made->output(i) : Value());
  }
  return outputs;
}

bool BatchContext::SetAll(const Values& inputs, const Attrs& attrs) {
  Values made = Again(inputs, attrs);
  for (size_t i = 0; i < made.size(); ++i) set(static_cast<int>(i), made[i]);
  return true;
}

Attrs BatchContext::ShiftedAxis(int rank, std::string_view name) const {
  int64_t axis = attr<int64_t>(name);
  Attrs moved = attrs();
  moved.set(name, (axis < 0 ? axis + rank : axis) + 1);
  return moved;
}

}  // namespace sluice
