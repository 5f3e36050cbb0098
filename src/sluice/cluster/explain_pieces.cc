#include "sluice/cluster/explain_pieces.h"

#include "sluice/base/strings.h"
#include "sluice/cluster/piece_edge.h"
#include "sluice/device/names_task.h"

namespace sluice::cluster {

namespace {

class Explainer {
 public:
  Explainer(const Graph& whole, const SplitOptions& options)
      : whole_(whole), options_(options) {}

  std::string Of(const TaskPiece& piece) {
    text_ = StrCat(piece.task, "\n");
    once_ = Sum();
    repeated_ = Sum();
    Add(piece.graph->root(), false);
    StrAppend(text_, "  sends ", Text(once_), " in a step");
    if (repeated_.messages > 0) {
      StrAppend(text_, " and ", Text(repeated_), " in each iteration of loops");
    }
    StrAppend(text_, "\n");
    return std::move(text_);
  }

 private:
  struct Sum {
    int64_t messages = 0, bytes = 0;
    bool known = true;  // all sizes are known
  };

  static std::string Text(const Sum& sum) {
    return StrCat(sum.messages, sum.messages == 1 ? " tensor, " : " tensors, ",
                  sum.known ? "" : "at least ", sum.bytes, " bytes");
  }

  void Add(const Region& region, bool in_loop) {
    for (const Node* node : region.nodes()) {
      if (std::optional<PieceEdge> edge = EdgeOf(*node)) {
        AddEdge(*node, *edge, in_loop);
      } else {
        AddNode(*node);
      }
      for (const auto& inner : node->regions()) {
        Add(*inner, in_loop || node->op().flow == Flow::kLoop);
      }
    }
  }

  void AddNode(const Node& node) {
    std::vector<std::string> types;
    for (int i = 0; i < node.num_outputs(); ++i) {
      types.push_back(node.output_type(i).ToString());
    }
    StrAppend(text_, "  ", node.name(), " = ", node.op().name,
              types.empty() ? "" : " ", Join(types, ", "), ": ", Why(node));
    AddLine(node);
  }

  void AddEdge(const Node& node, const PieceEdge& edge, bool in_loop) {
    const ValueType type = edge.sends ? node.input(node.num_inputs() - 1).type()
                                      : node.output_type(0);
    StrAppend(
        text_, "  ", edge.sends ? "sends " : "receives ",
        edge.sends ? node.input(node.num_inputs() - 1).ToString() : node.name(),
        " ", type.ToString());
    Sum& sum = in_loop ? repeated_ : once_;
    // The size of strings and lists is unknown.
    const bool known = type.shape.fully_known() && DTypeSize(type.dtype) > 0 &&
                       !IsReference(type.dtype) && type.dtype != DType::kString;
    const int64_t bytes = known
                              ? type.shape.ToShape().num_elements() *
                                    static_cast<int64_t>(DTypeSize(type.dtype))
                              : 0;
    if (edge.sends) {
      ++sum.messages;
      sum.bytes += bytes;
      sum.known = sum.known && known;
    }
    StrAppend(text_, ", ",
              known ? StrCat(bytes, " bytes") : std::string("? bytes"),
              in_loop ? " in each iteration" : "",
              edge.sends ? ", to " : ", from ", edge.task);
    AddLine(node);
  }

  void AddLine(const Node& node) {
    std::string line = NodeLine(node);
    size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos) {
      StrAppend(text_, " (", line.substr(begin), ")");
    }
    StrAppend(text_, "\n");
  }

  std::string Why(const Node& node) const {
    const Node* asked = whole_.FindNode(node.name());
    if (node.op().flow != Flow::kNone) {
      return "what is in it has work here";
    }
    if (!asked || asked->op().name != node.op().name) {
      return "for what crosses tasks";
    }
    if (NamesTask(asked->device())) {
      return StrCat("its device is \"", asked->device(), "\"");
    }
    if (asked->op().role == Role::kConst) {
      return "constants are where they are read";
    }
    std::string with = options_.device_of ? options_.device_of(*asked) : "";
    if (NamesTask(with)) {
      return StrCat("with state or what must be together with it, on \"", with,
                    "\"");
    }
    return "it names no task, and this is the master's";
  }

  const Graph& whole_;
  const SplitOptions& options_;
  std::string text_;
  Sum once_, repeated_;
};

}  // namespace

std::vector<std::string> ExplainPieces(const Graph& whole,
                                       const SplitOptions& options,
                                       const std::vector<TaskPiece>& pieces) {
  Explainer explain(whole, options);
  std::vector<std::string> texts;
  for (const TaskPiece& piece : pieces) texts.push_back(explain.Of(piece));
  return texts;
}

}  // namespace sluice::cluster
