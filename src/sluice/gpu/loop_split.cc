#include "sluice/gpu/loop_split.h"

#include <algorithm>

#include "sluice/gpu/loop_regions.h"
#include "sluice/tape/fusion.h"

namespace sluice {

namespace {

bool IsNumber(const ValueType& type) {
  return type.dtype != DType::kList && type.shape.fully_known() &&
         type.shape.ToShape().num_elements() == 1;
}

// Whether a thread can compute the node by itself.
bool IsPlain(const Node& node) {
  if (ConstantValue({const_cast<Node*>(&node), 0})) return true;
  if (node.num_outputs() != 1 || !IsNumber(node.output_type(0))) return false;
  return HandsOn(node) || !SelectBlock(node).formula.empty();
}

class Splitter {
 public:
  explicit Splitter(const Node& loop)
      : loop_(loop), cond_(CondOf(loop)), body_(BodyOf(loop)) {}

  CountingPart Find() {
    for (const Node* node : cond_.nodes()) {
      if (node->is_args()) continue;
      if (!IsPlain(*node)) return {};
      for (const Value& v : node->inputs()) Reach(v, cond_);
    }
    for (const Value& v : cond_.results()) Reach(v, cond_);
    // The loop also visits the values that it adds.
    for (size_t k = 0; k < part_.carried.size(); ++k) {
      int i = part_.carried[k];
      if (!IsNumber(loop_.output_type(i))) return {};
      Reach(body_.results()[static_cast<size_t>(i)], body_);
    }
    if (!plain_ || part_.carried.empty() || ReadByOthers()) return {};
    std::sort(part_.carried.begin(), part_.carried.end());
    return std::move(part_);
  }

 private:
  bool Counts(int carried) const {
    return std::find(part_.carried.begin(), part_.carried.end(), carried) !=
           part_.carried.end();
  }

  void Reach(const Value& v, const Region& region) {
    if (v.node == region.args_node()) {
      if (!Counts(v.index)) part_.carried.push_back(v.index);
      return;
    }
    if (&region != &body_ || v.node->region() != &region ||
        !part_.nodes.insert(v.node).second) {
      return;
    }
    plain_ = plain_ && IsPlain(*v.node) && v.node->controls().empty();
    for (const Value& in : v.node->inputs()) Reach(in, region);
  }

  // Whether the rest reads the counted values, or there is no rest.
  bool ReadByOthers() const {
    auto counted = [&](const Value& v) {
      if (v.node == body_.args_node()) return Counts(v.index);
      return part_.nodes.count(v.node) > 0 && !ConstantValue(v);
    };
    bool rest = false;
    for (const Node* node : body_.nodes()) {
      if (node->is_args() || part_.nodes.count(node)) continue;
      rest = rest || !ConstantValue({const_cast<Node*>(node), 0});
      for (const Value& v : node->inputs()) {
        if (counted(v)) return true;
      }
    }
    for (int i = 0; i < loop_.num_inputs(); ++i) {
      if (Counts(i)) continue;
      if (counted(body_.results()[static_cast<size_t>(i)])) return true;
    }
    return !rest;
  }

  const Node& loop_;
  const Region &cond_, &body_;
  CountingPart part_;
  bool plain_ = true;
};

}  // namespace

CountingPart FindCountingPart(const Node& loop) {
  return Splitter(loop).Find();
}

}  // namespace sluice
