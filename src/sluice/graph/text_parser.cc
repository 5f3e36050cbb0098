#include "sluice/graph/text_parser.h"

#include <charconv>
#include <climits>
#include <utility>

#include "sluice/graph/region_checks.h"
#include "sluice/graph/text_literal.h"
#include "sluice/graph/text_symbols.h"
#include "sluice/graph/text_values.h"
#include "sluice/op/registry.h"

namespace sluice {

std::string_view ImpliedScope(std::string_view name) {
  size_t slash = name.rfind('/');
  bool whole = slash == name.npos || slash + 1 == name.size();
  return whole ? std::string_view() : name.substr(0, slash);
}

namespace {

class Parser {
 public:
  explicit Parser(std::string_view source)
      : text_(source), outputs_left_((1 << 20) + source.size()) {}

  Result<std::unique_ptr<Graph>> Parse() {
    SL_RETURN_IF_ERROR(ExpectIdent("graph"));
    if (!text_.is(TextToken::kIdent) && !text_.is(TextToken::kString)) {
      return text_.Unexpected("the graph's name");
    }
    graph_ = std::make_unique<Graph>(text_.Take().text);
    SL_RETURN_IF_ERROR(Args(graph_->root()));
    std::vector<TextWord> results;
    std::vector<std::pair<size_t, ValueType>> types;
    if (text_.AcceptMark("->")) {
      SL_RETURN_IF_ERROR(text_.ExpectMark("("));
      while (!text_.AcceptMark(")")) {
        if (!results.empty()) SL_RETURN_IF_ERROR(text_.ExpectMark(","));
        SL_ASSIGN_OR_RETURN(TextWord word, Reference());
        if (text_.AcceptMark(":")) {
          SL_ASSIGN_OR_RETURN(ValueType type, ReadType(text_));
          types.emplace_back(results.size(), type);
        }
        results.push_back(std::move(word));
      }
    }
    SL_RETURN_IF_ERROR(Body(graph_->root(), &results));
    for (const auto& [i, type] : types) {
      SL_RETURN_IF_ERROR(
          CheckType(results[i].begin, graph_->root().results()[i].type(), type)
              .status());
    }
    if (!text_.is(TextToken::kEnd)) return text_.Unexpected("the end");
    SL_RETURN_IF_ERROR(CheckAllRegions(graph_->root()));
    return std::move(graph_);
  }

 private:
  // --- Words -----------------------------------------------------------
  Status ExpectIdent(std::string_view ident) {
    if (text_.AcceptIdent(ident)) return OkStatus();
    return text_.Unexpected(StrCat("'", ident, "'"));
  }
  Result<TextWord> Reference() {
    return text_.Expect(TextToken::kValue, "a %name");
  }
  Result<std::vector<TextWord>> References() {
    std::vector<TextWord> words;
    do {
      SL_ASSIGN_OR_RETURN(TextWord word, Reference());
      words.push_back(std::move(word));
    } while (text_.AcceptMark(","));
    return words;
  }

  // --- Regions ---------------------------------------------------------
  Status Args(Region& region) {
    SL_RETURN_IF_ERROR(text_.ExpectMark("("));
    while (!text_.AcceptMark(")")) {
      if (region.num_args()) SL_RETURN_IF_ERROR(text_.ExpectMark(","));
      SL_ASSIGN_OR_RETURN(TextWord word, Reference());
      std::string name = word.text;
      if (text_.AcceptIdent("named")) {
        SL_ASSIGN_OR_RETURN(TextWord own,
                            text_.Expect(TextToken::kString, "a string"));
        name = std::move(own.text);
      }
      SL_RETURN_IF_ERROR(text_.ExpectMark(":"));
      SL_ASSIGN_OR_RETURN(ValueType type, ReadType(text_));
      SL_RETURN_IF_ERROR(symbols_.CheckFree(text_, word));
      Result<Value> arg = graph_->AddArg(region, name, type);
      if (!arg.ok()) return text_.At(word.begin, arg.status());
      SL_RETURN_IF_ERROR(symbols_.DefineValue(text_, word, *arg));
    }
    return OkStatus();
  }

