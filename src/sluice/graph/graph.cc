#include "sluice/graph/graph.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/checked_when_run.h"
#include "sluice/graph/nesting.h"
#include "sluice/graph/node.h"
#include "sluice/op/registry.h"
#include "sluice/op/signature.h"

namespace sluice {

const OpRecord& RegionArgsRecord() {
  static const auto* record = [] {
    auto* r = new OpRecord;
    r->name = "RegionArgs";
    r->doc = "The arguments of a region.";
    r->shape = shapes::unknown;
    r->structural = true;
    return r;
  }();
  return *record;
}

const Array* ConstantValue(const Value& value) {
  if (value.node->num_inputs() != 0 || value.node->op().role != Role::kConst) {
    return nullptr;
  }
  const AttrValue* attr = value.node->attrs().find("value");
  return attr ? &attr->get<Array>() : nullptr;
}

uint64_t NodeKey(std::string_view name) {
  uint64_t h = 0xcbf29ce484222325u;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h | 1;
}

std::string NodeLine(const Node& node) {
  std::string text = StrCat("at ", node.line(), " (node \"", node.name(), "\"");
  return text + ")";
}

namespace {

// Removes repeats and keeps the order. A join may wait for a million nodes.
std::vector<Node*> WithoutRepeats(const std::vector<Node*>& nodes) {
  if (nodes.size() < 2) return nodes;
  std::unordered_set<const Node*> seen;
  std::vector<Node*> once;
  for (Node* node : nodes) {
    if (seen.insert(node).second) once.push_back(node);
  }
  return once;
}

Status WithOrigin(const Status& status, const SourceLine& line,
                  std::span<const Value> inputs, const OpRecord* op) {
  if (status.ok() || (!line.known() && inputs.empty())) return status;
  std::string text;
  if (line.known()) text = StrCat("at ", line);
  for (size_t i = 0; i < inputs.size() && i < 4; ++i) {
    std::string role = op ? op->InputName(static_cast<int>(i)) : "";
    StrAppend(text,
              text.empty() ? ""
              : i == 0     ? "  "
                           : ", ",
              role, " = \"", inputs[i].ToString(), "\"");
  }
  return status.WithLine(text);
}

}  // namespace

Graph::Graph(std::string_view name)
    : name_(name), pool_(std::make_unique<NodePool>()) {
  root_ = NewRegion("root", nullptr);
}

Graph::~Graph() = default;

Node* Graph::NewNode() {
  auto node = std::make_unique<Node>();
  node->id_ = static_cast<int>(nodes_.size());
  nodes_.push_back(std::move(node));
  ++num_live_;
  return nodes_.back().get();
}

std::unique_ptr<Region> Graph::NewRegion(std::string_view label, Node* owner) {
  auto region = std::make_unique<Region>();
  region->label_ = label;
  region->owner_ = owner;
  auto args = std::make_unique<Node>();
  args->op_ = &RegionArgsRecord();
  args->is_args_ = true;
  args->region_ = region.get();
  args->name_ = label;
  region->args_ = args.get();
  arg_nodes_.push_back(std::move(args));
  return region;
}

void Graph::AddUse(Value value, Node* user) {
  value.node->users_.push_back(user);
}

void Graph::DropUse(Node* producer, Node* user) {
  auto& users = producer->users_;
  auto it = std::find(users.begin(), users.end(), user);
  SL_CHECK(it != users.end());
  users.swap_out(it);
}

Result<std::string> Graph::ChooseName(std::string_view op,
                                      const NodeOptions& options) {
  std::string prefix = options.scope.empty() ? "" : options.scope + "/";
  if (!options.name.empty()) {
    std::string name = prefix + options.name;
    if (const Node* taken = by_name_.Find(name)) {
      return AlreadyExists(StrCat("[", op, "] the name \"", name,
                                  "\" is taken by a node made at ",
                                  taken->line()));
    }
    return name;
  }
  std::string base = prefix + (options.name_hint.empty() ? std::string(op)
                                                         : options.name_hint);
  std::string name = base;
  int& count = name_counts_[base];
  while (by_name_.Find(name)) name = StrCat(base, "_", ++count);
  return name;
}

namespace {

// Why a value of another region is not a valid input here.
std::string MadeElsewhere(const Value& value) {
  const Region& region = *value.node->region();
  const Node* owner = region.owner();
  if (!owner) {
    return " belongs to another region or graph; wanted a value of this region "
           "or one around it";
  }
  return StrCat(" was made in the region \"", region.label(), "\" of ",
                owner->op().name, " \"", owner->name(), "\" at ", owner->line(),
                " and is not there outside of it; wanted a result of that "
                "region, or a value of this region or one around it");
}

bool IsValue(const Value& value) {
  return value && value.index >= 0 && value.index < value.node->num_outputs();
}

// Errors, with the user's line: an input is not a value; an input or a control
// is neither in the region nor in an enclosing one.
Status CheckInputs(const Region& region, const OpRecord& op,
                   std::span<const Value> inputs, const NodeOptions& options) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!IsValue(inputs[i])) {
      return WithOrigin(
          InvalidArgument(StrCat("[", op.name, "] ",
                                 op.InputName(static_cast<int>(i)),
                                 " is not a value of any node")),
          options.line, {}, &op);
    }
    if (!inputs[i].node->region()->Encloses(&region)) {
      return WithOrigin(
          InvalidArgument(StrCat("[", op.name, "] ",
                                 op.InputName(static_cast<int>(i)),
                                 MadeElsewhere(inputs[i]))),
          options.line, inputs, &op);
    }
  }
  for (Node* control : options.controls) {
    if (!control || !control->region()->Encloses(&region)) {
      return WithOrigin(
          InvalidArgument(StrCat("[", op.name,
                                 "] waits for a node outside its region and "
                                 "those around it")),
          options.line, inputs, &op);
    }
  }
  return OkStatus();
}

