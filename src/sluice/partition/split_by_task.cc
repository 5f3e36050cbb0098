#include "sluice/partition/split_by_task.h"

#include "sluice/base/strings.h"
#include "sluice/graph/stable_order.h"
#include "sluice/partition/task_needs.h"

namespace sluice {

namespace {

// Builds the graph of one task: walks the whole graph once and copies each
// node, clones it with the parts that this task needs, receives it, or leaves
// it out.
class PieceBuilder {
 public:
  PieceBuilder(const Graph& whole, const TaskNeeds& needs, int task)
      : whole_(whole), needs_(needs), task_(task) {}

  Result<TaskPiece> Build() {
    TaskPiece piece;
    piece.task = needs_.tasks()[static_cast<size_t>(task_)];
    piece.graph = std::make_unique<Graph>(whole_.name());
    graph_ = piece.graph.get();
    const Region& from = whole_.root();
    Region& root = graph_->root();
    for (int i = 0; i < from.num_args(); ++i) {
      if (!needs_.Needs(from.arg(i), task_)) continue;
      SL_ASSIGN_OR_RETURN(
          values_[from.arg(i)],
          graph_->AddArg(root, from.arg_name(i), from.arg(i).type()));
      piece.args.push_back(i);
    }
    SL_RETURN_IF_ERROR(Fill(from, root));
    std::vector<Value> results;
    for (size_t i = 0; i < from.results().size(); ++i) {
      if (needs_.result_task(i) != task_) continue;
      SL_ASSIGN_OR_RETURN(Value here, Here(from.results()[i]));
      results.push_back(here);
      piece.results.push_back(static_cast<int>(i));
    }
    graph_->SetResults(root, std::move(results));
    return piece;
  }

 private:
  const std::string& Name(int task) const {
    return needs_.tasks()[static_cast<size_t>(task)];
  }

  // The value in this graph that represents v.
  Result<Value> Here(const Value& v) const {
    auto it = values_.find(v);
    if (it != values_.end()) return it->second;
    return Internal(StrCat("[SplitByTask] \"", v.ToString(),
                           "\" is not there in ", Name(task_)));
  }
  Result<std::vector<Value>> Here(std::span<const Value> all,
                                  const std::vector<int>& kept) const {
    std::vector<Value> here;
    for (int i : kept) {
      SL_ASSIGN_OR_RETURN(Value v, Here(all[static_cast<size_t>(i)]));
      here.push_back(v);
    }
    return here;
  }

  // Nodes and targets; the caller handles arguments and results.
  Status Fill(const Region& from, Region& to) {
    std::vector<Node*> targets;
    for (const auto& [value, edge] : needs_.CapturedBy(from)) {
      SL_RETURN_IF_ERROR(Pass(edge, value, to, targets));
    }
    for (Node* node : StableOrder(from)) {
      SL_RETURN_IF_ERROR(Lay(*node, to, targets));
    }
    for (Node* target : from.targets()) {
      auto it = nodes_.find(target);
      if (it == nodes_.end() || it->second->region() != &to) continue;
      if (TaskNeeds::IsCloned(*target)) continue;  // is one already
      targets.push_back(it->second);
    }
    graph_->SetTargets(to, std::move(targets));
    return OkStatus();
  }

  Status Lay(Node& node, Region& to, std::vector<Node*>& targets) {
    if (TaskNeeds::IsCopied(node) || node.op().flow == Flow::kFunction) {
      if (needs_.Needs(node.output(), task_)) {
        graph_->CopyNode(node, to, values_, nodes_);
      }
      return OkStatus();
    }
    if (TaskNeeds::IsCloned(node)) {
      if (needs_.Participates(node, task_)) {
        SL_RETURN_IF_ERROR(Clone(node, to));
        targets.push_back(nodes_.at(&node));
      }
    } else if (needs_.task_of(node) == task_) {
      Node* copy = graph_->CopyNode(node, to, values_, nodes_);
      AddTokens(node, *copy);
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      for (const TaskNeeds::Edge& edge : needs_.EdgesOf(node.output(i))) {
        SL_RETURN_IF_ERROR(Pass(edge, node.output(i), to, targets));
      }
    }
    for (const TaskNeeds::Edge& edge : needs_.TokensOf(node)) {
      if (edge.from == task_) {
        SL_ASSIGN_OR_RETURN(
            Node * done,
            graph_->Add(to, "Const", {}, {{"value", Array::Scalar(true)}},
                        At(edge, node, "done")));
        SL_RETURN_IF_ERROR(
            Send(edge, done->output(), node, nodes_.at(&node), to, targets));
      } else if (edge.to == task_) {
        SL_ASSIGN_OR_RETURN(
            Node * recv,
            Recv(edge, {DType::kBool, PartialShape(Shape())}, node, to));
        tokens_[&node].push_back(recv);
      }
    }
    return OkStatus();
  }

  // This task's end of a message edge.
  Status Pass(const TaskNeeds::Edge& edge, const Value& v, Region& to,
              std::vector<Node*>& targets) {
    if (edge.from == task_) {
      SL_ASSIGN_OR_RETURN(Value value, Here(v));
      return Send(edge, value, *v.node, nullptr, to, targets);
    }
    if (edge.to == task_) {
      SL_ASSIGN_OR_RETURN(Node * recv, Recv(edge, v.type(), *v.node, to));
      values_[v] = recv->output();
    }
    return OkStatus();
  }

