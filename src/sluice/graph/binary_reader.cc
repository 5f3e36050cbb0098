#include "sluice/graph/binary_reader.h"

#include <bit>
#include <climits>
#include <set>
#include <utility>

#include "sluice/graph/binary_writer.h"
#include "sluice/graph/byte_cursor.h"
#include "sluice/graph/region_checks.h"
#include "sluice/op/registry.h"

namespace sluice {

namespace {

class Reader {
 public:
  Reader(std::string_view bytes, const BinaryReadOptions& options)
      : in_(bytes), options_(options) {}

  Result<std::unique_ptr<Graph>> Read() {
    if (in_.Take(kBinaryMagic.size()) != kBinaryMagic) {
      return DataLoss(
          "graph bytes: not a stored graph; wanted them to begin "
          "with SLGR");
    }
    uint64_t version = in_.Int();
    if (in_.ok() && version != kBinaryVersion) {
      return Unimplemented(StrCat("graph bytes: version ", version, "; wanted ",
                                  kBinaryVersion));
    }
    size_t count = in_.Count(1);
    for (size_t i = 0; i < count && in_.ok(); ++i) {
      strings_.push_back(in_.Bytes());
    }
    graph_ = std::make_unique<Graph>(Text());
    SL_RETURN_IF_ERROR(ReadRegion(graph_->root()));
    if (in_.left() != 0) in_.Fail("something follows the graph");
    if (!in_.ok()) return in_.status();
    SL_RETURN_IF_ERROR(CheckAllRegions(graph_->root()));
    return std::move(graph_);
  }

 private:
  std::string Text() {
    uint64_t id = in_.Int();
    if (id < strings_.size()) return std::string(strings_[id]);
    in_.Fail(StrCat("string ", id, " of ", strings_.size()));
    return {};
  }

  DType ReadDType() {
    uint8_t code = in_.Byte();
    if (code == 0 || code >= kNumDTypes) {
      in_.Fail(StrCat("element type ", int{code}, " does not exist"));
      return DType::kF32;
    }
    return static_cast<DType>(code);
  }

  PartialShape ReadShape() {
    uint64_t rank = in_.Int();
    if (rank == 0) return {};
    if (rank > kMaxRank + 1) {
      in_.Fail(StrCat("a shape of rank ", rank - 1));
      return {};
    }
    std::vector<int64_t> dims;
    for (uint64_t i = 1; i < rank; ++i) dims.push_back(in_.Signed());
    Result<PartialShape> shape = PartialShape::Make(dims);
    if (shape.ok()) return *shape;
    in_.Fail(shape.status().message());
    return {};
  }

  ValueType ReadType() {
    ValueType type;
    type.dtype = ReadDType();
    type.shape = ReadShape();
    return type;
  }

  Array ReadArray() {
    DType dtype = ReadDType();
    PartialShape partial = ReadShape();
    if (!in_.ok()) return {};
    // Checked against the remaining bytes before anything is allocated.
    int64_t least = dtype == DType::kString ? 1 : DTypeSize(dtype);
    if (IsReference(dtype) || !partial.fully_known() ||
        partial.ToShape().num_elements() >
            static_cast<int64_t>(in_.left()) / least) {
      in_.Fail(StrCat("an array of ", TypeText(dtype, partial), " with ",
                      in_.left(), " bytes left"));
      return {};
    }
    Result<Array> made = Array::Make(dtype, partial.ToShape());
    if (!made.ok()) {
      in_.Fail(made.status().message());
      return {};
    }
    if (dtype == DType::kString) {
      auto* strings = made->mutable_data<std::string>();
      for (int64_t i = 0; i < made->num_elements(); ++i) {
        strings[i] = in_.Bytes();
      }
    } else if (dtype == DType::kBool) {
      // Bytes other than 0 and 1 would not be valid bools.
      auto* bools = made->mutable_data<bool>();
      for (int64_t i = 0; i < made->num_elements(); ++i) {
        bools[i] = in_.Byte() != 0;
      }
    } else if (made->bytes() > 0) {
      std::string_view raw = in_.Take(static_cast<size_t>(made->bytes()));
      std::memcpy(made->mutable_raw(), raw.data(), raw.size());
    }
    return *made;
  }

  template <class T, class Read>
  AttrValue ReadList(Read read) {
    size_t count = in_.Count(1);
    std::vector<T> items;
    for (size_t i = 0; i < count && in_.ok(); ++i) items.push_back(read());
    return AttrValue(std::move(items));
  }