// A call with all attributes and the types of its outputs.
struct TypedCall {
  Attrs attrs;
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
};

Result<TypedCall> TypesOf(const OpRecord& op, const Region& region,
                          std::span<const Value> inputs, const Attrs& attrs) {
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  std::vector<const Array*> values;
  for (const Value& in : inputs) {
    dtypes.push_back(in.dtype());
    shapes.push_back(in.shape());
    values.push_back(ConstantValue(in));
  }
  SL_ASSIGN_OR_RETURN(ResolvedCall call, ResolveCall(op, attrs, dtypes));
  Result<std::vector<PartialShape>> out =
      InferShapes(op, call.attrs, dtypes, shapes, values, call.out_dtypes);
  if (!out.ok()) {
    if (!CheckedWhenRun(op, region)) return out.status();
    out = std::vector<PartialShape>{StatedShape(call.attrs)};
  }
  return TypedCall{std::move(call.attrs), std::move(call.out_dtypes),
                   *std::move(out)};
}

}  // namespace

Result<Node*> Graph::Add(Region& region, std::string_view op_name,
                         std::span<const Value> inputs, const Attrs& attrs,
                         const NodeOptions& options) {
  auto fail = [&](const Status& status, const OpRecord* op) {
    return WithOrigin(status, options.line, inputs, op);
  };
  Result<const OpRecord*> found = LookupOp(op_name);
  if (!found.ok()) return fail(found.status(), nullptr);
  const OpRecord& op = **found;
  SL_RETURN_IF_ERROR(CheckInputs(region, op, inputs, options));
  Result<TypedCall> call = TypesOf(op, region, inputs, attrs);
  if (!call.ok()) return fail(call.status(), &op);
  Result<std::string> name = ChooseName(op.name, options);
  if (!name.ok()) return fail(name.status(), &op);

  Node* node = NewNode();
  // Removes a node if memory runs out while it is being added.
  struct TakenBack {
    ~TakenBack() {
      if (!node) return;
      auto forget = [&](Node* producer) {
        auto& users = producer->users_;
        auto it = std::find(users.begin(), users.end(), node);
        if (it != users.end()) users.swap_out(it);
      };
      for (const Value& v : node->inputs_) forget(v.node);
      for (Node* c : node->controls()) forget(c);
      auto& list = node->region_->nodes_;
      if (!list.empty() && list.back() == node) list.pop_back();
      graph.nodes_.pop_back();
      --graph.num_live_;
    }
    Graph& graph;
    Node* node;
  } half{*this, node};
  node->op_ = &op;
  node->region_ = &region;
  node->name_ = std::move(*name);
  node->origin_ = pool_->Origin({options.scope, options.device, options.line});
  node->key_ = options.key ? options.key : NodeKey(node->name_);
  node->attrs_ = pool_->AttrsOf(op, std::move(call->attrs));
  node->inputs_ = inputs;
  for (size_t i = 0; i < call->shapes.size(); ++i) {
    node->outputs_.push_back(
        pool_->Type({call->dtypes[i], std::move(call->shapes[i])}));
  }
  for (const Value& v : inputs) AddUse(v, node);
  if (!options.controls.empty()) {
    node->few().controls = WithoutRepeats(options.controls);
    for (Node* c : node->controls()) c->users_.push_back(node);
  }
  region.nodes_.push_back(node);
  by_name_.Insert(*node);
  half.node = nullptr;
  return node;
}

