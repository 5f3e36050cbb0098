#include "sluice/autodiff/call_twins.h"

#include <algorithm>

#include "sluice/autodiff/gradient_scopes.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/kept_list.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

Region& BodyOf(const Node& function) { return *function.regions()[0]; }

// The calls of a function, inside it or elsewhere.
std::vector<Node*> CallsOf(const Node& function) {
  std::vector<Node*> calls;
  for (Node* user : function.users()) {
    if (user->op().flow == Flow::kCall && user->input(0).node == &function &&
        std::find(calls.begin(), calls.end(), user) == calls.end()) {
      calls.push_back(user);
    }
  }
  return calls;
}

}  // namespace

CallTwins* CallTwins::Current(const Graph& graph) {
  CallTwins* current = GradientScopes::Here().call_twins;
  return current && &current->graph_ == &graph ? current : nullptr;
}

CallTwins::Scope::Scope(Graph& graph)
    : before_(GradientScopes::Here().call_twins) {
  if (Current(graph)) return;
  own_.reset(new CallTwins(graph));
  GradientScopes::Here().call_twins = own_.get();
}

CallTwins::Scope::~Scope() { GradientScopes::Here().call_twins = before_; }

bool CallTwins::Valid(const CallTwin& twin) const {
  const Node* nodes[] = {twin.forward, twin.backward};
  for (int i : {0, 1}) {
    const Node* node = graph_.FindNode(twin.names[i]);
    if (!node || node != nodes[i] || node->id() != twin.ids[i]) return false;
  }
  return true;
}

CallTwin* CallTwins::OfForward(const Node& function) {
  for (const auto& twin : twins_) {
    if (twin->forward == &function && Valid(*twin)) return twin.get();
  }
  return nullptr;
}

Result<CallTwin*> CallTwins::Get(Node& function, const CallActivity& activity,
                                 bool hoist) {
  for (const auto& twin : twins_) {
    if (twin->original == &function && twin->activity == activity &&
        twin->hoist == hoist && Valid(*twin)) {
      return twin.get();
    }
  }
  twins_.push_back(std::make_unique<CallTwin>());
  CallTwin& twin = *twins_.back();
  twin.hoist = hoist;
  Status begun = Begin(function, activity, twin);
  Result<bool> filled = begun.ok() ? Fill(twin) : Result<bool>(begun);
  if (filled.ok() && *filled) {
    twin.open = false;
    return &twin;
  }
  Discard(twin);
  if (!filled.ok()) return filled.status();
  return nullptr;
}

void CallTwins::AddKept(Node& call) {
  std::vector<ValueType> types;
  for (int i = 0; i < call.num_outputs(); ++i) {
    types.push_back(call.output_type(i));
  }
  types.push_back({DType::kList, Shape()});
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  for (const ValueType& type : types) {
    dtypes.push_back(type.dtype);
    shapes.push_back(type.shape);
  }
  graph_.SetAttr(call, "dtypes", dtypes);
  graph_.SetAttr(call, "shapes", shapes);
  graph_.SetOutputs(call, std::move(types));
}

void CallTwins::DropKept(Node& call) {
  std::vector<ValueType> types;
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  for (int i = 0; i + 1 < call.num_outputs(); ++i) {
    types.push_back(call.output_type(i));
    dtypes.push_back(types.back().dtype);
    shapes.push_back(types.back().shape);
  }
  graph_.SetAttr(call, "dtypes", dtypes);
  graph_.SetAttr(call, "shapes", shapes);
  graph_.SetOutputs(call, std::move(types));
}

void CallTwins::Redirect(Node& call, const CallTwin& twin) {
  graph_.SetInput(call, 0, twin.forward->output());
  AddKept(call);
}

