#include "sluice/report/graph_proto.h"

#include <array>
#include <unordered_map>
#include <variant>

#include "sluice/base/strings.h"
#include "sluice/formats/protobuf_writer.h"
#include "sluice/formats/utf8.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::report {

namespace {

// Numbers of fields: NodeDef, AttrValue, AttrValue.ListValue.
constexpr int kName = 1, kOp = 2, kInput = 3, kDevice = 4, kAttr = 5;
constexpr int kList = 1, kS = 2, kI = 3, kF = 4, kB = 5, kType = 6, kShape = 7;

// What types are called there, in the order of our DType.
constexpr std::array<int, kNumDTypes> kTypeNumber = {
    0, 1, 2, 19, 14, 6, 5, 3, 9, 4, 17, 22, 23, 10, 8, 7, 20, 21};

int TypeNumber(DType dtype) { return kTypeNumber[static_cast<size_t>(dtype)]; }

ProtoWriter ShapeMessage(const PartialShape& shape) {
  ProtoWriter message;
  if (!shape.rank_known()) return message.Int(3, 1);
  for (int64_t dim : shape.dims()) {
    message.Message(2, ProtoWriter().Int(1, dim < 0 ? -1 : dim));
  }
  return message;
}

struct AttrMessage {
  ProtoWriter out;

  void operator()(std::monostate) {}
  void operator()(bool v) { out.Int(kB, v); }
  void operator()(int64_t v) { out.Int(kI, v); }
  void operator()(double v) { out.Float(kF, static_cast<float>(v)); }
  void operator()(const std::string& v) { out.Bytes(kS, v); }
  void operator()(DType v) { out.Int(kType, TypeNumber(v)); }
  void operator()(const PartialShape& v) {
    out.Message(kShape, ShapeMessage(v));
  }
  // Constants as text, and only their beginning: the tab shows no more.
  void operator()(const Array& v) {
    out.Bytes(kS, v ? StrCat(v.TypeText(), " ", v.ToString(16)) : "");
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    ProtoWriter list;
    for (const T& v : values) {
      AttrMessage one;
      one(v);
      list.Append(one.out);  // fields of a list have the numbers of a value's
    }
    out.Message(kList, list);
  }
};

ProtoWriter AttrEntry(std::string_view name, const ProtoWriter& value) {
  return ProtoWriter().Bytes(1, ValidUtf8(name)).Message(2, value);
}

class GraphText {
 public:
  explicit GraphText(const Graph& graph) { AddRegion(graph.root(), ""); }

  std::string Take() {
    out_.Message(4, ProtoWriter().Int(1, 1));  // versions.producer
    return out_.bytes();
  }

 private:
  // `prefix` is put before names of what is inside: "" or "loop/body/".
  void AddRegion(const Region& region, const std::string& prefix) {
    const Node* args = region.args_node();
    for (int i = 0; i < region.num_args(); ++i) {
      std::string name = ValidUtf8(StrCat(prefix, region.arg_name(i)));
      ProtoWriter node;
      node.Bytes(kName, name).Bytes(kOp, "Arg");
      node.Message(kAttr, Shapes(*args, i, i + 1));
      out_.Message(1, node);
      arg_names_[args].push_back(std::move(name));
    }
    for (const Node* node : region.nodes()) {
      // Names made in a scope of the owner's name are below it already.
      bool below = node->name().starts_with(prefix);
      names_[node] = ValidUtf8(StrCat(below ? "" : prefix, node->name()));
    }
    for (const Node* node : region.nodes()) AddNode(*node);
    if (prefix.empty() || region.results().empty()) return;
    ProtoWriter yield;
    yield.Bytes(kName, StrCat(prefix, "Yield")).Bytes(kOp, "Yield");
    for (const Value& result : region.results()) {
      yield.Bytes(kInput, NameOf(result));
    }
    out_.Message(1, yield);
  }

  void AddNode(const Node& node) {
    const std::string name = names_[&node];
    std::vector<std::string> yields;
    for (const auto& region : node.regions()) {
      std::string prefix = StrCat(name, "/", ValidUtf8(region->label()), "/");
      AddRegion(*region, prefix);
      if (!region->results().empty()) yields.push_back(StrCat(prefix, "Yield"));
    }
    ProtoWriter message;
    message.Bytes(kName, name).Bytes(kOp, node.op().name);
    for (const Value& input : node.inputs()) {
      message.Bytes(kInput, NameOf(input));
    }
    for (const std::string& yield : yields) {
      message.Bytes(kInput, StrCat("^", yield));
    }
    for (const Node* before : node.controls()) {
      message.Bytes(kInput, StrCat("^", names_[before]));
    }
    if (!node.device().empty()) {
      message.Bytes(kDevice, ValidUtf8(node.device()));
    }
    for (const auto& [key, value] : node.attrs()) {
      AttrMessage attr;
      std::visit(attr, value.variant());
      message.Message(kAttr, AttrEntry(key, attr.out));
    }
    message.Message(kAttr, Shapes(node, 0, node.num_outputs()));
    if (node.line().known()) {
      message.Message(
          kAttr,
          AttrEntry("_line", ProtoWriter().Bytes(kS, node.line().ToString())));
    }
    out_.Message(1, message);
  }

  static ProtoWriter Shapes(const Node& node, int begin, int end) {
    ProtoWriter list;
    for (int i = begin; i < end; ++i) {
      list.Message(kShape, ShapeMessage(node.output_type(i).shape));
    }
    return AttrEntry("_output_shapes", ProtoWriter().Message(kList, list));
  }

  std::string NameOf(const Value& value) const {
    if (value.node->is_args()) {
      return arg_names_.at(value.node)[static_cast<size_t>(value.index)];
    }
    const std::string& name = names_.at(value.node);
    return value.index == 0 ? name : StrCat(name, ":", value.index);
  }

  ProtoWriter out_;
  std::unordered_map<const Node*, std::string> names_;
  std::unordered_map<const Node*, std::vector<std::string>> arg_names_;
};

}  // namespace

std::string GraphDefBytes(const Graph& graph) {
  MutexLock lock(graph.mu());
  return GraphText(graph).Take();
}

}  // namespace sluice::report
