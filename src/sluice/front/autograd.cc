#include "sluice/front/autograd.h"

#include <optional>

#include "sluice/autodiff/check_seen.h"
#include "sluice/autodiff/gradients.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/backward.h"
#include "sluice/front/call.h"
#include "sluice/front/capture.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/rows.h"
#include "sluice/front/scope.h"
#include "sluice/front/variable.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/passes/raise_for_gradients.h"

namespace sluice {

namespace {

using front_internal::Building;

[[noreturn]] void Throw(const Status& status, std::source_location where) {
  throw Error(status.WithLine(StrCat("at ", SourceLine::From(where))));
}

bool AnySymbolic(const std::vector<Tensor>& ys, const std::vector<Tensor>& xs) {
  for (const Tensor& t : ys) {
    if (t.symbolic()) return true;
  }
  for (const Tensor& t : xs) {
    if (t.symbolic()) return true;
  }
  return false;
}

// The value of a tensor in the graph: what a captured tensor is there.
Value ValueIn(Graph& graph, const Tensor& t) {
  Capture* capture = Capture::Current();
  if (!t.symbolic() && capture && &capture->graph() == &graph) {
    return capture->At(t.eager()).now;
  }
  return t.value();
}

// The shape of what x stands for: of a variable's handle that of its value.
PartialShape ShapeOf(const Value& x) {
  if (x.node->is_args() || x.node->op().name != "Variable") return x.shape();
  return x.node->attrs().get<PartialShape>("shape");
}

std::vector<Tensor> GraphGradients(Graph& graph, const std::vector<Tensor>& ys,
                                   const std::vector<Tensor>& xs,
                                   const GradOptions& options,
                                   std::source_location where) {
  std::vector<Value> from, to, flows;
  for (const Tensor& y : ys) from.push_back(ValueIn(graph, y));
  for (const Tensor& x : xs) to.push_back(ValueIn(graph, x));
  for (const Tensor& g : options.grad_ys) {
    flows.push_back(g ? ValueIn(graph, g) : Value());
  }
  // Custom gradients make nodes while the graph is locked.
  front_internal::SavedBuilding saved;
  std::optional<MutexLock> lock;
  if (Building::Current().locked != &graph) lock.emplace(graph.mu());
  Building& building = Building::Current();
  building.locked = &graph;
  Status raised = RaiseForGradients(graph, from, to);
  if (!raised.ok()) Throw(raised, where);
  bool inside = building.graph == &graph && building.region;
  Status seen = CheckSeen(inside ? *building.region : graph.root(), from, to);
  if (!seen.ok()) Throw(seen, where);
  GradientOptions how{.zeros_when_unconnected = options.zeros_when_unconnected,
                      .none_when_unconnected = options.none_when_unconnected,
                      .hoist = options.hoist};
  std::vector<Tensor> result;
  if (options.dense) {
    auto found = Gradients(graph, from, to, flows, how);
    if (!found.ok()) Throw(found.status(), where);
    for (const Value& v : *found) {
      result.push_back(v ? Tensor(graph, v) : Tensor());
    }
    return result;
  }
  auto found = GradientsOrRows(graph, from, to, flows, how);
  if (!found.ok()) Throw(found.status(), where);
  for (size_t i = 0; i < to.size(); ++i) {
    const GradientValue& g = (*found)[i];
    result.push_back(g ? GradientTensor(graph, g, ShapeOf(to[i])) : Tensor());
  }
  return result;
}

std::vector<Tensor> EagerGradients(const std::vector<Tensor>& ys,
                                   const std::vector<Tensor>& xs,
                                   const GradOptions& options,
                                   std::source_location where) {
  std::vector<EagerRef> roots, flows, inputs;
  for (const Tensor& y : ys) roots.push_back(y.to_dense().eager());
  for (const Tensor& x : xs) inputs.push_back(x.eager());
  for (const Tensor& g : options.grad_ys) {
    flows.push_back(g ? g.to_dense().eager() : EagerRef());
  }
  BackwardRequest request{.roots = roots,
                          .gradients = flows,
                          .inputs = inputs,
                          .retain = options.retain_graph,
                          .record = options.create_graph};
  Result<std::vector<EagerRef>> found = RunBackward(request);
  if (!found.ok()) Throw(found.status(), where);
  std::vector<Tensor> result;
  for (size_t i = 0; i < xs.size(); ++i) {
    EagerRef g = (*found)[i];
    if (!g && options.zeros_when_unconnected) {
      g = MakeRef<EagerValue>(
          Array::Zeros(xs[i].dtype(), xs[i].array().shape()));
    }
    if (!g && options.none_when_unconnected) {
      result.push_back({});
      continue;
    }
    if (!g) {
      std::string why;
      for (const EagerRef& y : roots) {
        if (why.empty()) why = WhyNoEagerGrad(y, inputs[i]);
      }
      Throw(InvalidArgument(
                StrCat("gradients: xs[", i, "] has no gradient: ", why)),
            where);
    }
    Tensor found_here(std::move(g));
    result.push_back(options.dense ? found_here.to_dense(where) : found_here);
  }
  return result;
}

}  // namespace

std::vector<Tensor> gradients(const std::vector<Tensor>& ys,
                              const std::vector<Tensor>& xs,
                              const GradOptions& options,
                              std::source_location where) {
  for (const std::vector<Tensor>* list : {&ys, &xs}) {
    for (const Tensor& t : *list) {
      if (!t) {
        Throw(InvalidArgument("gradients: a Tensor that holds nothing"), where);
      }
    }
  }
  if (!AnySymbolic(ys, xs)) return EagerGradients(ys, xs, options, where);
  for (const std::vector<Tensor>* list : {&ys, &xs}) {
    for (const Tensor& t : *list) {
      if (t.symbolic()) {
        return GraphGradients(t.graph(), ys, xs, options, where);
      }
    }
  }
  return {};
}

Tensor grad(const Tensor& y, const Tensor& x, const GradOptions& options,
            std::source_location where) {
  return gradients({y}, {x}, options, where)[0];
}

std::vector<Tensor> grad(const Tensor& y, const std::vector<Tensor>& xs,
                         const GradOptions& options,
                         std::source_location where) {
  return gradients({y}, xs, options, where);
}

std::vector<Tensor> gradients(const std::vector<Tensor>& ys,
                              const std::vector<Variable>& xs,
                              const GradOptions& options,
                              std::source_location where) {
  std::vector<Tensor> handles;
  for (const Variable& x : xs) {
    handles.push_back(x.symbolic() ? x.handle() : x.tensor());
  }
  return gradients(ys, handles, options, where);
}

Tensor grad(const Tensor& y, const Variable& x, const GradOptions& options,
            std::source_location where) {
  return gradients({y}, std::vector<Variable>{x}, options, where)[0];
}

std::string why_no_grad(const Tensor& y, const Tensor& x) {
  if (!y.symbolic() && !x.symbolic()) {
    return WhyNoEagerGrad(y.eager(), x.eager());
  }
  Graph& graph = y.symbolic() ? y.graph() : x.graph();
  Value from = ValueIn(graph, y), to = ValueIn(graph, x);
  MutexLock lock(graph.mu());
  return WhyNoGrad(from, to);
}

namespace {

// Leaves with the elements of xs; those of a graph serve as they are.
std::vector<Tensor> Leaves(const std::vector<Tensor>& xs) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : xs) {
    if (x.symbolic()) {
      leaves.push_back(x);
      continue;
    }
    leaves.push_back(x.detach().requires_grad_());
  }
  return leaves;
}

