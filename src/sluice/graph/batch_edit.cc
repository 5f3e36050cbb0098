#include "sluice/graph/batch_edit.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/op/registry.h"
#include "sluice/op/signature.h"

namespace sluice {

BatchEdit::BatchEdit(Graph& graph) : graph_(graph) {
  FindTargets(graph.root());
}

void BatchEdit::FindTargets(const Region& region) {
  for (const Node* target : region.targets()) targets_.insert(target);
  for (const Node* node : region.nodes()) {
    for (const auto& inner : node->regions()) FindTargets(*inner);
  }
}

Value BatchEdit::Resolve(Value v) const {
  for (auto it = replaced_.find(v); it != replaced_.end();
       it = replaced_.find(v)) {
    v = it->second;
  }
  return v;
}

void BatchEdit::Update(Node& node) {
  if (replaced_.empty()) return;
  for (Value& v : node.inputs_) v = Resolve(v);
}

void BatchEdit::Replace(Value from, Value to) {
  to = Resolve(to);
  SL_CHECK(from != to);
  replaced_[from] = to;
  changed_ = true;
}

void BatchEdit::ReplaceControl(Node& from, std::vector<Node*> to) {
  // Arguments exist before anything runs.
  std::erase_if(to, [](Node* node) { return node->is_args(); });
  replaced_controls_[&from] = std::move(to);
  changed_ = true;
}

void BatchEdit::AddControl(Node& node, Node& before) {
  auto& c = node.few().controls;
  if (std::find(c.begin(), c.end(), &before) != c.end()) return;
  c.push_back(&before);
  changed_ = true;
}

Status BatchEdit::Rewrite(Node& node, std::string_view op_name,
                          std::vector<Value> inputs, const Attrs& attrs) {
  SL_ASSIGN_OR_RETURN(const OpRecord* op, LookupOp(op_name));
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  std::vector<const Array*> values;
  for (const Value& v : inputs) {
    dtypes.push_back(v.dtype());
    shapes.push_back(v.shape());
    values.push_back(ConstantValue(v));
  }
  SL_ASSIGN_OR_RETURN(ResolvedCall call, ResolveCall(*op, attrs, dtypes));
  SL_ASSIGN_OR_RETURN(
      std::vector<PartialShape> out,
      InferShapes(*op, call.attrs, dtypes, shapes, values, call.out_dtypes));
  if (out.size() != node.outputs_.size() || !op->regions.empty()) {
    return InvalidArgument(StrCat("[", op->name, "] cannot stand for [",
                                  node.op().name, "]: it has other outputs"));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    ValueType type{call.out_dtypes[i], out[i]};
    Result<PartialShape> merged =
        MergeShapes(node.outputs_[i]->shape, type.shape);
    if (type.dtype != node.outputs_[i]->dtype || !merged.ok()) {
      return InvalidArgument(StrCat("[", op->name, "] cannot stand for [",
                                    node.op().name, "]: it gives ", type,
                                    ", not ", *node.outputs_[i]));
    }
    out[i] = *merged;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    graph_.SetOutputShape(node, static_cast<int>(i), out[i]);
  }
  node.op_ = op;
  node.attrs_ = graph_.pool_->AttrsOf(*op, std::move(call.attrs));
  node.inputs_ = std::span<const Value>(inputs);
  changed_ = true;
  return OkStatus();
}

void BatchEdit::InsertBefore(Node& inserted, Node& place) {
  inserted_[&place].push_back(&inserted);
  inserted_nodes_.insert(&inserted);
  changed_ = true;
}

void BatchEdit::MoveBefore(Node& node, Node& place) {
  node.region_ = place.region_;
  InsertBefore(node, place);
}

void BatchEdit::MoveToFront(Node& node, Region& region) {
  node.region_ = &region;
  front_[&region].push_back(&node);
  inserted_nodes_.insert(&node);
  changed_ = true;
}

void BatchEdit::MoveToEnd(Node& node, Region& region) {
  node.region_ = &region;
  end_[&region].push_back(&node);
  inserted_nodes_.insert(&node);
  changed_ = true;
}

void BatchEdit::TakeOver(Node& heir, Node& gone) {
  graph_.by_name_.Erase(heir);
  graph_.by_name_.Erase(gone);
  std::swap(heir.name_, gone.name_);
  graph_.by_name_.Insert(heir);
  graph_.by_name_.Insert(gone);
  heir.origin_ = gone.origin_;
  heir.key_ = gone.key_;
  if (heir.few_ || gone.few_) {
    heir.few().controls.assign(gone.controls().begin(), gone.controls().end());
  }
  MoveBefore(heir, gone);
  ReplaceControl(gone, {&heir});
  heirs_[&gone] = &heir;
  if (is_target(gone)) targets_.insert(&heir);
  Erase(gone);
}

void BatchEdit::SetDevice(Node& node, std::string_view device) {
  if (node.device() == device) return;
  node.origin_ =
      graph_.pool_->Origin({node.scope(), std::string(device), node.line()});
}

void BatchEdit::Erase(Node& node) {
  erased_.insert(&node);
  changed_ = true;
}

bool BatchEdit::HasControlUser(const Node& node) {
  for (const Node* user : node.users()) {
    for (const Node* control : user->controls()) {
      if (control == &node) return true;
    }
  }
  return false;
}

void BatchEdit::CommitControls(Node& node) {
  if (replaced_controls_.empty()) return;
  auto changes = [&](Node* c) { return replaced_controls_.count(c) > 0; };
  if (std::none_of(node.controls().begin(), node.controls().end(), changes)) {
    return;
  }
  std::vector<Node*>& controls = node.few().controls;
  // Replacements may have been replaced in turn, before or after they were
  // noted.
  std::vector<Node*> todo(controls.rbegin(), controls.rend());
  std::unordered_set<Node*> seen;
  controls.clear();
  while (!todo.empty()) {
    Node* control = todo.back();
    todo.pop_back();
    if (!seen.insert(control).second) continue;
    auto it = replaced_controls_.find(control);
    if (it == replaced_controls_.end()) {
      controls.push_back(control);
    } else {
      todo.insert(todo.end(), it->second.rbegin(), it->second.rend());
    }
  }
}

void BatchEdit::Drop(Region& region) {
  for (Node* node : region.nodes_) {
    if (inserted_nodes_.count(node)) continue;
    dropped_.push_back(node);
    for (const auto& inner : node->regions()) Drop(*inner);
  }
}

// Commits a node after the nodes inserted before it, which may in turn have
// nodes inserted before them.
void BatchEdit::CommitNode(Node* node, std::vector<Node*>& kept) {
  if (auto it = inserted_.find(node); it != inserted_.end()) {
    for (Node* inserted : it->second) CommitNode(inserted, kept);
  }
  if (erased(*node)) {
    dropped_.push_back(node);
    for (const auto& inner : node->regions()) Drop(*inner);
    return;
  }
  node->users_.clear();
  Update(*node);
  CommitControls(*node);
  kept.push_back(node);
  for (const auto& inner : node->regions()) CommitRegion(*inner);
}

// Rewires the nodes that stay and collects those that are removed.
void BatchEdit::CommitRegion(Region& region) {
  region.args_->users_.clear();
  std::vector<Node*> kept;
  kept.reserve(region.nodes_.size());
  if (auto it = front_.find(&region); it != front_.end()) {
    for (auto node = it->second.rbegin(); node != it->second.rend(); ++node) {
      CommitNode(*node, kept);
    }
  }
  for (Node* node : region.nodes_) {
    if (!inserted_nodes_.count(node)) CommitNode(node, kept);
  }
  if (auto it = end_.find(&region); it != end_.end()) {
    for (Node* node : it->second) CommitNode(node, kept);
  }
  region.nodes_ = std::move(kept);
  for (Value& v : region.results_) v = Resolve(v);
  if (heirs_.empty()) return;
  for (Node*& target : region.targets_) {
    for (auto it = heirs_.find(target); it != heirs_.end();
         it = heirs_.find(target)) {
      target = it->second;
    }
  }
}

bool BatchEdit::Commit() {
  if (!changed_) return false;
  CommitRegion(*graph_.root_);
  for (Node* node : dropped_) {
    graph_.by_name_.Erase(*node);
    --graph_.num_live_;
    graph_.nodes_[static_cast<size_t>(node->id_)].reset();
  }
  for (const auto& node : graph_.nodes_) {
    if (!node) continue;
    for (const Value& v : node->inputs_) graph_.AddUse(v, node.get());
    for (Node* c : node->controls()) c->users_.push_back(node.get());
  }
  return true;
}

}  // namespace sluice