  AttrValue ReadAttr() {
    auto read_double = [&] { return std::bit_cast<double>(in_.Fixed64()); };
    auto read_int = [&] { return in_.Signed(); };
    auto read_text = [&] { return std::string(in_.Bytes()); };
    auto read_dtype = [&] { return ReadDType(); };
    auto read_shape = [&] { return ReadShape(); };
    switch (static_cast<AttrKind>(in_.Byte())) {
      case AttrKind::kBool:
        return in_.Byte() != 0;
      case AttrKind::kInt:
        return read_int();
      case AttrKind::kFloat:
        return read_double();
      case AttrKind::kString:
        return read_text();
      case AttrKind::kDType:
        return read_dtype();
      case AttrKind::kShape:
        return read_shape();
      case AttrKind::kArray:
        return ReadArray();
      case AttrKind::kInts:
        return ReadList<int64_t>(read_int);
      case AttrKind::kFloats:
        return ReadList<double>(read_double);
      case AttrKind::kStrings:
        return ReadList<std::string>(read_text);
      case AttrKind::kDTypes:
        return ReadList<DType>(read_dtype);
      case AttrKind::kShapes:
        return ReadList<PartialShape>(read_shape);
      default:
        in_.Fail("an attribute of unknown kind");
        return {};
    }
  }

  // The node at this distance back; null after an error.
  Node* Ref() { return NodeAt(in_.Int()); }

  Node* NodeAt(uint64_t back) {
    if (back >= 1 && back <= numbered_.size()) {
      return numbered_[numbered_.size() - back];
    }
    in_.Fail("a reference to a node that is not there yet");
    return nullptr;
  }

  // The output of a NextIteration below does not exist yet; another input takes
  // its place until then.
  void ReadMergeInputs(std::vector<Value>& inputs, std::vector<int>& late) {
    const Value* there = nullptr;
    for (size_t i = 0; i < inputs.size() && in_.ok(); ++i) {
      uint64_t back = in_.Int();
      if (back == 0) {
        if (in_.Int() != 0) in_.Fail("an output of no node");
        late.push_back(static_cast<int>(i));
      } else {
        inputs[i] = ReadOutputOf(NodeAt(back));
        if (!there) there = &inputs[i];
      }
    }
    if (!late.empty() && !there) in_.Fail("a Merge of what is not there yet");
    if (!in_.ok()) return;
    for (int i : late) inputs[static_cast<size_t>(i)] = *there;
  }

  Value ReadValue() { return ReadOutputOf(Ref()); }

  Value ReadOutputOf(Node* node) {
    uint64_t index = in_.Int();
    if (!node || index >= static_cast<uint64_t>(node->num_outputs())) {
      in_.Fail("a reference to an output that is not there");
      return {};
    }
    return {node, static_cast<int>(index)};
  }

  Status ReadRegion(Region& region) {
    numbered_.push_back(region.args_node());
    size_t num_args = in_.Count(3);
    for (size_t i = 0; i < num_args; ++i) {
      std::string name = Text();
      ValueType type = ReadType();
      SL_RETURN_IF_ERROR(in_.status());
      Result<Value> arg = graph_->AddArg(region, name, type);
      if (!arg.ok()) return in_.At(arg.status());
    }
    auto outer_late = std::exchange(late_, {});
    size_t num_nodes = in_.Count(1);
    for (size_t i = 0; i < num_nodes; ++i) {
      SL_RETURN_IF_ERROR(ReadNode(region));
    }
    if (!late_.empty()) {
      in_.Fail("a Merge waits for a NextIteration that does not come");
    }
    late_ = std::move(outer_late);
    std::vector<Value> results(in_.Count(1));
    for (Value& v : results) {
      v = ReadValue();
      SL_RETURN_IF_ERROR(in_.status());
      if (!v.node->region()->Encloses(&region)) {
        in_.Fail("a result that is not in scope");
        return in_.status();
      }
    }
    std::vector<Node*> targets(in_.Count(1));
    for (Node*& target : targets) {
      target = Ref();
      SL_RETURN_IF_ERROR(in_.status());
      if (target->is_args() || target->region() != &region) {
        in_.Fail("a target that is not of its region");
        return in_.status();
      }
    }
    graph_->SetResults(region, std::move(results));
    graph_->SetTargets(region, std::move(targets));
    return in_.status();
  }

  Status ReadOptions(NodeOptions* options) {
    std::string name(in_.Bytes());
    options->scope = Text();
    options->device = Text();
    uint64_t line = in_.Int();
    if (line > INT_MAX) in_.Fail("a line number is too large");
    if (line > 0 && in_.ok()) {
      options->line.line = static_cast<int>(line);
      options->line.file = InternString(Text());
      options->line.function = InternString(Text());
    }
    if (in_.Byte()) options->key = in_.Fixed64();
    // The node's name begins with its scope.
    size_t skip = options->scope.empty() ? 0 : options->scope.size() + 1;
    if (in_.ok() && (name.size() <= skip || !name.starts_with(options->scope) ||
                     (skip && name[skip - 1] != '/'))) {
      in_.Fail("a node's name is empty or does not begin with its scope");
    }
    SL_RETURN_IF_ERROR(in_.status());
    options->name = name.substr(skip);
    return OkStatus();
  }