Status CallTwins::Begin(Node& function, const CallActivity& activity,
                        CallTwin& twin) {
  Region& region = *function.region();
  auto nodes = region.nodes();
  auto below = std::find(nodes.begin(), nodes.end(), &function) + 1;
  Node* next = below == nodes.end() ? nullptr : *below;
  Graph::ValueMap values;
  Graph::NodeMap copies;
  twin.activity = activity;
  twin.original = &function;
  twin.kept = static_cast<int>(BodyOf(function).results().size());
  twin.forward = graph_.CopyNode(function, region, values, copies);
  // Placed where calls of the function can see it too. The backward function
  // comes last: if the region is a loop's body, it moves out with the gradient.
  if (next) graph_.MoveBefore(*twin.forward, *next);
  for (Node* call : CallsOf(*twin.forward)) AddKept(*call);

  SL_ASSIGN_OR_RETURN(twin.backward,
                      AddBeside(graph_, region, function, "Function", {}));
  SL_ASSIGN_OR_RETURN(Region * body, graph_.AddRegion(*twin.backward, "body"));
  SL_RETURN_IF_ERROR(
      graph_.AddArg(*body, "kept", {DType::kList, Shape()}).status());
  for (int i : activity.results) {
    const Value& result = BodyOf(function).results()[static_cast<size_t>(i)];
    SL_RETURN_IF_ERROR(
        graph_.AddArg(*body, StrCat("d", i), result.type()).status());
  }
  const Node* made[] = {twin.forward, twin.backward};
  for (int i : {0, 1}) {
    twin.names[i] = made[i]->name();
    twin.ids[i] = made[i]->id();
  }
  return OkStatus();
}

// Builds the code of the twins. False: no gradient flows anywhere.
Result<bool> CallTwins::Fill(CallTwin& twin) {
  Region& forward = BodyOf(*twin.forward);
  Region& backward = BodyOf(*twin.backward);
  std::vector<Value> xs;
  for (int i : twin.activity.args) xs.push_back(forward.arg(i));
  xs.insert(xs.end(), twin.activity.captures.begin(),
            twin.activity.captures.end());
  SL_ASSIGN_OR_RETURN(
      InnerGradient inner,
      InnerGradient::Compute(graph_, forward, twin.activity.results, xs, {},
                             twin.hoist));
  bool any = std::any_of(inner.gradients().begin(), inner.gradients().end(),
                         [](const Value& g) { return static_cast<bool>(g); });
  if (!any) {
    inner.Drop();
    return false;
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!inner.gradients()[i]) SL_RETURN_IF_ERROR(inner.UseZeros(i));
  }
  std::vector<Value> residuals = inner.Residuals();
  std::vector<Value> results(forward.results().begin(),
                             forward.results().end());
  SL_ASSIGN_OR_RETURN(Value kept,
                      KeepInList(graph_, forward, *twin.forward, residuals));
  results.push_back(kept);
  graph_.SetResults(forward, std::move(results));

  SL_ASSIGN_OR_RETURN(
      std::vector<Value> read,
      ReadKept(graph_, backward, *twin.original, backward.arg(0), residuals));
  Graph::ValueMap map;
  for (size_t i = 0; i < residuals.size(); ++i) map[residuals[i]] = read[i];
  for (size_t i = 0; i < inner.stand_ins().size(); ++i) {
    map[inner.stand_ins()[i]] = backward.arg(static_cast<int>(1 + i));
  }
  std::vector<Value> found = inner.gradients();
  inner.MoveTo(backward, map);
  for (Value& v : found) {
    auto it = map.find(v);
    if (it != map.end()) v = it->second;
  }
  graph_.SetResults(backward, std::move(found));
  LeaveOthers(twin);
  return true;
}

// Restores calls inside the forward twin that no gradient passes through: they
// have nothing to keep.
void CallTwins::LeaveOthers(const CallTwin& twin) {
  for (Node* call : CallsOf(*twin.forward)) {
    if (twin.used_by.count(call)) continue;
    graph_.SetInput(*call, 0, twin.original->output());
    DropKept(*call);
  }
}

void CallTwins::Discard(CallTwin& twin) {
  if (twin.forward) graph_.Erase(*twin.forward);
  if (twin.backward) graph_.Erase(*twin.backward);
  twins_.erase(std::find_if(twins_.begin(), twins_.end(),
                            [&](const auto& t) { return t.get() == &twin; }));
}

}  // namespace sluice
