#include "sluice/graph/binary_writer.h"

#include <bit>
#include <map>
#include <set>
#include <unordered_map>

#include "sluice/graph/stable_order.h"

namespace sluice {

static_assert(std::endian::native == std::endian::little,
              "arrays are stored as they lie in memory");

uint64_t BinaryChecksum(std::string_view bytes) {
  uint64_t h = 0xcbf29ce484222325u;
  for (char c : bytes) {
    // Both steps are invertible, so different bytes stay different.
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return h;
}

namespace {

class Writer {
 public:
  std::string Write(const Graph& graph) {
    numbers_.assign(static_cast<size_t>(graph.id_limit()), kNone);
    Text(graph.name());
    WriteRegion(graph.root());
    std::string body = std::move(out_);
    out_ = kBinaryMagic;
    Int(kBinaryVersion);
    Int(strings_.size());
    for (const std::string* s : strings_) Bytes(*s);
    out_ += body;
    Fixed64(BinaryChecksum(out_));
    return std::move(out_);
  }

 private:
  void Byte(uint8_t b) { out_ += static_cast<char>(b); }
  void Int(uint64_t v) {
    for (; v >= 0x80; v >>= 7) Byte(static_cast<uint8_t>(v | 0x80));
    Byte(static_cast<uint8_t>(v));
  }
  void Signed(int64_t v) {
    Int((static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63));
  }
  void Fixed64(uint64_t v) {
    for (int i = 0; i < 8; ++i) Byte(static_cast<uint8_t>(v >> (8 * i)));
  }
  void Bytes(std::string_view s) {
    Int(s.size());
    out_ += s;
  }
  void Text(std::string_view s) {
    auto it = string_ids_.find(s);
    if (it == string_ids_.end()) {
      it = string_ids_.emplace(std::string(s), strings_.size()).first;
      strings_.push_back(&it->first);
    }
    Int(it->second);
  }

  void WriteShape(const PartialShape& shape) {
    Int(static_cast<uint64_t>(shape.rank() + 1));
    for (int64_t dim : shape.dims()) Signed(dim);
  }
  void WriteType(const ValueType& type) {
    Byte(static_cast<uint8_t>(type.dtype));
    WriteShape(type.shape);
  }
  void WriteArray(const Array& array) {
    Byte(static_cast<uint8_t>(array.dtype()));
    WriteShape(array.shape());
    if (IsReference(array.dtype())) return;  // the reader refuses it
    Array flat = *array.AsContiguous();
    if (array.dtype() == DType::kString) {
      for (int64_t i = 0; i < flat.num_elements(); ++i) {
        Bytes(flat.data<std::string>()[i]);
      }
      return;
    }
    out_.append(static_cast<const char*>(flat.raw()),
                static_cast<size_t>(flat.bytes()));
  }

  void WriteItem(std::monostate) {}
  void WriteItem(bool v) { Byte(v); }
  void WriteItem(int64_t v) { Signed(v); }
  void WriteItem(double v) { Fixed64(std::bit_cast<uint64_t>(v)); }
  void WriteItem(const std::string& v) { Bytes(v); }
  void WriteItem(DType v) { Byte(static_cast<uint8_t>(v)); }
  void WriteItem(const PartialShape& v) { WriteShape(v); }
  void WriteItem(const Array& v) { WriteArray(v); }
  template <class T>
  void WriteItem(const std::vector<T>& items) {
    Int(items.size());
    for (const T& item : items) WriteItem(item);
  }
  void WriteAttr(const AttrValue& value) {
    Byte(static_cast<uint8_t>(value.kind()));
    std::visit([&](const auto& v) { WriteItem(v); }, value.variant());
  }

  void Number(const Node* node) {
    if (node->is_args()) {
      args_numbers_[node] = next_number_++;
    } else {
      numbers_[static_cast<size_t>(node->id())] = next_number_++;
    }
  }
  // A node without a number is part of a cycle; distance 0 refers to no node.
  // The reader reports that, unless a NextIteration below completes a Merge.
  void Ref(const Node* node) {
    size_t number = next_number_;
    if (node->is_args()) {
      number = args_numbers_.at(node);
    } else if (numbers_[static_cast<size_t>(node->id())] != kNone) {
      number = numbers_[static_cast<size_t>(node->id())];
    }
    Int(next_number_ - number);
  }
  void WriteValue(const Value& v) {
    Ref(v.node);
    Int(static_cast<uint64_t>(v.index));
  }

  void WriteRegion(const Region& region) {
    Number(region.args_node());
    Int(static_cast<uint64_t>(region.num_args()));
    for (int i = 0; i < region.num_args(); ++i) {
      Text(region.arg_name(i));
      WriteType(region.arg(i).type());
    }
    Int(region.nodes().size());
    for (const Node* node : StableOrder(region)) WriteNode(*node);
    Int(region.results().size());
    for (const Value& v : region.results()) WriteValue(v);
    Int(region.targets().size());
    for (const Node* target : region.targets()) Ref(target);
  }

  void WriteNode(const Node& node) {
    Text(node.op().name);
    Bytes(node.name());  // no other node has it
    Text(node.scope());
    Text(node.device());
    Int(static_cast<uint64_t>(std::max(node.line().line, 0)));
    if (node.line().known()) {
      Text(node.line().file);
      Text(node.line().function);
    }
    bool own_key = node.key() != NodeKey(node.name());
    Byte(own_key);
    if (own_key) Fixed64(node.key());
    Int(node.inputs().size());
    for (const Value& v : node.inputs()) WriteValue(v);
    Int(node.controls().size());
    for (const Node* c : node.controls()) Ref(c);
    Int(node.attrs().size());
    for (const auto& [name, value] : node.attrs()) {
      Text(name);
      WriteAttr(value);
    }
    Int(static_cast<uint64_t>(node.num_outputs()));
    for (int i = 0; i < node.num_outputs(); ++i) WriteType(node.output_type(i));
    Int(node.regions().size());
    // Its own region may call a function; nodes inside other regions cannot use
    // the owner.
    bool function = node.op().flow == Flow::kFunction;
    if (function) Number(&node);
    for (const auto& region : node.regions()) WriteRegion(*region);
    if (!function) Number(&node);
    if (node.op().flow == Flow::kNextIteration) WriteBackEdges(node);
  }

  // The Merges above that read this NextIteration, with their input numbers.
  void WriteBackEdges(const Node& next) {
    std::set<std::pair<size_t, int>> edges;
    std::map<size_t, const Node*> merges;
    for (const Node* user : next.users()) {
      size_t number = numbers_[static_cast<size_t>(user->id())];
      if (user->op().flow != Flow::kMerge || number == kNone) continue;
      merges[number] = user;
      for (int i = 0; i < user->num_inputs(); ++i) {
        if (user->input(i).node == &next) edges.emplace(number, i);
      }
    }
    Int(edges.size());
    for (const auto& [number, input] : edges) {
      Ref(merges[number]);
      Int(static_cast<uint64_t>(input));
    }
  }

  std::string out_;
  std::map<std::string, size_t, std::less<>> string_ids_;
  std::vector<const std::string*> strings_;  // into string_ids_
  static constexpr size_t kNone = ~size_t{0};
  size_t next_number_ = 0;
  std::vector<size_t> numbers_;  // by id
  std::unordered_map<const Node*, size_t> args_numbers_;
};

}  // namespace

std::string WriteBinary(const Graph& graph) { return Writer().Write(graph); }

}  // namespace sluice
