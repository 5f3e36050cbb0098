#include "sluice/passes/raise_loops.h"

#include "sluice/base/strings.h"
#include "sluice/passes/read_frame.h"

namespace sluice {

namespace {

class Raiser {
 public:
  Raiser(Graph& graph, BatchEdit& edit, const RawRegion& raw,
         std::vector<std::string>* notes)
      : graph_(graph), edit_(edit), raw_(raw), notes_(notes) {}

  Status Run() {
    for (const RawRegion::Frame& frame : raw_.frames()) {
      if (frame.parent == RawRegion::kNoFrame) continue;
      if (std::optional<RawLoop> loop = ReadFrame(raw_, frame)) {
        SL_RETURN_IF_ERROR(Raise(frame, *loop));
      }
    }
    return OkStatus();
  }

 private:
  Status Raise(const RawRegion::Frame& frame, const RawLoop& loop) {
    std::vector<Value> inputs;
    std::vector<DType> dtypes;
    std::vector<ValueType> types;
    for (const RawLoop::Carried& c : loop.carried) {
      inputs.push_back(c.enter->input(0));
      types.push_back(c.merge->output_type(0));
      dtypes.push_back(types.back().dtype);
    }
    Node& place = *frame.exits.front();
    NodeOptions options;
    options.name_hint = frame.name;
    options.line = loop.cond->line();
    options.device = loop.cond->device();
    options.key = NodeKey(frame.name);
    auto parallel =
        loop.carried.front().enter->attrs().get<int64_t>("parallel");
    SL_ASSIGN_OR_RETURN(
        Node * made,
        graph_.Add(raw_.region(), "While", inputs,
                   {{"dtypes", dtypes}, {"parallel", parallel}}, options));
    graph_.SetOutputs(*made, types);
    SL_ASSIGN_OR_RETURN(Region * cond, AddRegion(*made, "cond", types));
    SL_ASSIGN_OR_RETURN(Region * body, AddRegion(*made, "body", types));
    Fill(loop, *cond, *body);
    if (notes_) {
      notes_->push_back(StrCat("the frame \"", frame.name, "\" of ",
                               frame.nodes.size(), " nodes became a While ",
                               NodeLine(*loop.cond)));
    }
    edit_.MoveBefore(*made, place);
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      for (Node* exit : loop.carried[i].exits) {
        edit_.Replace(exit->output(), made->output(static_cast<int>(i)));
        edit_.ReplaceControl(*exit, {made});
        edit_.Erase(*exit);
      }
    }
    return OkStatus();
  }

  Result<Region*> AddRegion(Node& loop, std::string_view label,
                            const std::vector<ValueType>& types) {
    SL_ASSIGN_OR_RETURN(Region * region, graph_.AddRegion(loop, label));
    for (size_t i = 0; i < types.size(); ++i) {
      SL_RETURN_IF_ERROR(
          graph_.AddArg(*region, StrCat("v", i), types[i]).status());
    }
    return region;
  }

  void Fill(const RawLoop& loop, Region& cond, Region& body) {
    std::vector<Value> results;
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      const RawLoop::Carried& c = loop.carried[i];
      int k = static_cast<int>(i);
      // The body may read a value before its gate: there it is the same.
      in_body_[c.merge->output(0)] = body.arg(k);
      edit_.Replace(c.merge->output(0), cond.arg(k));
      for (Node* gate : c.gates) edit_.Replace(gate->output(1), body.arg(k));
      results.push_back(c.next->input(0));
    }
    for (Value& v : results) v = InBody(v);
    for (Node* enter : loop.constants) {
      edit_.Replace(enter->output(), enter->input(0));
    }
    for (Node* gate : loop.constant_gates) {
      edit_.Replace(gate->output(1), gate->input(0));
    }
    for (Node* node : loop.head) edit_.MoveToEnd(*node, cond);
    std::unordered_set<const Node*> own(loop.body.begin(), loop.body.end());
    for (Node* node : loop.body) {
      ReadInBody(*node);
      edit_.MoveToEnd(*node, body);
      // The condition has been evaluated before.
      std::vector<Node*> controls(node->controls().begin(),
                                  node->controls().end());
      for (Node* control : controls) {
        if (!own.count(control)) graph_.RemoveControl(*node, *control);
      }
    }
    graph_.SetResults(cond, {loop.cond->input(0)});
    graph_.SetResults(body, std::move(results));
    std::vector<Node*> gone{loop.cond};
    gone.insert(gone.end(), loop.constants.begin(), loop.constants.end());
    for (const RawLoop::Carried& c : loop.carried) {
      gone.insert(gone.end(), {c.enter, c.merge, c.next});
      gone.insert(gone.end(), c.gates.begin(), c.gates.end());
    }
    gone.insert(gone.end(), loop.constant_gates.begin(),
                loop.constant_gates.end());
    for (Node* node : gone) {
      edit_.ReplaceControl(*node, {});
      edit_.Erase(*node);
    }
  }

  Value InBody(const Value& v) const {
    auto it = in_body_.find(v);
    return it == in_body_.end() ? v : it->second;
  }
  // The node and all inside it.
  void ReadInBody(Node& node) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      Value v = InBody(node.input(i));
      if (v != node.input(i)) graph_.SetInput(node, i, v);
    }
    for (const auto& region : node.regions()) {
      std::vector<Value> results;
      for (const Value& v : region->results()) results.push_back(InBody(v));
      graph_.SetResults(*region, std::move(results));
      for (Node* inner : region->nodes()) ReadInBody(*inner);
    }
  }

  Graph& graph_;
  BatchEdit& edit_;
  const RawRegion& raw_;
  std::vector<std::string>* notes_;
  Graph::ValueMap in_body_;
};

}  // namespace

Status RaiseLoops(Graph& graph, BatchEdit& edit, const RawRegion& raw,
                  std::vector<std::string>* notes) {
  return Raiser(graph, edit, raw, notes).Run();
}

}  // namespace sluice