namespace {
// Regions with at least this many arguments have an index of their names.
constexpr size_t kManyArgs = 16;
}  // namespace

int Region::FindArg(std::string_view name) const {
  if (!arg_index_.empty()) {
    auto it = arg_index_.find(std::string(name));
    return it == arg_index_.end() ? -1 : it->second;
  }
  for (size_t i = 0; i < arg_names_.size(); ++i) {
    if (arg_names_[i] == name) return static_cast<int>(i);
  }
  return -1;
}

Result<Value> Graph::AddArg(Region& region, std::string_view name,
                            ValueType type) {
  if (region.FindArg(name) >= 0) {
    return AlreadyExists(StrCat("argument name \"", name, "\" is taken"));
  }
  if (type.dtype == DType::kInvalid) {
    return InvalidArgument(StrCat("argument \"", name, "\" has no dtype"));
  }
  const ValueType* kept = pool_->Type(type);
  region.arg_names_.emplace_back(name);
  try {
    region.args_->outputs_.push_back(kept);
  } catch (...) {
    region.arg_names_.pop_back();
    throw;
  }
  size_t n = region.arg_names_.size();
  if (n >= kManyArgs) {
    for (size_t i = n == kManyArgs ? 0 : n - 1; i < n; ++i) {
      region.arg_index_.emplace(region.arg_names_[i], static_cast<int>(i));
    }
  }
  return region.arg(region.num_args() - 1);
}

Result<Region*> Graph::AddRegion(Node& owner, std::string_view label) {
  size_t next = owner.regions().size();
  std::string want = owner.op().RegionLabel(next);
  if (want.empty()) {
    return InvalidArgument(StrCat("[", owner.op().name, "] takes ",
                                  owner.op().regions.size(),
                                  " regions, got more"));
  }
  if (want != label) {
    return InvalidArgument(StrCat("[", owner.op().name, "] region ", next,
                                  " is \"", label, "\"; wanted \"", want,
                                  "\""));
  }
  int depth = 1;
  for (const Node* n = &owner; n; n = n->region()->owner()) ++depth;
  if (depth > kMaxNesting + 1) {
    return InvalidArgument(StrCat("[", owner.op().name,
                                  "] regions are nested deeper than ",
                                  kMaxNesting));
  }
  auto& regions = owner.few().regions;
  regions.push_back(NewRegion(label, &owner));
  return regions.back().get();
}

Node* Graph::FindNode(std::string_view name) const {
  return by_name_.Find(name);
}

Result<Value> Graph::FindValue(std::string_view text) const {
  if (Node* node = FindNode(text)) {
    if (node->num_outputs() == 0) {
      return InvalidArgument(
          StrCat("node \"", text, "\" (", node->op().name, ") has no outputs"));
    }
    return node->output(0);
  }
  if (int i = root_->FindArg(text); i >= 0) return root_->arg(i);
  size_t colon = text.rfind(':');
  if (colon != text.npos) {
    int index = -1;
    const char* end = text.data() + text.size();
    auto [p, error] = std::from_chars(text.data() + colon + 1, end, index);
    Node* node = FindNode(text.substr(0, colon));
    if (node && error == std::errc() && p == end) {
      if (index >= 0 && index < node->num_outputs()) return node->output(index);
      return OutOfRange(StrCat("node \"", node->name(), "\" has ",
                               node->num_outputs(), " outputs, got index ",
                               index));
    }
  }
  return NotFound(StrCat("no value \"", EscapeString(text.substr(0, 200)),
                         "\" in graph \"", name_, "\""));
}

void Graph::Reserve(size_t nodes) {
  nodes_.reserve(nodes);
  by_name_.Reserve(nodes);
  root_->nodes_.reserve(nodes);
}

void Graph::SetInput(Node& node, int i, Value value) {
  Value& slot = node.inputs_[static_cast<size_t>(i)];
  DropUse(slot.node, &node);
  slot = value;
  AddUse(value, &node);
}

void Graph::SetInputs(Node& node, std::vector<Value> values) {
  for (const Value& v : node.inputs_) DropUse(v.node, &node);
  node.inputs_ = std::span<const Value>(values);
  for (const Value& v : node.inputs_) AddUse(v, &node);
}

void Graph::AddControl(Node& node, Node& before) {
  auto& c = node.few().controls;
  if (std::find(c.begin(), c.end(), &before) != c.end()) return;
  c.push_back(&before);
  before.users_.push_back(&node);
}

void Graph::RemoveControl(Node& node, Node& before) {
  if (node.controls().empty()) return;
  auto& c = node.few().controls;
  auto it = std::find(c.begin(), c.end(), &before);
  if (it == c.end()) return;
  c.erase(it);
  DropUse(&before, &node);
}

