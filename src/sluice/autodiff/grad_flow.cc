#include "sluice/autodiff/grad_flow.h"

#include "sluice/autodiff/list_sums.h"
#include "sluice/graph/device_near.h"

namespace sluice {

Result<Value> GradFlow::Call(const Value& v, std::string_view op,
                             std::span<const Value> inputs,
                             const Attrs& attrs) {
  NodeOptions options;
  options.scope = "gradients";
  options.device = DeviceNear(*v.node, inputs);
  options.line = v.node->line();
  SL_ASSIGN_OR_RETURN(Node * node,
                      graph_.Add(region_, op, inputs, attrs, options));
  return node->output();
}

Result<Value> GradFlow::ShapeOf(const Value& v) {
  if (!v.shape().fully_known()) return Call(v, "Shape", {&v, 1});
  Shape shape = v.shape().ToShape();
  return Call(v, "Const", {}, {{"value", Array::Vector(shape.dims())}});
}

Status GradFlow::MergeRows(const Value& v, std::vector<Rows>& rows) {
  if (rows.size() < 2) return OkStatus();
  bool mixed = false;
  for (const Rows& r : rows) {
    mixed = mixed || r.indices.dtype() != rows[0].indices.dtype();
  }
  std::vector<Value> indices, values;
  for (const Rows& r : rows) {
    Value at = r.indices;
    if (mixed && at.dtype() != DType::kI64) {
      SL_ASSIGN_OR_RETURN(at,
                          Call(v, "Cast", {&at, 1}, {{"dtype", DType::kI64}}));
    }
    indices.push_back(at);
    values.push_back(r.values);
  }
  Rows all;
  SL_ASSIGN_OR_RETURN(all.indices, Call(v, "Concat", indices));
  SL_ASSIGN_OR_RETURN(all.values, Call(v, "Concat", values));
  rows = {all};
  return OkStatus();
}

std::vector<GradPart> GradFlow::PartsOf(const Value& v) const {
  std::vector<GradPart> found;
  auto it = parts_.find(v);
  if (it == parts_.end()) return found;
  for (const Value& dense : it->second.dense) found.push_back({dense, {}, {}});
  for (const Rows& rows : it->second.rows) {
    found.push_back({{}, rows.indices, rows.values});
  }
  return found;
}

// A few parts are added by an op that can be fused; not in half precision, for
// which AddN rounds only once.
Result<Value> GradFlow::Sum(const Value& v, const std::vector<Value>& parts) {
  constexpr size_t kFew = 4;
  bool exact = v.dtype() == DType::kF32 || v.dtype() == DType::kF64;
  if (parts.size() > (exact ? kFew : 2)) return Call(v, "AddN", parts);
  Value sum = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    Value two[] = {sum, parts[i]};
    SL_ASSIGN_OR_RETURN(sum, Call(v, "Add", two));
  }
  return sum;
}

Result<Value> GradFlow::Total(const Value& v) {
  auto it = parts_.find(v);
  if (it == parts_.end()) return Value();
  Parts& parts = it->second;
  if (parts.total) return parts.total;
  if (v.dtype() == DType::kList) {
    SL_ASSIGN_OR_RETURN(parts.total,
                        SumListGradients(graph_, region_, parts.dense));
    return parts.total;
  }
  if (parts.dense.size() > 1) {
    SL_ASSIGN_OR_RETURN(Value sum, Sum(v, parts.dense));
    parts.dense = {sum};
  }
  if (parts.rows.empty()) return parts.total = parts.dense[0];
  SL_RETURN_IF_ERROR(MergeRows(v, parts.rows));
  const Rows& rows = parts.rows[0];
  // Half-precision parts are better summed in float first, which IndexAdd does
  // not do.
  bool exact = v.dtype() == DType::kF32 || v.dtype() == DType::kF64;
  if (!parts.dense.empty() && exact) {
    Value in[] = {parts.dense[0], rows.indices, rows.values};
    SL_ASSIGN_OR_RETURN(parts.total, Call(v, "IndexAdd", in));
    return parts.total;
  }
  SL_ASSIGN_OR_RETURN(Value shape, ShapeOf(v));
  Value in[] = {rows.values, rows.indices, shape};
  SL_ASSIGN_OR_RETURN(parts.total, Call(v, "GatherGrad", in));
  if (!parts.dense.empty()) {
    Value both[] = {parts.dense[0], parts.total};
    SL_ASSIGN_OR_RETURN(parts.total, Call(v, "Add", both));
  }
  return parts.total;
}

Result<GradientValue> GradFlow::TotalOrRows(const Value& v) {
  GradientValue found;
  auto it = parts_.find(v);
  if (it == parts_.end()) return found;
  Parts& parts = it->second;
  if (!parts.dense.empty()) {
    SL_ASSIGN_OR_RETURN(found.dense, Total(v));
    return found;
  }
  SL_RETURN_IF_ERROR(MergeRows(v, parts.rows));
  found.indices = parts.rows[0].indices;
  found.values = parts.rows[0].values;
  SL_ASSIGN_OR_RETURN(found.shape, ShapeOf(v));
  return found;
}

}  // namespace sluice