  // [run %targets] { nodes [yield %values] }. The root's results are in its
  // header and passed in; other regions yield theirs.
  Status Body(Region& region, const std::vector<TextWord>* header_results) {
    std::vector<TextWord> targets, results;
    if (text_.AcceptIdent("run")) {
      SL_ASSIGN_OR_RETURN(targets, References());
    }
    SL_RETURN_IF_ERROR(text_.ExpectMark("{"));
    std::vector<LateInput> outer_late = std::exchange(late_, {});
    while (text_.is(TextToken::kValue)) SL_RETURN_IF_ERROR(Statement(region));
    SL_RETURN_IF_ERROR(CloseLoops(region));
    late_ = std::move(outer_late);
    if (header_results) {
      results = *header_results;
    } else if (text_.AcceptIdent("yield")) {
      SL_ASSIGN_OR_RETURN(results, References());
    }
    if (!text_.at_mark("}")) {
      return text_.Unexpected(header_results ? "a node or '}'"
                                             : "a node, yield or '}'");
    }
    text_.Take();
    std::vector<Value> values;
    for (const TextWord& word : results) {
      SL_ASSIGN_OR_RETURN(Value value, symbols_.LookupValue(text_, word));
      values.push_back(value);
    }
    std::vector<Node*> nodes;
    for (const TextWord& word : targets) {
      SL_ASSIGN_OR_RETURN(Node * node, symbols_.LookupNode(text_, word));
      if (node->region() != &region) {
        return text_.Error(word.begin,
                           StrCat(DescribeWord(word),
                                  " is run by a region around this "
                                  "one; wanted a node of this one"));
      }
      nodes.push_back(node);
    }
    graph_->SetResults(region, std::move(values));
    graph_->SetTargets(region, std::move(nodes));
    return OkStatus();
  }

  Status Regions(Node& owner) {
    size_t begin = text_.word().begin;
    if (text_.AcceptMark("{")) {
      if (++depth_ > kMaxTextNesting) {
        return text_.Error(
            begin, StrCat("regions are nested deeper than ", kMaxTextNesting));
      }
      while (text_.is(TextToken::kIdent)) {
        TextWord label = text_.Take();
        Result<Region*> region = graph_->AddRegion(owner, label.text);
        if (!region.ok()) return text_.At(label.begin, region.status());
        symbols_.Enter();
        SL_RETURN_IF_ERROR(Args(**region));
        SL_RETURN_IF_ERROR(Body(**region, nullptr));
        symbols_.Leave();
      }
      SL_RETURN_IF_ERROR(text_.ExpectMark("}"));
      --depth_;
    }
    if (!owner.op().RegionCountOk(owner.regions().size())) {
      return text_.Error(
          begin, StrCat("[", owner.op().name, "] got ", owner.regions().size(),
                        " regions; wanted ", owner.op().regions.size(), " (",
                        Join(owner.op().regions, ", "), ")"));
    }
    return OkStatus();
  }

  // --- Loops -----------------------------------------------------------
  // An operand of a Merge that is not defined yet: the output of a
  // NextIteration below. Until the region has been read, another operand takes
  // its place.
  struct LateInput {
    Node* merge;
    int input;
    TextWord word;
  };

  Status CloseLoops(Region& region) {
    for (const LateInput& late : late_) {
      SL_ASSIGN_OR_RETURN(Value value, symbols_.LookupValue(text_, late.word));
      if (value.node->op().flow != Flow::kNextIteration ||
          value.node->region() != &region) {
        return text_.Error(
            late.word.begin,
            StrCat(DescribeWord(late.word), " is a ", value.node->op().name,
                   " defined below; wanted a name defined "
                   "above, or a NextIteration of this region"));
      }
      if (value.dtype() != late.merge->output_type(0).dtype) {
        return text_.Error(
            late.word.begin,
            StrCat(DescribeWord(late.word), " is ", value.type(),
                   "; the Merge gives ", late.merge->output_type(0)));
      }
      graph_->SetInput(*late.merge, late.input, value);
    }
    return OkStatus();
  }

