#include "sluice/graph/text_printer.h"

#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/stable_order.h"
#include "sluice/graph/text_lexer.h"
#include "sluice/graph/text_parser.h"

namespace sluice {

namespace {

class Printer {
 public:
  Printer(const Graph* graph, PrintOptions options)
      : graph_(graph), options_(options) {}

  std::string WholeGraph() {
    const Region& root = graph_->root();
    out_ = "graph ";
    StrAppend(out_, GraphName());
    Args(root);
    if (!root.results().empty()) {
      out_ += " -> (";
      Values(root.results());
      out_ += ")";
    }
    Body(root, 1);
    out_ += "}\n";
    return std::move(out_);
  }

  std::string Line(const Node& node) {
    Head(node);
    return std::move(out_);
  }

 private:
  // Without quotes if it is a single word, which a %name need not be.
  std::string GraphName() const {
    std::string bare = graph_->name();
    TextLexer lexer(bare);
    TextWord word = lexer.Next();
    if (word.kind == TextToken::kIdent && word.text == bare) return bare;
    return StrCat("\"", EscapeString(bare), "\"");
  }

  void Ref(const Value& v) {
    if (v.node->is_args()) {
      auto it = arg_names_.find(v);
      out_ += QuoteName(it != arg_names_.end() ? it->second : v.ToString());
      return;
    }
    out_ += QuoteName(v.node->name());
    if (v.index) StrAppend(out_, ":", v.index);
  }

  template <class Range>
  void Values(const Range& values) {
    bool first = true;
    for (const Value& v : values) {
      if (!first) out_ += ", ";
      first = false;
      Ref(v);
    }
  }

  template <class Range>
  void Nodes(const Range& nodes) {
    bool first = true;
    for (const Node* node : nodes) {
      if (!first) out_ += ", ";
      first = false;
      out_ += QuoteName(node->name());
    }
  }

  // Text has no shadowing: an argument with the name of a node or of an outer
  // argument gets another name, and its own name follows after `named`.
  void Args(const Region& region) {
    out_ += "(";
    for (int i = 0; i < region.num_args(); ++i) {
      if (i) out_ += ", ";
      const std::string& own = region.arg_name(i);
      std::string name = own;
      for (int n = 1; graph_->FindNode(name) || !taken_.insert(name).second;
           ++n) {
        name = StrCat(own, "_", n);
      }
      out_ += QuoteName(name);
      if (name != own) StrAppend(out_, " named \"", EscapeString(own), "\"");
      StrAppend(out_, ": ", region.arg(i).type());
      arg_names_[region.arg(i)] = std::move(name);
    }
    out_ += ")";
  }

  void ForgetArgs(const Region& region) {
    for (int i = 0; i < region.num_args(); ++i) {
      taken_.erase(arg_names_[region.arg(i)]);
    }
  }

  void Body(const Region& region, int depth) {
    if (!region.targets().empty()) {
      out_ += " run ";
      Nodes(region.targets());
    }
    out_ += " {\n";
    for (const Node* node : StableOrder(region)) Statement(*node, depth);
  }

  void Indent(int depth) { out_.append(static_cast<size_t>(2 * depth), ' '); }

  void Statement(const Node& node, int depth) {
    Indent(depth);
    Head(node);
    if (!node.regions().empty()) {
      out_ += " {\n";
      for (const auto& region : node.regions()) {
        Indent(depth + 1);
        out_ += region->label();
        Args(*region);
        Body(*region, depth + 2);
        if (!region->results().empty()) {
          Indent(depth + 2);
          out_ += "yield ";
          Values(region->results());
          out_ += "\n";
        }
        ForgetArgs(*region);
        Indent(depth + 1);
        out_ += "}\n";
      }
      Indent(depth);
      out_ += "}";
    }
    out_ += "\n";
  }

  void Head(const Node& node) {
    StrAppend(out_, QuoteName(node.name()), " = ", node.op().name);
    if (node.num_inputs() > 0) {
      out_ += "(";
      Values(node.inputs());
      out_ += ")";
    }
    size_t before = out_.size();
    Attributes(node);
    if (node.num_inputs() == 0 && out_.size() == before) out_ += "()";
    if (options_.types) {
      for (int i = 0; i < node.num_outputs(); ++i) {
        StrAppend(out_, i ? ", " : " : ", node.output_type(i));
      }
    }
    if (!node.controls().empty()) {
      out_ += " after ";
      Nodes(node.controls());
    }
    if (!node.device().empty()) {
      StrAppend(out_, " on \"", EscapeString(node.device()), "\"");
    }
    if (node.scope() != ImpliedScope(node.name())) {
      StrAppend(out_, " in \"", EscapeString(node.scope()), "\"");
    }
    if (node.key() != NodeKey(node.name())) Key(node.key());
    if (options_.lines && node.line().known()) {
      StrAppend(out_, " @ \"", EscapeString(node.line().file),
                "\":", node.line().line);
    }
  }

  // Only attributes that the record does not imply.
  void Attributes(const Node& node) {
    bool first = true;
    for (const auto& [name, value] : node.attrs()) {
      const AttrSpec* spec = node.op().FindAttr(name);
      if (spec && spec->default_value == value) continue;
      StrAppend(out_, first ? " [" : ", ", name, " = ", value);
      first = false;
    }
    if (!first) out_ += "]";
  }

  void Key(uint64_t key) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (; key; key >>= 4) hex.insert(hex.begin(), kDigits[key & 15]);
    StrAppend(out_, " key 0x", hex);
  }

  const Graph* graph_;
  PrintOptions options_;
  std::string out_;
  std::unordered_map<Value, std::string, ValueHash> arg_names_;
  std::unordered_set<std::string> taken_;
};

}  // namespace

std::string PrintGraph(const Graph& graph, PrintOptions options) {
  return Printer(&graph, options).WholeGraph();
}

std::string PrintNode(const Node& node, PrintOptions options) {
  return Printer(nullptr, options).Line(node);
}

}  // namespace sluice
