#include "sluice/front/vmap.h"

#include <algorithm>
#include <utility>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/batching/batch.h"
#include "sluice/eager/call.h"
#include "sluice/eager/recording.h"
#include "sluice/eager/scope.h"
#include "sluice/front/vmap_axes.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/inside_vmap.h"
#include "sluice/trace/region_draft.h"
#include "sluice/trace/unused_calls.h"

namespace sluice {

std::string VmapReport::ToString() const {
  return StrCat(together, " ops on all lanes at once, ", single,
                " the same for all lanes, ", lane_by_lane, " lane by lane",
                slow_ops.empty() ? "" : ": ", Join(slow_ops, ", "));
}

namespace front_internal {

namespace {

// Of the call being made on this thread, for messages.
thread_local std::source_location where;

class CalledAt {
 public:
  explicit CalledAt(std::source_location now)
      : saved_(std::exchange(where, now)) {}
  ~CalledAt() { where = saved_; }
  CalledAt(const CalledAt&) = delete;
  CalledAt& operator=(const CalledAt&) = delete;

 private:
  const std::source_location saved_;
};

// Code that may do different things for different lanes.
bool ChoosesOrLoops(const Region& code) {
  for (const Node* node : code.nodes()) {
    Flow flow = node->op().flow;
    if (flow == Flow::kBranch || flow == Flow::kLoop || flow == Flow::kCall) {
      return true;
    }
  }
  return false;
}

// Of one lane.
ValueType ExampleType(const Lanes& lanes) {
  ValueType type = lanes.value.type();
  if (!lanes.batched) return type;
  PartialShape shape = PartialShape::OfRank(type.shape.rank() - 1);
  for (int k = 0; k < shape.rank(); ++k) shape.set_dim(k, type.shape[k + 1]);
  return {type.dtype, shape};
}

// The shapes of one lane in the call that is recorded.
std::vector<PartialShape> ShapesNow(const Graph& graph,
                                    const std::vector<Lanes>& lanes) {
  Capture* capture = Capture::Current();
  std::vector<PartialShape> shapes;
  if (!capture || !capture->sizes() || &capture->graph() != &graph) {
    return shapes;
  }
  for (const Lanes& arg : lanes) {
    Result<PartialShape> whole = capture->sizes()->now().ShapeOf(arg.value);
    if (!whole.ok() || !whole->rank_known()) return {};
    int first = arg.batched ? 1 : 0;
    PartialShape shape = PartialShape::OfRank(whole->rank() - first);
    for (int k = 0; k < shape.rank(); ++k) {
      shape.set_dim(k, (*whole)[k + first]);
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

// A call of the code for one lane, for the vmap around to batch with its own.
std::vector<Lanes> LeaveCall(Emitter& emit, Node& function,
                             const std::vector<Lanes>& args) {
  std::vector<Value> inputs{function.output()};
  std::vector<int64_t> nested;
  int64_t count = kUnknownDim;
  for (const Lanes& arg : args) {
    inputs.push_back(arg.value);
    nested.push_back(arg.batched);
    if (arg.batched) count = std::max(count, arg.value.shape()[0]);
  }
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  for (const Value& v : function.regions()[0]->results()) {
    dtypes.push_back(v.dtype());
    shapes.push_back(WithLanes(v.shape(), count));
  }
  Node* call =
      emit.Add("Call", inputs,
               {{"dtypes", dtypes}, {"shapes", shapes}, {"lanes", nested}});
  if (!call) throw Error(emit.status());
  std::vector<Lanes> results;
  for (const Value& v : OutputsOf(*call)) results.push_back({v, true});
  return results;
}

void RefuseWrites(const RecordedRegion& recorded, const VmapOptions& options,
                  std::source_location where) {
  if (recorded.written.empty()) return;
  Refuse(options.name,
         StrCat(recorded.written[0].tensor->Describe(),
                " is written under vmap, where every lane would; wanted a "
                "result to be written by the program around it"),
         where);
}

VmapReport Summary(const BatchReport& made) {
  VmapReport report;
  report.together = made.together;
  report.single = made.single;
  report.lane_by_lane = static_cast<int64_t>(made.lane_by_lane.size());
  for (const BatchReport::Op& op : made.lane_by_lane) {
    report.slow_ops.push_back(StrCat(op.name, " at ", op.line));
  }
  return report;
}

}  // namespace

struct VmapCore::State {
  State(FunctionBody one, VmapOptions options)
      : one(std::move(one)), options(std::move(options)) {}

  std::vector<Tensor> Batch(const std::vector<Tensor>& args);
  std::vector<Tensor> RunLanes(const std::vector<Tensor>& args);

  const FunctionBody one;
  const VmapOptions options;
  mutable Mutex mu;
  VmapReport report SL_GUARDED_BY(mu);  // of what was recorded last
};

// Op by op: for whoever looks at every op, as a trap for NaN and gradients of
// gradients do. One lane after the other.
std::vector<Tensor> VmapCore::State::RunLanes(const std::vector<Tensor>& args) {
  std::vector<int> axes = LaneAxes(args, options, where);
  int64_t count = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    if (axes[i] != unbatched) count = args[i].dim(axes[i]);
  }
  if (count == 0) {
    Refuse(options.name, "there are no lanes to run op by op", where);
  }
  std::vector<std::vector<Tensor>> slices(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    if (axes[i] == unbatched) continue;
    slices[i] = CallMany("Unstack", std::vector<Operand>{args[i]},
                         {{"num", count}, {"axis", axes[i]}}, "", where);
  }
  std::vector<std::vector<Operand>> columns;
  for (size_t lane = 0; lane < static_cast<size_t>(count); ++lane) {
    std::vector<Tensor> example;
    for (size_t i = 0; i < args.size(); ++i) {
      example.push_back(slices[i].empty() ? args[i] : slices[i][lane]);
    }
    std::vector<Tensor> results = one(example).tensors;
    columns.resize(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      if (!results[i].defined()) {
        Refuse(options.name, "a result is a Tensor that holds nothing", where);
      }
      columns[i].emplace_back(results[i], where);
    }
  }
  std::vector<Tensor> stacked;
  for (size_t i = 0; i < columns.size(); ++i) {
    int axis = OutAxis(i, columns.size(), options, where);
    stacked.push_back(axis == unbatched ? columns[i][0].tensor()
                                        : CallOne("Stack", columns[i],
                                                  {{"axis", axis}}, "", where));
  }
  return stacked;
}

// With tensors of a graph: the code is recorded for one lane as a function that
// is taken out again, once what it does to all lanes is there.
std::vector<Tensor> VmapCore::State::Batch(const std::vector<Tensor>& args) {
  if (RunsNow(args)) return RunLanes(args);
  SavedBuilding saved;
  Building& building = Building::Current();
  for (const Tensor& arg : args) {
    if (!building.graph && arg.symbolic()) building.graph = &arg.graph();
  }
  Graph& graph = *building.graph;
  if (!building.region) building.region = &graph.root();
  std::vector<Tensor> inputs;
  for (const Tensor& arg : args) {
    // Imperative ones become part of the graph.
    inputs.push_back(
        arg.symbolic()
            ? arg
            : CallOne("Identity", std::vector<Operand>{arg}, {}, "", where));
  }
  std::vector<int> axes = LaneAxes(inputs, options, where);
  EmitState state{.graph = graph,
                  .line = SourceLine::From(where),
                  .device = building.device};
  Emitter emit(state, *building.region);
  // Before the lock is held: a view of what was written since is made anew, by
  // nodes of its own.
  std::vector<Value> given;
  for (const Tensor& input : inputs) given.push_back(input.value());
  std::vector<Lanes> lanes;
  {
    MutexLock lock(graph.mu());
    lanes = LanesFirst(emit, given, axes);
  }
  std::vector<ValueType> types;
  for (const Lanes& arg : lanes) types.push_back(ExampleType(arg));
  RegionDraft draft("Function", {}, {}, options.name, where);
  std::vector<bool> flow_on;  // gradients, through each result
  {
    VmapScope inside(true);
    Code code = [&](const std::vector<Tensor>& lane) -> CodeResult {
      return {one(lane).tensors, ""};
    };
    std::vector<bool> flows;
    for (const Tensor& input : inputs) flows.push_back(Flows(input));
    RegionRequest request{"body", types, code, options.name, where, flows};
    request.now = ShapesNow(graph, lanes);
    Capture::DrawsApart apart(Capture::Open());
    RecordedRegion recorded = RecordRegion(draft, request);
    RefuseWrites(recorded, options, where);
    flow_on = recorded.flows;
  }
  const Region& code = *draft.node().regions()[0];
  bool leave = InsideVmap() && ChoosesOrLoops(code);
  if (leave) draft.Keep();
  MutexLock lock(graph.mu());
  std::vector<Lanes> results;
  Capture* capture = Capture::Open();
  if (capture && !leave) {
    KeepUnusedCalls(graph, *draft.node().regions()[0], capture->calls());
  }
  if (leave) {
    results = LeaveCall(emit, draft.node(), lanes);
  } else {
    BatchReport made;
    Result<std::vector<Lanes>> batched =
        BatchRegion(graph, code, *building.region, lanes, &made);
    if (!batched.ok()) {
      throw Error(batched.status().WithLine(
          StrCat("under the vmap at ", SourceLine::From(where))));
    }
    results = std::move(*batched);
    MutexLock noting(mu);
    report = Summary(made);
  }
  std::vector<Tensor> placed;
  for (const Value& value : PlaceLanes(emit, results, lanes, options, where)) {
    const size_t i = placed.size();
    // The lane's code knows what detach() and no_grad stop.
    bool stops = capture && i < flow_on.size() && !flow_on[i];
    placed.push_back(stops ? Tensor(capture->Make(value, state.line, {}, true))
                           : TensorIn(graph, value));
  }
  return placed;
}

VmapCore::VmapCore(FunctionBody one, VmapOptions options)
    : state_(std::make_shared<State>(std::move(one), std::move(options))) {
  FunctionOptions function;
  function.name = state_->options.name;
  // A recorded call may outlive this object, and records the code again when
  // gradients of gradients are asked for.
  core_ = std::make_unique<FunctionCore>(
      [state = state_](const std::vector<Tensor>& args) {
        return state->Batch(args);
      },
      function);
}

VmapCore::~VmapCore() = default;

std::vector<Tensor> VmapCore::Call(const std::vector<Tensor>& args,
                                   std::source_location called_at) {
  State& state = *state_;
  CalledAt calling(called_at);
  LaneAxes(args, state.options, where);
  if (!RunsNow(args)) return state.Batch(args);
  VmapScope outermost(false);
  return core_->Call(args, where);
}

VmapReport VmapCore::report() const {
  MutexLock lock(state_->mu);
  return state_->report;
}

std::vector<TraceInfo> VmapCore::traces() const { return core_->traces(); }

std::string VmapCore::Explain(const std::vector<Tensor>& args) {
  return core_->Explain(args);
}

}  // namespace front_internal

}  // namespace sluice