  // The first defined operand takes the place of those that are not defined
  // yet.
  Status StandInForLate(std::vector<TextOperand>& operands,
                        std::vector<size_t>* late) {
    const TextOperand* first = nullptr;
    for (const TextOperand& operand : operands) {
      if (!first && operand.value) first = &operand;
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].value || operands[i].word.kind != TextToken::kValue) {
        continue;
      }
      if (!first) {
        return symbols_.LookupValue(text_, operands[i].word).status();
      }
      operands[i].value = first->value;
      late->push_back(i);
    }
    return OkStatus();
  }

  // --- Nodes -----------------------------------------------------------
  // %a, %b = Op(...) [...] : types after ... on ... in ... key ... @ ... {}
  Status Statement(Region& region) {
    SL_ASSIGN_OR_RETURN(std::vector<TextWord> names, References());
    for (const TextWord& name : names)
      SL_RETURN_IF_ERROR(symbols_.CheckFree(text_, name));
    if (names[0].text.empty()) {
      return text_.Error(names[0].begin, "a node's name is empty");
    }
    SL_RETURN_IF_ERROR(text_.ExpectMark("="));
    SL_ASSIGN_OR_RETURN(TextWord op_word,
                        text_.Expect(TextToken::kIdent, "an op's name"));
    Result<const OpRecord*> op = LookupOp(op_word.text);
    if (!op.ok()) return text_.At(op_word.begin, op.status());

    std::vector<TextOperand> operands;
    bool merge = (*op)->flow == Flow::kMerge;
    SL_RETURN_IF_ERROR(Operands(merge, &operands));
    Attrs attrs;
    SL_RETURN_IF_ERROR(Attributes(**op, &attrs));
    std::vector<std::pair<size_t, ValueType>> types;
    SL_RETURN_IF_ERROR(Types(&types));
    NodeOptions options;
    SL_RETURN_IF_ERROR(Clauses(names[0].text, &options));

    std::vector<size_t> late;
    SL_RETURN_IF_ERROR(StandInForLate(operands, &late));
    std::vector<Value> inputs;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].value) {
        SL_RETURN_IF_ERROR(
            AddLiteral(region, **op, attrs, names[0].text, operands, i));
      }
      inputs.push_back(operands[i].value);
    }
    Result<Node*> made =
        graph_->Add(region, op_word.text, inputs, attrs, options);
    if (!made.ok()) return text_.At(op_word.begin, made.status());
    Node& node = **made;
    SL_RETURN_IF_ERROR(SpendOutputs(op_word.begin, node));
    for (size_t i : late) {
      late_.push_back({&node, static_cast<int>(i), operands[i].word});
    }
    // A value carried around a loop may have any size.
    if (!late.empty()) graph_->SetOutputShape(node, 0, {});
    SL_RETURN_IF_ERROR(RefineTypes(node, op_word.begin, types));
    // A function may call itself; nodes inside other regions cannot use their
    // owner.
    bool function = node.op().flow == Flow::kFunction;
    if (function) SL_RETURN_IF_ERROR(DefineOutputs(node, names));
    SL_RETURN_IF_ERROR(Regions(node));
    return function ? OkStatus() : DefineOutputs(node, names);
  }

  Status DefineOutputs(Node& node, const std::vector<TextWord>& names) {
    size_t outputs = static_cast<size_t>(node.num_outputs());
    if (names.size() > 1 && names.size() > outputs) {
      return text_.Error(names[outputs].begin,
                         StrCat("[", node.op().name, "] has ", outputs,
                                " outputs, got ", names.size(), " names"));
    }
    SL_RETURN_IF_ERROR(symbols_.DefineNode(text_, names[0], node));
    for (size_t i = 1; i < names.size(); ++i) {
      SL_RETURN_IF_ERROR(symbols_.DefineValue(
          text_, names[i], node.output(static_cast<int>(i))));
    }
    return OkStatus();
  }

  // A few bytes can request many outputs; their total must stay in proportion
  // to the text.
  Status SpendOutputs(size_t begin, const Node& node) {
    size_t count = static_cast<size_t>(node.num_outputs());
    if (count > outputs_left_) {
      return text_.Error(begin, "the nodes have too many outputs in all");
    }
    outputs_left_ -= count;
    return OkStatus();
  }

  Status Operands(bool late_allowed, std::vector<TextOperand>* operands) {
    if (!text_.AcceptMark("(")) return OkStatus();
    while (!text_.AcceptMark(")")) {
      if (!operands->empty()) SL_RETURN_IF_ERROR(text_.ExpectMark(","));
      TextOperand operand;
      if (AtLiteral(text_)) {
        operand.word = text_.Take();
      } else {
        SL_ASSIGN_OR_RETURN(operand.word, Reference());
        if (symbols_.Defined(operand.word) || !late_allowed) {
          SL_ASSIGN_OR_RETURN(operand.value,
                              symbols_.LookupValue(text_, operand.word));
        }
      }
      operands->push_back(std::move(operand));
    }
    return OkStatus();
  }

  Status Attributes(const OpRecord& op, Attrs* attrs) {
    if (!text_.AcceptMark("[")) return OkStatus();
    while (!text_.AcceptMark("]")) {
      if (!attrs->empty()) SL_RETURN_IF_ERROR(text_.ExpectMark(","));
      SL_ASSIGN_OR_RETURN(TextWord name, text_.Expect(TextToken::kIdent,
                                                      "an attribute's name"));
      const AttrSpec* spec = op.FindAttr(name.text);
      if (!spec || attrs->find(name.text)) {
        return text_.Error(name.begin,
                           StrCat("[", op.name, "] ",
                                  spec ? "got attribute " : "has no attribute ",
                                  name.text, spec ? " twice" : ""));
      }
      SL_RETURN_IF_ERROR(text_.ExpectMark("="));
      SL_ASSIGN_OR_RETURN(AttrValue value, ReadAttrValue(text_, spec->kind));
      attrs->set(name.text, std::move(value));
    }
    return OkStatus();
  }

  Status Types(std::vector<std::pair<size_t, ValueType>>* types) {
    if (!text_.AcceptMark(":")) return OkStatus();
    do {
      size_t begin = text_.word().begin;
      SL_ASSIGN_OR_RETURN(ValueType type, ReadType(text_));
      types->emplace_back(begin, type);
    } while (text_.AcceptMark(","));
    return OkStatus();
  }

  Result<PartialShape> CheckType(size_t begin, const ValueType& inferred,
                                 const ValueType& stated) const {
    Result<PartialShape> merged = MergeShapes(inferred.shape, stated.shape);
    if (stated.dtype != inferred.dtype || !merged.ok()) {
      return text_.Error(begin, StrCat("the type is stated as ", stated,
                                       "; inference says ", inferred));
    }
    return merged;
  }

  Status RefineTypes(Node& node, size_t begin,
                     const std::vector<std::pair<size_t, ValueType>>& types) {
    if (types.empty()) return OkStatus();
    if (types.size() != static_cast<size_t>(node.num_outputs())) {
      return text_.Error(
          begin, StrCat("[", node.op().name, "] has ", node.num_outputs(),
                        " outputs, got ", types.size(), " types"));
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      const auto& [at, stated] = types[static_cast<size_t>(i)];
      SL_ASSIGN_OR_RETURN(PartialShape merged,
                          CheckType(at, node.output_type(i), stated));
      graph_->SetOutputShape(node, i, merged);
    }
    return OkStatus();
  }

  Status Clauses(const std::string& name, NodeOptions* options) {
    std::string scope(ImpliedScope(name));
    while (true) {
      size_t begin = text_.word().begin;
      if (text_.AcceptIdent("after")) {
        SL_ASSIGN_OR_RETURN(std::vector<TextWord> words, References());
        for (const TextWord& word : words) {
          SL_ASSIGN_OR_RETURN(Node * node, symbols_.LookupNode(text_, word));
          options->controls.push_back(node);
        }
      } else if (text_.AcceptIdent("on")) {
        SL_ASSIGN_OR_RETURN(
            TextWord device,
            text_.Expect(TextToken::kString, "a device in quotes"));
        options->device = std::move(device.text);
      } else if (text_.AcceptIdent("in")) {
        SL_ASSIGN_OR_RETURN(TextWord word, text_.Expect(TextToken::kString,
                                                        "a scope in quotes"));
        scope = std::move(word.text);
        bool prefix = name.size() > scope.size() + 1 &&
                      name.starts_with(scope) && name[scope.size()] == '/';
        if (!scope.empty() && !prefix) {
          return text_.Error(begin,
                             StrCat("the scope \"", EscapeString(scope),
                                    "\" does not begin the node's name"));
        }
      } else if (text_.AcceptIdent("key")) {
        SL_ASSIGN_OR_RETURN(options->key, Key());
      } else if (text_.AcceptMark("@")) {
        SL_RETURN_IF_ERROR(Line(&options->line));
      } else {
        break;
      }
    }
    options->scope = scope;
    options->name = scope.empty() ? name : name.substr(scope.size() + 1);
    return OkStatus();
  }

  Result<uint64_t> Key() {
    uint64_t key = 0;
    const std::string& word = text_.word().text;
    const char* end = word.data() + word.size();
    if (text_.is(TextToken::kNumber) && word.starts_with("0x")) {
      auto [p, error] = std::from_chars(word.data() + 2, end, key, 16);
      if (error == std::errc() && p == end && key != 0) {
        text_.Take();
        return key;
      }
    }
    return text_.Unexpected("a key like 0x1f");
  }

  // "file":41
  Status Line(SourceLine* line) {
    SL_ASSIGN_OR_RETURN(TextWord file,
                        text_.Expect(TextToken::kString, "a file in quotes"));
    SL_RETURN_IF_ERROR(text_.ExpectMark(":"));
    int number = 0;
    const std::string& word = text_.word().text;
    const char* end = word.data() + word.size();
    auto [p, error] = std::from_chars(word.data(), end, number);
    if (!text_.is(TextToken::kNumber) || error != std::errc() || p != end ||
        number < 1) {
      return text_.Unexpected("a line number");
    }
    text_.Take();
    line->file = InternString(file.text);
    line->line = number;
    return OkStatus();
  }

  // --- Literals --------------------------------------------------------
  Status AddLiteral(Region& region, const OpRecord& op, const Attrs& attrs,
                    const std::string& owner,
                    std::vector<TextOperand>& operands, size_t i) {
    DType dtype = LiteralDType(op, attrs, operands, i);
    const TextWord& word = operands[i].word;
    SL_ASSIGN_OR_RETURN(Array value, ScalarOf(text_, word, dtype));
    NodeOptions options;
    options.scope = ImpliedScope(owner);
    size_t start = options.scope.empty() ? 0 : options.scope.size() + 1;
    options.name_hint =
        StrCat(owner.substr(start), ".", op.InputName(static_cast<int>(i)));
    Result<Node*> made = graph_->Add(region, "Const", {},
                                     {{"value", std::move(value)}}, options);
    if (!made.ok()) return text_.At(word.begin, made.status());
    operands[i].value = (*made)->output();
    return OkStatus();
  }

  TextCursor text_;
  size_t outputs_left_;
  std::unique_ptr<Graph> graph_;
  TextSymbols symbols_;
  std::vector<LateInput> late_;  // of the region being read
  int depth_ = 0;
};

}  // namespace

Result<std::unique_ptr<Graph>> ParseGraph(std::string_view text) {
  return Parser(text).Parse();
}

}  // namespace sluice
