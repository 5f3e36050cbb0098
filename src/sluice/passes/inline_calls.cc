#include "sluice/passes/inline_calls.h"

#include <algorithm>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/passes/may_move.h"
#include "sluice/passes/move_out.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

namespace {

// A function with at most this many nodes is copied to each of its calls.
constexpr size_t kSmall = 16;

bool IsCallOf(const Node& node, const Node& function) {
  return node.op().flow == Flow::kCall && node.input(0).node == &function &&
         std::count_if(node.inputs().begin(), node.inputs().end(),
                       [&](const Value& v) { return v.node == &function; }) ==
             1;
}

bool Inside(const Node& node, const Node& function) {
  return function.regions()[0]->Encloses(node.region());
}

class Inliner {
 public:
  Inliner(Graph& graph, std::vector<std::string>* notes)
      : graph_(graph), notes_(notes) {}

  Result<bool> Run() {
    // One function at a time: its body may contain calls that have changed.
    std::vector<Node*> functions;
    Find(graph_.root(), functions);
    for (Node* function : functions) {
      SL_RETURN_IF_ERROR(TakeShapes(*function));
      SL_RETURN_IF_ERROR(Inline(*function));
    }
    return changed_;
  }

 private:
  // Functions inside others come first.
  void Find(Region& region, std::vector<Node*>& functions) {
    for (Node* node : region.nodes()) {
      for (const auto& inner : node->regions()) Find(*inner, functions);
      if (node->op().flow == Flow::kFunction) functions.push_back(node);
    }
    for (const Value& v : region.results()) given_.insert(v.node);
  }

  // Its calls in order of creation; empty if it is also used in other ways, or
  // by itself.
  std::vector<Node*> Calls(const Node& function) const {
    if (given_.count(&function)) return {};
    std::vector<Node*> calls(function.users().begin(), function.users().end());
    for (const Node* user : calls) {
      if (!IsCallOf(*user, function) || Inside(*user, function)) return {};
    }
    std::sort(calls.begin(), calls.end(),
              [](const Node* a, const Node* b) { return a->id() < b->id(); });
    // A node that both reads the function and waits for it.
    if (std::adjacent_find(calls.begin(), calls.end()) != calls.end()) {
      return {};
    }
    return calls;
  }

  Status TakeShapes(Node& function) {
    std::vector<Node*> calls = Calls(function);
    if (calls.size() != 1) return OkStatus();
    Region& body = *function.regions()[0];
    for (int i = 0; i < body.num_args(); ++i) {
      const PartialShape& known = body.arg(i).shape();
      Result<PartialShape> merged =
          MergeShapes(known, calls[0]->input(i + 1).shape());
      // The step reports contradictions.
      if (!merged.ok() || *merged == known) continue;
      graph_.SetArgShape(body, i, *merged);
      changed_ = true;
    }
    return OkStatus();
  }

  Status Inline(Node& function) {
    std::vector<Node*> calls = Calls(function);
    Region& body = *function.regions()[0];
    if (calls.empty() || (calls.size() > 1 && body.nodes().size() > kSmall) ||
        !CannotFail(body) || DrawsNumbers(body)) {
      return OkStatus();
    }
    BatchEdit edit(graph_);
    if (edit.is_target(function)) return OkStatus();
    for (const Node* call : calls) {
      // Among primitives a call is dead as a whole.
      if (edit.is_target(*call) || !TypesAgree(*call, body) ||
          HasPrimitives(*call->region())) {
        return OkStatus();
      }
    }
    for (Node* call : calls) {
      if (notes_) {
        notes_->push_back(StrCat("[Call] of \"", function.name(),
                                 "\" became its ", body.nodes().size(),
                                 " nodes ", NodeLine(*call)));
      }
      if (call == calls.back()) {
        InlineItself(edit, function, *call);
      } else {
        InlineCopy(edit, body, *call);
      }
    }
    changed_ = true;
    edit.Commit();
    return OkStatus();
  }

  static bool TypesAgree(const Node& call, const Region& body) {
    if (call.num_inputs() != body.num_args() + 1 ||
        static_cast<size_t>(call.num_outputs()) != body.results().size()) {
      return false;
    }
    for (int i = 0; i < body.num_args(); ++i) {
      const Value &given = call.input(i + 1), &arg = body.arg(i);
      // CannotFail was proven for the shapes of the arguments.
      Result<PartialShape> merged = MergeShapes(given.shape(), arg.shape());
      if (given.dtype() != arg.dtype() || !merged.ok() ||
          !(*merged == given.shape())) {
        return false;
      }
    }
    return true;
  }

  void InlineItself(BatchEdit& edit, Node& function, Node& call) {
    Region& body = *function.regions()[0];
    for (int i = 0; i < body.num_args(); ++i) {
      edit.Replace(body.arg(i), call.input(i + 1));
    }
    MoveOut(graph_, edit, body, call);
    edit.Erase(function);
  }

  void InlineCopy(BatchEdit& edit, const Region& body, Node& call) {
    Graph::ValueMap values;
    Graph::NodeMap nodes;
    for (int i = 0; i < body.num_args(); ++i) {
      values[body.arg(i)] = call.input(i + 1);
    }
    std::vector<Node*> originals(body.nodes().begin(), body.nodes().end());
    std::vector<Node*> copies;
    for (const Node* node : originals) {
      Node* copy = graph_.CopyNode(*node, *call.region(), values, nodes);
      edit.MoveBefore(*copy, call);
      for (Node* control : call.controls()) edit.AddControl(*copy, *control);
      copies.push_back(copy);
    }
    for (const Value& v : call.inputs()) copies.push_back(v.node);
    for (int i = 0; i < call.num_outputs(); ++i) {
      Value result = body.results()[static_cast<size_t>(i)];
      auto it = values.find(result);
      edit.Replace(call.output(i), it == values.end() ? result : it->second);
    }
    // The function is removed; nobody waits for it.
    std::erase(copies, call.input(0).node);
    edit.ReplaceControl(call, std::move(copies));
    edit.Erase(call);
  }

  Graph& graph_;
  std::vector<std::string>* notes_;
  bool changed_ = false;
  std::unordered_set<const Node*> given_;  // as results of regions
};

}  // namespace

Result<bool> InlineCalls(Graph& graph, std::vector<std::string>* notes) {
  return Inliner(graph, notes).Run();
}

}  // namespace sluice
