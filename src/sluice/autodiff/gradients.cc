#include "sluice/autodiff/gradients.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "sluice/autodiff/flow_back.h"
#include "sluice/autodiff/grad_flow.h"
#include "sluice/autodiff/resource_reads.h"
#include "sluice/base/strings.h"
#include "sluice/graph/device_near.h"

namespace sluice {

namespace {

// "OnesLike" or "ZerosLike" of a value.
Result<Value> Like(Graph& graph, std::string_view op, const Value& v) {
  NodeOptions options;
  options.scope = "gradients";
  options.line = v.node->line();
  options.device = DeviceNear(v);
  SL_ASSIGN_OR_RETURN(Node * node,
                      graph.Add(*v.node->region(), op, {&v, 1}, {}, options));
  return node->output();
}

// The innermost region of the ys, where gradients are computed.
Region& RegionOf(std::span<const Value> ys, Graph& graph) {
  Region* region = &graph.root();
  for (const Value& y : ys) {
    if (region->Encloses(y.node->region())) region = y.node->region();
  }
  return *region;
}

Status FlowFrom(Graph& graph, std::span<const Value> ys,
                std::span<const Value> xs, std::span<const Value> grad_ys,
                const GradientOptions& options, GradFlow& flow) {
  if (grad_ys.size() > ys.size()) {
    return InvalidArgument(StrCat("gradients: ", grad_ys.size(),
                                  " grad_ys for ", ys.size(), " ys"));
  }
  std::vector<Value> seeds(grad_ys.begin(), grad_ys.end());
  seeds.resize(ys.size());
  for (size_t i = 0; i < ys.size(); ++i) {
    if (!CarriesGradient(ys[i])) {
      return InvalidArgument(StrCat(
          "gradients: ", ys[i].ToString(), " is ", ys[i].type().ToString(),
          "; wanted a floating-point value\n  ", NodeLine(*ys[i].node)));
    }
    if (!seeds[i] && ys[i].dtype() == DType::kC64) {
      return InvalidArgument(StrCat(
          "gradients: ", ys[i].ToString(), " is ", ys[i].type().ToString(),
          ", and complex numbers have no order; wanted a real value, or its "
          "grad_ys\n  ",
          NodeLine(*ys[i].node)));
    }
    if (!seeds[i]) {
      SL_ASSIGN_OR_RETURN(seeds[i], Like(graph, "OnesLike", ys[i]));
    } else if (seeds[i].dtype() != ys[i].dtype() ||
               !seeds[i].shape().CompatibleWith(ys[i].shape())) {
      return InvalidArgument(
          StrCat("gradients: grad_ys[", i, "] is ", seeds[i].type().ToString(),
                 "; wanted ", ys[i].type().ToString(), " like ys[", i, "]"));
    }
  }
  Region& region = RegionOf(ys, graph);
  return FlowBack({.graph = graph,
                   .region = region,
                   .ys = ys,
                   .xs = xs,
                   .seeds = seeds,
                   .stop_at_xs = options.stop_at_xs},
                  flow);
}

// The result for an x that receives no gradient.
Result<Value> Unconnected(Graph& graph, std::span<const Value> ys,
                          std::span<const Value> xs, size_t i,
                          const GradientOptions& options) {
  if (options.zeros_when_unconnected) return Like(graph, "ZerosLike", xs[i]);
  if (options.none_when_unconnected) return Value();
  std::string why;
  for (const Value& y : ys) {
    if (why.empty()) why = WhyNoGrad(y, xs[i]);
  }
  return InvalidArgument(StrCat("gradients: xs[", i, "] (", xs[i].ToString(),
                                ") has no gradient: ", why));
}

bool AnyResource(std::span<const Value> xs) {
  for (const Value& x : xs) {
    if (x.dtype() == DType::kResource) return true;
  }
  return false;
}

// For resources among the xs: the sum of the gradients of all reads. It stays
// sparse if only one read is connected and `rows` is set.
Result<std::vector<GradientValue>> GradientsOfReads(
    Graph& graph, std::span<const Value> ys, std::span<const Value> xs,
    std::span<const Value> grad_ys, const GradientOptions& options, bool rows) {
  std::vector<Value> wanted;
  std::vector<size_t> first;  // of each x, in wanted
  ResourceReads all(graph, RegionOf(ys, graph), ys);
  for (const Value& x : xs) {
    first.push_back(wanted.size());
    std::vector<Value> parts = {x};
    if (x.dtype() == DType::kResource) {
      SL_ASSIGN_OR_RETURN(parts, all.Of(x));
    }
    wanted.insert(wanted.end(), parts.begin(), parts.end());
  }
  first.push_back(wanted.size());
  GradFlow flow(graph, RegionOf(ys, graph), options.hoist);
  SL_RETURN_IF_ERROR(FlowFrom(graph, ys, wanted, grad_ys, options, flow));
  std::vector<GradientValue> result;
  for (size_t i = 0; i < xs.size(); ++i) {
    std::vector<GradientValue> parts;
    for (size_t k = first[i]; k < first[i + 1]; ++k) {
      SL_ASSIGN_OR_RETURN(GradientValue part, flow.TotalOrRows(wanted[k]));
      if (part) parts.push_back(part);
    }
    if (parts.size() == 1 && rows) {
      result.push_back(parts[0]);
      continue;
    }
    GradientValue total;
    for (size_t k = first[i]; k < first[i + 1]; ++k) {
      SL_ASSIGN_OR_RETURN(Value part, flow.Total(wanted[k]));
      if (!part || !total.dense) {
        if (part) total.dense = part;
        continue;
      }
      NodeOptions node;
      node.scope = "gradients";
      node.line = wanted[k].node->line();
      node.device = DeviceNear(part);
      Value both[] = {total.dense, part};
      SL_ASSIGN_OR_RETURN(
          Node * sum, graph.Add(*part.node->region(), "Add", both, {}, node));
      total.dense = sum->output();
    }
    if (!total) {
      if (first[i] == first[i + 1]) {
        return InvalidArgument(StrCat("gradients: xs[", i, "] (",
                                      xs[i].ToString(),
                                      ") has no gradient: it is never read"));
      }
      SL_ASSIGN_OR_RETURN(total.dense,
                          Unconnected(graph, ys, wanted, first[i], options));
    }
    result.push_back(total);
  }
  return result;
}

}  // namespace

Result<std::vector<Value>> Gradients(Graph& graph, std::span<const Value> ys,
                                     std::span<const Value> xs,
                                     std::span<const Value> grad_ys,
                                     const GradientOptions& options) {
  std::vector<Value> result;
  if (AnyResource(xs)) {
    SL_ASSIGN_OR_RETURN(
        std::vector<GradientValue> found,
        GradientsOfReads(graph, ys, xs, grad_ys, options, /*rows=*/false));
    for (const GradientValue& g : found) result.push_back(g.dense);
    return result;
  }
  GradFlow flow(graph, RegionOf(ys, graph), options.hoist);
  SL_RETURN_IF_ERROR(FlowFrom(graph, ys, xs, grad_ys, options, flow));
  for (size_t i = 0; i < xs.size(); ++i) {
    SL_ASSIGN_OR_RETURN(Value total, flow.Total(xs[i]));
    if (!total) {
      SL_ASSIGN_OR_RETURN(total, Unconnected(graph, ys, xs, i, options));
    }
    result.push_back(total);
  }
  return result;
}

Result<std::vector<GradientValue>> GradientsOrRows(
    Graph& graph, std::span<const Value> ys, std::span<const Value> xs,
    std::span<const Value> grad_ys, const GradientOptions& options) {
  if (AnyResource(xs)) {
    return GradientsOfReads(graph, ys, xs, grad_ys, options, /*rows=*/true);
  }
  GradFlow flow(graph, RegionOf(ys, graph), options.hoist);
  flow.KeepRowsOfBranches();
  SL_RETURN_IF_ERROR(FlowFrom(graph, ys, xs, grad_ys, options, flow));
  std::vector<GradientValue> result;
  for (size_t i = 0; i < xs.size(); ++i) {
    SL_ASSIGN_OR_RETURN(GradientValue total, flow.TotalOrRows(xs[i]));
    if (!total) {
      SL_ASSIGN_OR_RETURN(total.dense, Unconnected(graph, ys, xs, i, options));
    }
    result.push_back(total);
  }
  return result;
}

Result<std::vector<Value>> Jvp(Graph& graph, std::span<const Value> ys,
                               std::span<const Value> xs,
                               std::span<const Value> tangents) {
  if (tangents.size() != xs.size()) {
    return InvalidArgument(
        StrCat("jvp: ", tangents.size(), " tangents for ", xs.size(), " xs"));
  }
  GradientOptions zeros{.zeros_when_unconnected = true};
  // Reverse mode with a placeholder u as incoming gradient gives J' u, which is
  // linear in u; its gradient with respect to u in the direction v is J v.
  std::vector<Value> stand_ins;
  for (const Value& y : ys) {
    SL_ASSIGN_OR_RETURN(Value u, Like(graph, "OnesLike", y));
    stand_ins.push_back(u);
  }
  SL_ASSIGN_OR_RETURN(std::vector<Value> pulled,
                      Gradients(graph, ys, xs, stand_ins, zeros));
  std::vector<Value> from, direction;
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!tangents[i]) continue;
    from.push_back(pulled[i]);
    direction.push_back(tangents[i]);
  }
  return Gradients(graph, from, stand_ins, direction, zeros);
}

}  // namespace sluice
