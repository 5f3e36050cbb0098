#include "sluice/autodiff/repeat_loop.h"

#include <unordered_set>

#include "sluice/autodiff/draw_again.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/base/strings.h"
#include "sluice/graph/effects.h"

namespace sluice {

namespace {

bool Prints(const Node& node) {
  return node.op().global_effect == "stdout" && node.num_outputs() == 1 &&
         node.num_inputs() >= 1;
}

// Advice for making the loop repeatable.
constexpr char kInstead[] =
    "a loop with save = \"recompute\" or a budget runs its iterations again "
    "for the gradient; wanted a body without such effects, or save = "
    "\"device\"";

Status CheckNode(const Node& node) {
  const OpRecord& op = node.op();
  const char* does = nullptr;
  if (op.effect == Effect::kWrite) does = "changes state";
  if (op.async()) does = "waits for others";
  if (!op.global_effect.empty() && !Prints(node)) does = "has side effects";
  if (op.flow == Flow::kCall || op.flow == Flow::kFunction) {
    for (const ResourceUse& use : ResourcesUsed(node)) {
      if (use.write) does = "changes state";
    }
  }
  if (does) {
    return Unimplemented(StrCat("[", op.name, "] ", does, ", and ", kInstead))
        .WithLine(NodeLine(node));
  }
  for (const auto& region : node.regions()) {
    for (const Node* inner : region->nodes()) {
      SL_RETURN_IF_ERROR(CheckNode(*inner));
    }
  }
  return OkStatus();
}

class Repetition {
 public:
  Repetition(const LoopToRepeat& of, Region& region)
      : of_(of), graph_(of.graph), loop_(of.loop), region_(region) {}

  Result<Node*> Make(std::span<const Value> starts, Value first, Value trips) {
    SL_ASSIGN_OR_RETURN(Value zero, Number(region_, 0));
    std::vector<Value> inits(starts.begin(), starts.end());
    inits.push_back(zero);
    std::vector<ValueType> types;
    std::vector<DType> dtypes;
    for (int i = 0; i < of_.carried; ++i) {
      types.push_back(of_.body().arg(i).type());
    }
    types.push_back(zero.type());
    for (const ValueType& type : types) dtypes.push_back(type.dtype);
    SL_ASSIGN_OR_RETURN(
        Node * again,
        AddBeside(graph_, region_, loop_, loop_.op().name, inits,
                  {{"dtypes", dtypes},
                   {"parallel", loop_.attrs().get<int64_t>("parallel")},
                   {"repeats", loop_.name()}}));
    for (const char* label : {"cond", "body"}) {
      SL_ASSIGN_OR_RETURN(Region * inner, graph_.AddRegion(*again, label));
      for (size_t i = 0; i < types.size(); ++i) {
        std::string name = i + 1 == types.size() ? "i" : StrCat("v", i);
        SL_RETURN_IF_ERROR(graph_.AddArg(*inner, name, types[i]).status());
      }
    }
    Region &cond = *again->regions()[0], &body = *again->regions()[1];
    Value below[] = {cond.arg(of_.carried), trips};
    SL_ASSIGN_OR_RETURN(Node * more,
                        AddBeside(graph_, cond, loop_, "Less", below));
    graph_.SetResults(cond, {more->output()});
    SL_RETURN_IF_ERROR(FillBody(body));
    if (DrawsHere(body)) SL_RETURN_IF_ERROR(Draw(body, first));
    graph_.SetOutputs(*again, std::move(types));
    return again;
  }

 private:
  Result<Value> Number(Region& region, int64_t n) {
    SL_ASSIGN_OR_RETURN(Node * node,
                        AddBeside(graph_, region, loop_, "Const", {},
                                  {{"value", Array::Scalar<int64_t>(n)}}));
    return node->output();
  }

  Status FillBody(Region& body) {
    Graph::ValueMap map;
    Graph::NodeMap nodes;
    for (int i = 0; i < of_.carried; ++i) map[of_.body().arg(i)] = body.arg(i);
    for (Node* node : of_.nodes) graph_.CopyNode(*node, body, map, nodes);
    for (auto [from, to] : nodes) {
      if (to->op().flow != Flow::kLoop ||
          !to->attrs().get<std::string>("repeats").empty()) {
        continue;
      }
      graph_.SetAttr(*to, "repeats", from->name());
    }
    SL_ASSIGN_OR_RETURN(Value one, Number(body, 1));
    Value in[] = {body.arg(of_.carried), one};
    SL_ASSIGN_OR_RETURN(Node * next, AddBeside(graph_, body, loop_, "Add", in));
    std::vector<Value> results;
    for (const Value& v : of_.results) {
      auto it = map.find(v);
      results.push_back(it == map.end() ? v : it->second);
    }
    results.push_back(next->output());
    graph_.SetResults(body, std::move(results));
    return Quieten(body);
  }

  // Iteration i of the copy draws the same numbers as first + i of the loop.
  Status Draw(Region& body, Value first) {
    SL_ASSIGN_OR_RETURN(Node * parent, AddBeside(graph_, *loop_.region(), loop_,
                                                 "StepTag", {}));
    graph_.MoveBefore(*parent, loop_);
    Value in[] = {first, body.arg(of_.carried)};
    SL_ASSIGN_OR_RETURN(Node * number,
                        AddBeside(graph_, body, loop_, "Add", in));
    SL_ASSIGN_OR_RETURN(
        Value tag,
        TagAtTop(graph_, body, loop_, parent->output(), number->output()));
    graph_.MoveBefore(*number, *tag.node);
    return DrawAgain(graph_, body, tag);
  }

  // Removes effects from a copied region.
  Status Quieten(Region& region) {
    graph_.SetTargets(region, {});
    std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Quieten(*inner));
      }
      if (Prints(*node)) {
        graph_.ReplaceUses(node->output(), node->input(0));
      } else if (node->op().effect == Effect::kRead) {
        SL_RETURN_IF_ERROR(ReadBefore(*node));
      }
    }
    return OkStatus();
  }

  // What is read of a resource around the loop is what the loop read: it reads
  // it before it begins.
  Status ReadBefore(Node& read) {
    for (const Value& v : read.inputs()) {
      if (v.node->region()->Encloses(loop_.region())) continue;
      return OkStatus();  // of a handle made inside
    }
    SL_ASSIGN_OR_RETURN(Node * before,
                        AddBeside(graph_, *loop_.region(), read, read.op().name,
                                  read.inputs(), read.attrs()));
    graph_.MoveBefore(*before, loop_);
    for (int i = 0; i < read.num_outputs(); ++i) {
      graph_.ReplaceUses(read.output(i), before->output(i));
    }
    return OkStatus();
  }

  const LoopToRepeat& of_;
  Graph& graph_;
  Node& loop_;
  Region& region_;
};

}  // namespace

LoopToRepeat::LoopToRepeat(Graph& graph, Node& loop)
    : graph(graph), loop(loop), carried(loop.num_inputs()) {
  const Region& body = *loop.regions()[1];
  nodes.assign(body.nodes().begin(), body.nodes().end());
  results.assign(body.results().begin(), body.results().end());
}

Status CheckRepeatable(const LoopToRepeat& loop) {
  for (const Node* node : loop.nodes) SL_RETURN_IF_ERROR(CheckNode(*node));
  return OkStatus();
}

Result<Node*> RepeatLoop(const LoopToRepeat& loop, Region& region,
                         std::span<const Value> starts, Value first,
                         Value trips) {
  return Repetition(loop, region).Make(starts, first, trips);
}

}  // namespace sluice