void Graph::SetAttr(Node& node, std::string_view name, AttrValue value) {
  Attrs attrs = node.attrs();
  attrs.set(name, std::move(value));
  node.attrs_ = pool_->AttrsOf(node.op(), std::move(attrs));
}

void Graph::SetOutputShape(Node& node, int i, PartialShape shape) {
  const ValueType*& type = node.outputs_[static_cast<size_t>(i)];
  type = pool_->Type({type->dtype, std::move(shape)});
}

void Graph::SetArgShape(Region& region, int i, PartialShape shape) {
  SetOutputShape(*region.args_, i, std::move(shape));
}

void Graph::SetResults(Region& region, std::vector<Value> results) {
  region.results_ = std::move(results);
}

void Graph::SetTargets(Region& region, std::vector<Node*> targets) {
  region.targets_ = std::move(targets);
}

namespace {
void ReplaceResults(
    Region& region, Value from, Value to,
    const std::function<void(Region&, std::vector<Value>)>& set) {
  std::vector<Value> results(region.results().begin(), region.results().end());
  bool changed = false;
  for (Value& v : results) {
    if (v == from) {
      v = to;
      changed = true;
    }
  }
  if (changed) set(region, std::move(results));
  for (Node* node : region.nodes()) {
    for (const auto& inner : node->regions()) {
      ReplaceResults(*inner, from, to, set);
    }
  }
}
}  // namespace

void Graph::ReplaceUses(Value from, Value to) {
  if (from == to) return;
  std::vector<Node*> users(from.node->users_.begin(), from.node->users_.end());
  std::sort(users.begin(), users.end());
  users.erase(std::unique(users.begin(), users.end()), users.end());
  for (Node* user : users) {
    for (size_t i = 0; i < user->inputs_.size(); ++i) {
      if (user->inputs_[i] == from) SetInput(*user, static_cast<int>(i), to);
    }
  }
  // Results of this region and of nested ones may refer to the value.
  Region* region = from.node->region_;
  ReplaceResults(*region, from, to, [this](Region& r, std::vector<Value> v) {
    SetResults(r, std::move(v));
  });
}

void Graph::ReplaceControlUses(Node& from, Node& to) {
  std::vector<Node*> users(from.users_.begin(), from.users_.end());
  for (Node* user : users) {
    auto c = user->controls();
    if (std::find(c.begin(), c.end(), &from) == c.end()) continue;
    RemoveControl(*user, from);
    if (user != &to) AddControl(*user, to);
  }
  for (Node*& t : from.region_->targets_) {
    if (t == &from) t = &to;
  }
}

void Graph::EraseRegion(Region& region) {
  region.results_.clear();
  region.targets_.clear();
  // Loops are broken up first: nothing may use an erased node.
  for (Node* node : region.nodes_) {
    if (node->op().flow == Flow::kMerge) SetInputs(*node, {});
  }
  while (!region.nodes_.empty()) Erase(*region.nodes_.back());
}

void Graph::Erase(Node& node) {
  for (const auto& region : node.regions()) EraseRegion(*region);
  SL_CHECK(node.users_.empty());
  arg_nodes_.emplace_back();  // may fail, and nothing has changed yet
  for (const Value& v : node.inputs_) DropUse(v.node, &node);
  for (Node* c : node.controls()) DropUse(c, &node);
  auto& list = node.region_->nodes_;
  auto it = std::find(list.rbegin(), list.rend(), &node);
  list.erase(std::next(it).base());
  by_name_.Erase(node);
  --num_live_;
  // A program may still hold tensors of recorded and removed nodes, and ask for
  // their types: the node stays until the graph is destroyed, without parts
  // that may be large, such as the value of a constant.
  node.inputs_.clear();
  if (node.few_) node.few_->controls.clear();
  node.attrs_ = nullptr;
  arg_nodes_.back() = std::move(nodes_[static_cast<size_t>(node.id_)]);
}

void Graph::SetOutputs(Node& node, std::vector<ValueType> outputs) {
  node.outputs_.clear();
  for (const ValueType& type : outputs) {
    node.outputs_.push_back(pool_->Type(type));
  }
}

void Graph::MoveToEnd(Node& node) {
  auto& list = node.region_->nodes_;
  if (list.back() == &node) return;
  list.erase(std::find(list.begin(), list.end(), &node));
  list.push_back(&node);
}

void Graph::MoveBefore(Node& node, Node& before) {
  auto& list = node.region_->nodes_;
  list.erase(std::find(list.begin(), list.end(), &node));
  list.insert(std::find(list.begin(), list.end(), &before), &node);
}

}  // namespace sluice
