#include "sluice/front/autograd.h"

#include <optional>

#include "sluice/autodiff/check_seen.h"
#include "sluice/autodiff/gradients.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/backward.h"
#include "sluice/eager/call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recompute.h"
#include "sluice/eager/rows.h"
#include "sluice/eager/scope.h"
#include "sluice/front/own_points.h"
#include "sluice/front/variable.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/passes/raise_for_gradients.h"
#include "sluice/trace/capture.h"

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
    return capture->Now(*capture->ValueOf(t));
  }
  return t.value();
}

// In a function being recorded gradients are what they are imperatively.
// Variables of graphs have no tape.
bool OnTape(const std::vector<Tensor>& ys, const std::vector<Tensor>& xs) {
  if (!AnySymbolic(ys, xs) && !Capture::Open()) return true;
  if (!Capture::Open()) return false;
  for (const Tensor& x : xs) {
    if (x.dtype() == DType::kResource) return false;
  }
  return true;
}

// The shape of what x stands for: of a variable's handle that of its value.
PartialShape ShapeOf(const Value& x) {
  if (x.node->op().role != Role::kVariable) return x.shape();
  return x.node->attrs().get<PartialShape>("shape");
}

std::vector<Tensor> GraphGradients(Graph& graph, const std::vector<Tensor>& ys,
                                   const std::vector<Tensor>& xs,
                                   const GradOptions& options, bool stop_at_xs,
                                   std::source_location where) {
  std::vector<Value> from, to, flows;
  for (const Tensor& y : ys) from.push_back(ValueIn(graph, y));
  for (const Tensor& x : xs) to.push_back(ValueIn(graph, x));
  for (const Tensor& g : options.grad_ys) {
    flows.push_back(g.defined() ? ValueIn(graph, g) : Value());
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
                      .hoist = options.hoist,
                      .stop_at_xs = stop_at_xs};
  std::vector<Tensor> result;
  if (options.dense) {
    auto found = Gradients(graph, from, to, flows, how);
    if (!found.ok()) Throw(found.status(), where);
    for (const Value& v : *found) {
      result.push_back(v ? TensorIn(graph, v) : Tensor());
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
                                   const GradOptions& options, bool stop_at_xs,
                                   std::source_location where) {
  std::vector<EagerRef> roots, flows, inputs;
  for (const Tensor& y : ys) roots.push_back(y.to_dense().here());
  for (const Tensor& x : xs) inputs.push_back(x.here());
  for (const Tensor& g : options.grad_ys) {
    flows.push_back(g.defined() ? g.to_dense().here() : EagerRef());
  }
  BackwardRequest request{.roots = roots,
                          .gradients = flows,
                          .inputs = inputs,
                          .retain = options.retain_graph,
                          .record = options.create_graph,
                          .stop_at_inputs = stop_at_xs};
  Result<std::vector<EagerRef>> found = RunBackward(request);
  if (!found.ok()) Throw(found.status(), where);
  std::vector<Tensor> result;
  for (size_t i = 0; i < xs.size(); ++i) {
    EagerRef g = (*found)[i];
    if (!g && options.zeros_when_unconnected) {
      NoGrad off;
      Operand operands[] = {xs[i]};
      g = front_internal::CallOne("ZerosLike", operands, {}, {}, where)
              .identity();
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
      // A captured function takes all it reads; the results may need less.
      if (why.empty()) {
        why = StrCat(
            inputs[i]->Describe(),
            ", is read by a call that made no result of it that was asked for");
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

std::vector<Tensor> AnyGradients(const std::vector<Tensor>& ys,
                                 const std::vector<Tensor>& xs,
                                 const GradOptions& options, bool stop_at_xs,
                                 std::source_location where) {
  for (const std::vector<Tensor>* list : {&ys, &xs}) {
    for (const Tensor& t : *list) {
      if (!t.defined()) {
        Throw(InvalidArgument("gradients: a Tensor that holds nothing"), where);
      }
    }
  }
  if (OnTape(ys, xs)) {
    return EagerGradients(ys, xs, options, stop_at_xs, where);
  }
  for (const std::vector<Tensor>* list : {&ys, &xs}) {
    for (const Tensor& t : *list) {
      if (t.symbolic()) {
        return GraphGradients(t.graph(), ys, xs, options, stop_at_xs, where);
      }
    }
  }
  return {};
}

}  // namespace

std::vector<Tensor> gradients(const std::vector<Tensor>& ys,
                              const std::vector<Tensor>& xs,
                              const GradOptions& options,
                              std::source_location where) {
  return AnyGradients(ys, xs, options, /*stop_at_xs=*/false, where);
}

std::vector<Tensor> front_internal::GradientsAt(
    const std::vector<Tensor>& ys, const std::vector<Tensor>& points,
    const std::vector<Tensor>& grad_ys, std::source_location where) {
  return AnyGradients(ys, points,
                      {.grad_ys = grad_ys, .zeros_when_unconnected = true},
                      /*stop_at_xs=*/true, where);
}

std::vector<Tensor> front_internal::GraphGradientsAt(
    const std::vector<Tensor>& ys, const std::vector<Tensor>& points,
    const std::vector<Tensor>& grad_ys, std::source_location where) {
  return GraphGradients(points.empty() ? ys[0].graph() : points[0].graph(), ys,
                        points,
                        {.grad_ys = grad_ys, .none_when_unconnected = true},
                        /*stop_at_xs=*/true, where);
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
  if (OnTape({y}, {x})) return WhyNoEagerGrad(y.here(), x.here());
  Graph& graph = y.symbolic() ? y.graph() : x.graph();
  Value from = ValueIn(graph, y), to = ValueIn(graph, x);
  MutexLock lock(graph.mu());
  return WhyNoGrad(from, to);
}

namespace {

using front_internal::OwnPoints;

Tensor Like(std::string_view op, const Tensor& t, std::source_location where) {
  Operand operands[] = {t};
  return front_internal::CallOne(op, operands, {}, {}, where);
}

// Something to flow back from.
bool Moves(const Tensor& t) {
  return front_internal::IsDeferred(t) || t.requires_grad();
}

std::vector<Tensor> ZerosFor(const std::vector<Tensor>& ts,
                             std::source_location where) {
  std::vector<Tensor> zeros;
  for (const Tensor& t : ts) zeros.push_back(Like("ZerosLike", t, where));
  return zeros;
}

// Both together, of a derivative with leaves of its own beside its points.
void KeepIfBeyond(const OwnPoints& points, const std::vector<Tensor>& leaves,
                  const std::vector<Tensor>& others, std::vector<Tensor>& a,
                  std::vector<Tensor>& b) {
  std::vector<Tensor> made = a, own = points.Leaves();
  made.insert(made.end(), b.begin(), b.end());
  own.insert(own.end(), leaves.begin(), leaves.end());
  front_internal::KeepIfBeyond(made, others, own);
  const auto middle = made.begin() + static_cast<std::ptrdiff_t>(a.size());
  a.assign(made.begin(), middle);
  b.assign(middle, made.end());
}

// Results nobody outside can differentiate any further remember nothing.
void LetGo(std::vector<Tensor>& ts) {
  for (Tensor& t : ts) {
    if (t.defined() && !front_internal::IsDeferred(t) && t.requires_grad()) {
      t = t.detach();
    }
  }
}

// How far `from` go when what flows into them, `stand_ins`, is followed along.
std::vector<Tensor> Along(const std::vector<Tensor>& pulled,
                          const std::vector<Tensor>& stand_ins,
                          const std::vector<Tensor>& tangents, bool kept,
                          std::source_location where) {
  std::vector<Tensor> from, along;
  for (size_t i = 0; i < pulled.size(); ++i) {
    if (!tangents[i].defined() || !Moves(pulled[i])) continue;
    from.push_back(pulled[i]);
    along.push_back(tangents[i]);
  }
  if (from.empty()) return ZerosFor(stand_ins, where);
  return gradients(from, stand_ins,
                   {.grad_ys = along,
                    .zeros_when_unconnected = true,
                    .retain_graph = kept,
                    .create_graph = kept,
                    .dense = true},
                   where);
}

void CheckAsMany(std::string_view what, size_t given, size_t wanted,
                 std::source_location where) {
  if (given == wanted) return;
  Throw(InvalidArgument(StrCat(what, " for ", wanted, " xs, got ", given)),
        where);
}

}  // namespace

JvpResult jvp(const TensorFn& f, const std::vector<Tensor>& xs,
              const std::vector<Tensor>& tangents, std::source_location where) {
  if (tangents.size() != xs.size()) {
    Throw(InvalidArgument(StrCat("jvp: ", tangents.size(), " tangents for ",
                                 xs.size(), " xs")),
          where);
  }
  const bool recorded = front_internal::EagerMode::Current().grad;
  OwnPoints points(xs, where);
  EnableGrad on;
  RecomputeRegion::Apart apart;
  std::vector<Tensor> ys = f(points.at);
  std::vector<Tensor> outside = ys;
  outside.insert(outside.end(), tangents.begin(), tangents.end());
  const bool kept = recorded && points.ReachBeyond(outside);
  // Backwards with a stand-in u flowing in gives J' u, which is linear in u;
  // its gradient with respect to u in the direction of the tangents is J v.
  std::vector<Tensor> moving, stand_ins, moved;
  for (const Tensor& y : ys) {
    if (!Moves(y)) continue;
    moving.push_back(y);
    stand_ins.push_back(Like("OnesLike", y, where));
    if (!front_internal::IsDeferred(y)) {
      stand_ins.back() = stand_ins.back().detach().requires_grad_();
    }
  }
  if (!moving.empty()) {
    std::vector<Tensor> pulled = gradients(moving, points.at,
                                           {.grad_ys = stand_ins,
                                            .zeros_when_unconnected = true,
                                            .retain_graph = true,
                                            .create_graph = true,
                                            .dense = true},
                                           where);
    moved = Along(pulled, stand_ins, tangents, kept, where);
  }
  points.Retire();
  front_internal::Retire(stand_ins);
  JvpResult result{.values = ys, .tangents = {}};
  size_t next = 0;
  for (const Tensor& y : ys) {
    result.tangents.push_back(Moves(y) ? moved[next++]
                                       : Like("ZerosLike", y, where));
  }
  if (kept) {
    KeepIfBeyond(points, stand_ins, tangents, result.values, result.tangents);
  } else {
    LetGo(result.values);
    LetGo(result.tangents);
  }
  return result;
}

VjpResult vjp(const TensorFn& f, const std::vector<Tensor>& xs,
              const std::vector<Tensor>& grad_ys, std::source_location where) {
  const bool recorded = front_internal::EagerMode::Current().grad;
  OwnPoints points(xs, where);
  EnableGrad on;
  RecomputeRegion::Apart apart;
  VjpResult result;
  result.values = f(points.at);
  std::vector<Tensor> outside = result.values, moving, flows;
  outside.insert(outside.end(), grad_ys.begin(), grad_ys.end());
  const bool kept = recorded && points.ReachBeyond(outside);
  for (size_t i = 0; i < result.values.size(); ++i) {
    if (!Moves(result.values[i])) continue;
    moving.push_back(result.values[i]);
    flows.push_back(i < grad_ys.size() ? grad_ys[i] : Tensor());
  }
  result.gradients = moving.empty() ? ZerosFor(points.at, where)
                                    : gradients(moving, points.at,
                                                {.grad_ys = flows,
                                                 .zeros_when_unconnected = true,
                                                 .retain_graph = kept,
                                                 .create_graph = kept},
                                                where);
  points.Retire();
  if (kept) {
    KeepIfBeyond(points, {}, grad_ys, result.values, result.gradients);
  } else {
    LetGo(result.values);
  }
  return result;
}

std::vector<Tensor> hvp(const TensorFn& f, const std::vector<Tensor>& xs,
                        const std::vector<Tensor>& v,
                        std::source_location where) {
  CheckAsMany("hvp: wanted a direction", v.size(), xs.size(), where);
  const bool recorded = front_internal::EagerMode::Current().grad;
  OwnPoints points(xs, where);
  EnableGrad on;
  RecomputeRegion::Apart apart;
  std::vector<Tensor> ys = f(points.at), outside = ys, moving;
  outside.insert(outside.end(), v.begin(), v.end());
  const bool kept = recorded && points.ReachBeyond(outside);
  for (const Tensor& y : ys) {
    if (Moves(y)) moving.push_back(y);
  }
  if (moving.empty()) return ZerosFor(xs, where);
  std::vector<Tensor> first = gradients(moving, points.at,
                                        {.zeros_when_unconnected = true,
                                         .retain_graph = true,
                                         .create_graph = true,
                                         .dense = true},
                                        where);
  std::vector<Tensor> found = Along(first, points.at, v, kept, where);
  points.Retire();
  if (kept) front_internal::KeepIfBeyond(found, outside, points.Leaves());
  return found;
}

}  // namespace sluice