  Status ReadNode(Region& region) {
    std::string op = Text();
    NodeOptions options;
    SL_RETURN_IF_ERROR(ReadOptions(&options));
    const OpRecord* record = FindOp(op);
    std::vector<Value> inputs(in_.Count(2));
    std::vector<int> late;
    if (record && record->flow == Flow::kMerge) {
      ReadMergeInputs(inputs, late);
    } else {
      for (Value& v : inputs) v = ReadValue();
    }
    options.controls.resize(in_.Count(1));
    for (Node*& c : options.controls) {
      c = Ref();
      if (c && c->is_args()) in_.Fail("a control edge from an argument");
    }
    Attrs attrs;
    size_t num_attrs = in_.Count(2);
    for (size_t i = 0; i < num_attrs && in_.ok(); ++i) {
      std::string name = Text();
      if (attrs.find(name)) in_.Fail("an attribute twice");
      attrs.set(name, ReadAttr());
    }
    // Types are read before the node is made: their number bounds its outputs.
    std::vector<ValueType> types(in_.Count(2));
    for (ValueType& type : types) type = ReadType();
    SL_RETURN_IF_ERROR(in_.status());

    Result<Node*> made = graph_->Add(region, op, inputs, attrs, options);
    if (!made.ok()) return in_.At(made.status());
    Node& node = **made;
    if (types.size() != static_cast<size_t>(node.num_outputs())) {
      in_.Fail(StrCat("[", op, "] with ", types.size(), " outputs; wanted ",
                      node.num_outputs()));
    }
    for (size_t i = 0; i < types.size() && in_.ok(); ++i) {
      // A value carried around a loop may have any size.
      if (i == 0 && !late.empty()) graph_->SetOutputShape(node, 0, {});
      const ValueType& inferred = node.output_type(static_cast<int>(i));
      Result<PartialShape> merged = MergeShapes(inferred.shape, types[i].shape);
      if (types[i].dtype != inferred.dtype || !merged.ok()) {
        in_.Fail(StrCat("[", op, "] is stated to give ", types[i],
                        "; inference says ", inferred));
        break;
      }
      graph_->SetOutputShape(node, static_cast<int>(i), *merged);
    }
    for (int i : late) late_.insert({&node, i});
    bool function = node.op().flow == Flow::kFunction;
    if (function) numbered_.push_back(&node);  // its region may call it
    SL_RETURN_IF_ERROR(ReadRegions(node));
    if (!function) numbered_.push_back(&node);  // nothing inside may use it
    if (node.op().flow == Flow::kNextIteration) ReadBackEdges(node);
    return in_.status();
  }

  void ReadBackEdges(Node& next) {
    size_t count = in_.Count(2);
    for (size_t k = 0; k < count && in_.ok(); ++k) {
      Node* merge = Ref();
      uint64_t input = in_.Int();
      if (!merge || input > INT_MAX || merge->region() != next.region() ||
          merge->output_type(0).dtype != next.output_type(0).dtype ||
          !late_.erase({merge, static_cast<int>(input)})) {
        in_.Fail("a NextIteration that no Merge above waits for");
        return;
      }
      graph_->SetInput(*merge, static_cast<int>(input), next.output());
    }
  }

  Status ReadRegions(Node& node) {
    size_t count = in_.Count(4);
    if (!node.op().RegionCountOk(count)) {
      in_.Fail(StrCat("[", node.op().name, "] with ", count,
                      " regions; wanted ", node.op().regions.size()));
    }
    if (count > 0 && ++depth_ > options_.max_nesting) {
      in_.Fail("regions are nested too deep");
    }
    SL_RETURN_IF_ERROR(in_.status());
    for (size_t i = 0; i < count; ++i) {
      Result<Region*> region =
          graph_->AddRegion(node, node.op().RegionLabel(i));
      if (!region.ok()) return in_.At(region.status());
      SL_RETURN_IF_ERROR(ReadRegion(**region));
    }
    if (count > 0) --depth_;
    return OkStatus();
  }

  ByteCursor in_;
  BinaryReadOptions options_;
  std::unique_ptr<Graph> graph_;
  std::vector<std::string_view> strings_;
  std::vector<Node*> numbered_;
  std::set<std::pair<Node*, int>> late_;  // of the region: inputs still to be
                                          // connected
  int depth_ = 0;
};

}  // namespace

Result<std::unique_ptr<Graph>> ReadBinary(std::string_view bytes,
                                          BinaryReadOptions options) {
  constexpr size_t kSumBytes = 8;
  if (bytes.size() < kBinaryMagic.size() + kSumBytes) {
    return DataLoss(StrCat("graph bytes: only ", bytes.size(), " bytes"));
  }
  std::string_view body = bytes.substr(0, bytes.size() - kSumBytes);
  ByteCursor sum(bytes.substr(body.size()));
  if (options.check_sum && sum.Fixed64() != BinaryChecksum(body)) {
    return DataLoss(
        "graph bytes: the checksum is wrong; the bytes were altered "
        "or cut short");
  }
  return Reader(body, options).Read();
}

}  // namespace sluice