std::vector<Tensor> OnesFor(const std::vector<Tensor>& ys,
                            std::source_location where) {
  std::vector<Tensor> ones;
  for (const Tensor& y : ys) {
    Operand operands[] = {y};
    ones.push_back(
        front_internal::CallOne("OnesLike", operands, {}, {}, where));
    if (!ones.back().symbolic()) ones.back().requires_grad_();
  }
  return ones;
}

}  // namespace

JvpResult jvp(const TensorFn& f, const std::vector<Tensor>& xs,
              const std::vector<Tensor>& tangents, std::source_location where) {
  if (tangents.size() != xs.size()) {
    Throw(InvalidArgument(StrCat("jvp: ", tangents.size(), " tangents for ",
                                 xs.size(), " xs")),
          where);
  }
  EnableGrad on;
  std::vector<Tensor> leaves = Leaves(xs);
  std::vector<Tensor> ys = f(leaves);
  // Backwards with a stand-in u flowing in gives J' u, which is linear in u;
  // its gradient with respect to u in the direction of the tangents is J v.
  std::vector<Tensor> stand_ins = OnesFor(ys, where);
  std::vector<Tensor> pulled = gradients(ys, leaves,
                                         {.grad_ys = stand_ins,
                                          .zeros_when_unconnected = true,
                                          .create_graph = true,
                                          .dense = true},
                                         where);
  std::vector<Tensor> from, along;
  for (size_t i = 0; i < pulled.size(); ++i) {
    if (!tangents[i] || (!pulled[i].symbolic() && !pulled[i].requires_grad())) {
      continue;
    }
    from.push_back(pulled[i]);
    along.push_back(tangents[i]);
  }
  JvpResult result;
  for (const Tensor& y : ys) {
    result.values.push_back(y.symbolic() ? y : y.detach());
  }
  if (from.empty()) {
    for (const Tensor& y : ys) {
      Operand operands[] = {y};
      result.tangents.push_back(
          front_internal::CallOne("ZerosLike", operands, {}, {}, where));
    }
    return result;
  }
  result.tangents = gradients(
      from, stand_ins,
      {.grad_ys = along, .zeros_when_unconnected = true, .dense = true}, where);
  return result;
}

VjpResult vjp(const TensorFn& f, const std::vector<Tensor>& xs,
              const std::vector<Tensor>& grad_ys, std::source_location where) {
  EnableGrad on;
  std::vector<Tensor> leaves = Leaves(xs);
  VjpResult result;
  result.values = f(leaves);
  result.gradients =
      gradients(result.values, leaves,
                {.grad_ys = grad_ys, .zeros_when_unconnected = true}, where);
  for (Tensor& y : result.values) {
    if (!y.symbolic()) y = y.detach();
  }
  return result;
}

std::vector<Tensor> hvp(const TensorFn& f, const std::vector<Tensor>& xs,
                        const std::vector<Tensor>& v,
                        std::source_location where) {
  EnableGrad on;
  std::vector<Tensor> leaves = Leaves(xs);
  std::vector<Tensor> first = gradients(
      f(leaves), leaves,
      {.zeros_when_unconnected = true, .create_graph = true, .dense = true},
      where);
  std::vector<Tensor> from, along;
  for (size_t i = 0; i < first.size(); ++i) {
    if (!first[i].symbolic() && !first[i].requires_grad()) continue;
    from.push_back(first[i]);
    along.push_back(v[i]);
  }
  if (from.empty()) {
    std::vector<Tensor> zeros;
    for (const Tensor& x : xs) {
      Operand operands[] = {x};
      zeros.push_back(
          front_internal::CallOne("ZerosLike", operands, {}, {}, where));
    }
    return zeros;
  }
  return gradients(
      from, leaves,
      {.grad_ys = along, .zeros_when_unconnected = true, .dense = true}, where);
}

}  // namespace sluice