  // Controls within this task were copied with the node.
  void AddTokens(const Node& node, Node& copy) {
    for (const Node* c : node.controls()) {
      auto it = tokens_.find(c);
      if (it == tokens_.end()) continue;
      for (Node* token : it->second) graph_->AddControl(copy, *token);
    }
  }

  // ---- Messages ----

  NodeOptions At(const TaskNeeds::Edge& edge, const Node& node,
                 const char* what) const {
    NodeOptions options;
    options.name_hint = StrCat("edge", edge.id, ".", what);
    options.line = node.line();
    options.device = StrCat(Name(task_), "/device:cpu:0");
    return options;
  }

  Status Send(const TaskNeeds::Edge& edge, const Value& value, const Node& node,
              Node* after, Region& to, std::vector<Node*>& targets) {
    Attrs attrs = {{"edge", static_cast<int64_t>(edge.id)},
                   {"from", Name(edge.from)},
                   {"to", Name(edge.to)}};
    NodeOptions options = At(edge, node, "send");
    if (after) options.controls.push_back(after);
    SL_ASSIGN_OR_RETURN(Node * send,
                        graph_->Add(to, "Send", {&value, 1}, attrs, options));
    targets.push_back(send);
    return OkStatus();
  }

  Result<Node*> Recv(const TaskNeeds::Edge& edge, const ValueType& type,
                     const Node& node, Region& to) {
    Attrs attrs = {{"dtype", type.dtype},
                   {"shape", type.shape},
                   {"edge", static_cast<int64_t>(edge.id)},
                   {"from", Name(edge.from)},
                   {"to", Name(edge.to)}};
    return graph_->Add(to, "Recv", {}, attrs, At(edge, node, "recv"));
  }

  // ---- Conditionals and loops ----

  // The outputs that this task has: results of a conditional that are native
  // here, values that are carried here.
  std::vector<int> Kept(Node& node) const {
    std::vector<int> kept;
    for (int i = 0; i < node.num_outputs(); ++i) {
      bool here = node.op().flow == Flow::kLoop
                      ? needs_.Carries(node, i, task_)
                      : needs_.Needs(node.output(i), task_) &&
                            needs_.Native(node.output(i), task_);
      if (here) kept.push_back(i);
    }
    return kept;
  }

  Status Clone(Node& node, Region& to) {
    static const std::vector<int> kFirst = {0};
    const bool loop = node.op().flow == Flow::kLoop;
    const std::vector<int> kept = Kept(node);
    SL_ASSIGN_OR_RETURN(std::vector<Value> inputs,
                        Here(node.inputs(), loop ? kept : kFirst));
    std::vector<DType> dtypes;
    std::vector<ValueType> types;
    for (int i : kept) {
      types.push_back(node.output_type(i));
      dtypes.push_back(types.back().dtype);
    }
    Attrs attrs = node.attrs();
    attrs.set("dtypes", dtypes);
    NodeOptions options;
    options.name_hint = node.name();
    // The name already starts with its scope.
    if (node.name().starts_with(node.scope() + "/")) {
      options.scope = node.scope();
      options.name_hint = node.name().substr(node.scope().size() + 1);
    }
    options.line = node.line();
    options.device = node.device();
    options.key = node.key();  // iteration tags are derived from it
    for (const Node* c : node.controls()) {
      if (auto it = nodes_.find(c); it != nodes_.end()) {
        options.controls.push_back(it->second);
      }
    }
    SL_ASSIGN_OR_RETURN(
        Node * clone, graph_->Add(to, node.op().name, inputs, attrs, options));
    nodes_[&node] = clone;
    AddTokens(node, *clone);
    graph_->SetOutputs(*clone, std::move(types));
    for (size_t k = 0; k < kept.size(); ++k) {
      values_[node.output(kept[k])] = clone->output(static_cast<int>(k));
    }
    for (size_t r = 0; r < node.regions().size(); ++r) {
      const Region& from = *node.regions()[r];
      SL_ASSIGN_OR_RETURN(Region * region,
                          graph_->AddRegion(*clone, from.label()));
      for (int i : kept) {
        if (!loop) break;
        SL_ASSIGN_OR_RETURN(
            values_[from.arg(i)],
            graph_->AddArg(*region, from.arg_name(i), from.arg(i).type()));
      }
      SL_RETURN_IF_ERROR(Fill(from, *region));
      SL_ASSIGN_OR_RETURN(std::vector<Value> results,
                          Here(from.results(), loop && r == 0 ? kFirst : kept));
      graph_->SetResults(*region, std::move(results));
    }
    return OkStatus();
  }

  const Graph& whole_;
  const TaskNeeds& needs_;
  const int task_;
  Graph* graph_ = nullptr;
  Graph::ValueMap values_;
  Graph::NodeMap nodes_;
  std::unordered_map<const Node*, std::vector<Node*>> tokens_;
};

}  // namespace

Result<std::vector<TaskPiece>> SplitByTask(const Graph& graph,
                                           const SplitOptions& options) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<TaskNeeds> needs,
                      TaskNeeds::Find(graph, options));
  std::vector<TaskPiece> pieces;
  for (size_t t = 0; t < needs->tasks().size(); ++t) {
    PieceBuilder builder(graph, *needs, static_cast<int>(t));
    SL_ASSIGN_OR_RETURN(TaskPiece piece, builder.Build());
    if (piece.graph->root().nodes().empty() && piece.results.empty()) continue;
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace sluice
