// The gradient of a call is a call of the function's backward twin, and the
// call itself becomes one of the forward twin (autodiff/call_twins.h). Both are
// ordinary functions, so they are differentiable too.
#include <algorithm>

#include "sluice/autodiff/call_twins.h"
#include "sluice/autodiff/flow_back.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

bool Holds(const std::vector<int>& numbers, int n) {
  return std::find(numbers.begin(), numbers.end(), n) != numbers.end();
}

// For a call inside a function that was analyzed with all its calls: checks
// that no gradient flows that the analysis did not find.
Status CheckPrepared(const Node& call, const std::vector<int>& flowing,
                     const CallActivity& found) {
  for (int i : flowing) {
    if (Holds(found.results, i) || Holds(found.constant, i)) continue;
    return Internal(StrCat("[", call.op().name,
                           "] a gradient flows into "
                           "result ",
                           i, ", which was not expected"))
        .WithLine(NodeLine(call));
  }
  return OkStatus();
}

// Whether the twin's gradients cover what the call needs.
bool Serves(const CallTwin& twin, const CallActivity& needed) {
  auto covers = [](const auto& all, const auto& some) {
    return std::all_of(some.begin(), some.end(), [&](const auto& e) {
      return std::find(all.begin(), all.end(), e) != all.end();
    });
  };
  const CallActivity& has = twin.activity;
  return covers(has.results, needed.results) && covers(has.args, needed.args) &&
         covers(has.captures, needed.captures);
}

using LaneNumbers = std::vector<int64_t>;

// For a call in the code of one lane: combines the gradients of all lanes,
// which are summed where the lanes read one value.
Result<Value> SumOfLanes(const RegionGradient& at, Value lanes) {
  auto call = [&](std::string_view op, std::vector<Value> in,
                  const Attrs& attrs = {}) -> Result<Value> {
    SL_ASSIGN_OR_RETURN(Node * node,
                        AddBeside(at.graph, at.region, at.node, op, in, attrs));
    return node->output();
  };
  if (lanes.dtype() != DType::kList) {
    return call("Sum", {lanes}, {{"axes", std::vector<int64_t>{0}}});
  }
  // Each of the lists is added to element 0 of one list.
  auto number = [&](int64_t n) {
    return call("Const", {}, {{"value", Array::Scalar<int64_t>(n)}});
  };
  SL_ASSIGN_OR_RETURN(Value none, call("ListZero", {}));
  SL_ASSIGN_OR_RETURN(Value zero, number(0));
  SL_ASSIGN_OR_RETURN(Value one, number(1));
  SL_ASSIGN_OR_RETURN(Value size, call("ListSize", {lanes}));
  SL_ASSIGN_OR_RETURN(Value places, call("Range", {zero, size, one}));
  SL_ASSIGN_OR_RETURN(places, call("ZerosLike", {places}));
  SL_ASSIGN_OR_RETURN(Value sum, call("ListAddFrom", {none, places, lanes}));
  SL_ASSIGN_OR_RETURN(
      Value dims,
      call("Const", {}, {{"value", Array::Zeros(DType::kI64, {0})}}));
  return call("ListGetOr", {sum, zero, dims}, {{"dtype", DType::kList}});
}

PartialShape WithLanes(const PartialShape& shape) {
  if (!shape.rank_known() || shape.rank() >= kMaxRank) return {};
  PartialShape made = PartialShape::OfRank(shape.rank() + 1);
  for (int i = 0; i < shape.rank(); ++i) made.set_dim(i + 1, shape[i]);
  return made;
}

// Calls the backward twin.
Status AddBackwardCall(const RegionGradient& at, CallTwin& twin) {
  Node& call = at.node;
  const auto& lanes = call.attrs().get<LaneNumbers>("lanes");
  const CallActivity& activity = twin.activity;
  twin.used_by.insert(&call);
  std::vector<Value> inputs = {twin.backward->output(), call.output(twin.kept)};
  for (int i : activity.results) {
    Value dy = at.dy[static_cast<size_t>(i)];
    if (!dy) {
      SL_ASSIGN_OR_RETURN(dy, ZerosOf(at.graph, at.region, call.output(i)));
    }
    inputs.push_back(dy);
  }
  std::vector<Value> xs;
  for (int i : activity.args) xs.push_back(call.input(i + 1));
  xs.insert(xs.end(), activity.captures.begin(), activity.captures.end());
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  // Whether the lanes of a nested vmap read one value.
  auto shared = [&](size_t i) {
    return !lanes.empty() && (i >= activity.args.size() ||
                              !lanes[static_cast<size_t>(activity.args[i])]);
  };
  for (size_t i = 0; i < xs.size(); ++i) {
    bool list = xs[i].dtype() == DType::kList;
    dtypes.push_back(xs[i].dtype());
    shapes.push_back(shared(i) && !list ? WithLanes(xs[i].shape())
                                        : xs[i].shape());
  }
  Attrs attrs{{"dtypes", dtypes}, {"shapes", shapes}};
  if (!lanes.empty()) attrs.set("lanes", LaneNumbers(inputs.size() - 1, 1));
  SL_ASSIGN_OR_RETURN(
      Node * back, AddBeside(at.graph, at.region, call, "Call", inputs, attrs));
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!at.wanted.count(xs[i])) continue;
    Value gradient = back->output(static_cast<int>(i));
    if (shared(i)) {
      SL_ASSIGN_OR_RETURN(gradient, SumOfLanes(at, gradient));
    }
    at.flow.Add(xs[i], gradient);
  }
  return OkStatus();
}

}  // namespace

Status CallGradient(const RegionGradient& at) {
  Node& call = at.node;
  Node& function = *call.input(0).node;
  CallTwins* twins = CallTwins::Current(at.graph);
  if (function.op().flow != Flow::kFunction || function.regions().empty() ||
      !twins) {
    return Unimplemented(StrCat("[", call.op().name, "] calls \"",
                                call.input(0).ToString(),
                                "\", which is no function that gradients could "
                                "pass through; wanted the output of a "
                                "Function"))
        .WithLine(NodeLine(call));
  }
  std::vector<int> flowing;
  for (size_t i = 0; i < at.dy.size(); ++i) {
    if (at.dy[i]) flowing.push_back(static_cast<int>(i));
  }
  CallTwin* twin = twins->OfForward(function);
  if (twin && twin->open) {
    SL_RETURN_IF_ERROR(CheckPrepared(call, flowing, twin->activity));
    return AddBackwardCall(at, *twin);
  }
  CallActivity activity = FindCallActivity(call, flowing, at.wanted);
  if (activity.results.empty() ||
      (activity.args.empty() && activity.captures.empty())) {
    return OkStatus();
  }
  if (twin && Serves(*twin, activity)) return AddBackwardCall(at, *twin);
  SL_ASSIGN_OR_RETURN(twin, twins->Get(function, activity, at.flow.hoist()));
  if (!twin) return OkStatus();
  twins->Redirect(call, *twin);
  return AddBackwardCall(at, *twin);
}

}  // namespace sluice
