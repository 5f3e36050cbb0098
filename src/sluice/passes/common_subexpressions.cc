#include "sluice/passes/common_subexpressions.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <unordered_map>

#include "sluice/graph/batch_edit.h"

namespace sluice {

namespace {

class Hasher {
 public:
  size_t get() const { return h_; }

  void Mix(size_t v) { h_ ^= v + 0x9e3779b97f4a7c15u + (h_ << 6) + (h_ >> 2); }
  void Add(std::monostate) {}
  void Add(bool v) { Mix(v); }
  void Add(int64_t v) { Mix(std::hash<int64_t>()(v)); }
  void Add(double v) { Mix(std::bit_cast<uint64_t>(v)); }
  void Add(const std::string& v) { Mix(std::hash<std::string>()(v)); }
  void Add(DType v) { Mix(static_cast<size_t>(v)); }
  void Add(const PartialShape& v) {
    Mix(static_cast<size_t>(v.rank()));
    for (int64_t dim : v.dims()) Add(dim);
  }
  void Add(const Array& v) {
    Add(v.dtype());
    Add(PartialShape(v.shape()));
    Result<Array> flat = v.AsContiguous();
    if (!flat.ok()) return;
    if (v.dtype() == DType::kString) {
      for (int64_t i = 0; i < flat->num_elements(); ++i) {
        Add(flat->data<std::string>()[i]);
      }
    } else if (IsPlainData(v.dtype())) {
      Mix(std::hash<std::string_view>()({static_cast<const char*>(flat->raw()),
                                         static_cast<size_t>(flat->bytes())}));
    }
  }
  template <class T>
  void Add(const std::vector<T>& items) {
    Mix(items.size());
    for (const T& item : items) Add(item);
  }
  void Add(const AttrValue& v) {
    Mix(static_cast<size_t>(v.kind()));
    std::visit([&](const auto& item) { Add(item); }, v.variant());
  }

 private:
  size_t h_ = 0;
};

// The key by which nodes are equal, without the order of inputs if it does not
// matter. Pointers are compared here, but no choice depends on their order.
struct Key {
  const Node* node;
  std::vector<Value> inputs;
  std::vector<Node*> controls;

  explicit Key(const Node& n)
      : node(&n),
        inputs(n.inputs().begin(), n.inputs().end()),
        controls(n.controls().begin(), n.controls().end()) {
    if (n.op().commutative) {
      std::sort(inputs.begin(), inputs.end(),
                [](const Value& a, const Value& b) {
                  return a.node == b.node ? a.index < b.index
                                          : std::less<Node*>()(a.node, b.node);
                });
    }
    std::sort(controls.begin(), controls.end(), std::less<Node*>());
  }

  size_t Hash() const {
    Hasher hasher;
    hasher.Mix(std::hash<const void*>()(&node->op()));
    for (const Value& v : inputs) hasher.Mix(ValueHash()(v));
    for (const Node* c : controls) hasher.Mix(std::hash<const void*>()(c));
    hasher.Add(node->device());
    for (const auto& [name, value] : node->attrs()) hasher.Add(value);
    return hasher.get();
  }

  bool operator==(const Key& o) const {
    return &node->op() == &o.node->op() && inputs == o.inputs &&
           controls == o.controls && node->device() == o.node->device() &&
           node->attrs() == o.node->attrs();
  }
};

class Merger {
 public:
  explicit Merger(Graph& graph) : graph_(graph), edit_(graph) {
    // Never grows beyond this, so that iterators stay valid.
    seen_.reserve(static_cast<size_t>(graph.num_nodes()));
  }

  bool Run() {
    Visit(graph_.root());
    return edit_.Commit();
  }

 private:
  using Table = std::unordered_multimap<size_t, Node*>;  // by Key::Hash

  void Visit(Region& region) {
    std::vector<Table::iterator> added;
    for (Node* node : region.nodes()) {
      edit_.Update(*node);
      const OpRecord& op = node->op();
      if (op.pure() && op.regions.empty() && node->num_outputs() > 0 &&
          !edit_.is_target(*node)) {
        Key key(*node);
        size_t hash = key.Hash();
        if (!Merge(*node, key, hash)) {
          auto it = seen_.emplace(hash, node);
          if (region.owner()) added.push_back(it);
        }
      }
      for (const auto& inner : node->regions()) Visit(*inner);
    }
    // Siblings of this region must not see its nodes.
    for (auto it : added) seen_.erase(it);
  }

  bool Merge(Node& node, const Key& key, size_t hash) {
    auto [begin, end] = seen_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (Key(*it->second) == key) return MergeInto(*it->second, node);
    }
    return false;
  }

  bool MergeInto(Node& first, Node& node) {
    std::vector<PartialShape> merged;
    for (int i = 0; i < node.num_outputs(); ++i) {
      Result<PartialShape> shape =
          MergeShapes(first.output_type(i).shape, node.output_type(i).shape);
      if (!shape.ok()) return false;
      merged.push_back(*shape);
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      graph_.SetOutputShape(first, i, merged[static_cast<size_t>(i)]);
      edit_.Replace(node.output(i), first.output(i));
    }
    // Few nodes have control users, and an entry for each costs memory.
    if (BatchEdit::HasControlUser(node)) edit_.ReplaceControl(node, {&first});
    edit_.Erase(node);
    return true;
  }

  Graph& graph_;
  BatchEdit edit_;
  Table seen_;
};

}  // namespace

Result<bool> MergeCommonSubexpressions(Graph& graph) {
  return Merger(graph).Run();
}

}  // namespace sluice
