#include "sluice/tape/fusion.h"

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace sluice {

BlockKernel SelectBlock(const Node& node) {
  if (!node.op().block || node.num_inputs() > kMaxBlockInputs ||
      node.num_inputs() == 0 || node.num_outputs() != 1) {
    return {};
  }
  DType in[kMaxBlockInputs];
  for (int i = 0; i < node.num_inputs(); ++i) in[i] = node.input(i).dtype();
  return node.op().block(node.attrs(),
                         {in, static_cast<size_t>(node.num_inputs())},
                         node.output_type(0).dtype);
}

bool Fusable(const Node& node) { return SelectBlock(node).fn != nullptr; }

namespace {

class Grouper {
 public:
  Grouper(const std::vector<Node*>& nodes, const FusionOptions& options)
      : nodes_(nodes), options_(options) {
    for (size_t i = 0; i < nodes.size(); ++i)
      position_[nodes[i]] = static_cast<int>(i);
    waiting_.assign(nodes.size(), 0);
    next_.resize(nodes.size());
    kind_.resize(nodes.size());
    in_open_.assign(nodes.size(), false);
    for (size_t i = 0; i < nodes.size(); ++i) {
      auto edge = [&](const Node* from) {
        auto it = position_.find(from);
        if (it == position_.end()) return;
        next_[static_cast<size_t>(it->second)].push_back(static_cast<int>(i));
        ++waiting_[i];
      };
      for (const Value& v : nodes[i]->inputs()) edge(v.node);
      for (Node* c : nodes[i]->controls()) edge(c);
      kind_[i] = nodes[i]->op().view  ? Kind::kView
                 : Fusable(*nodes[i]) ? Kind::kLoop
                                      : Kind::kSingle;
    }
  }

  std::vector<FusionGroup> Run() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (waiting_[i] == 0) MakeReady(static_cast<int>(i));
    }
    for (size_t done = 0; done < nodes_.size(); ++done) {
      int pick = Pick();
      Take(pick);
      for (int k : next_[static_cast<size_t>(pick)]) {
        if (--waiting_[static_cast<size_t>(k)] == 0) MakeReady(k);
      }
    }
    Close();
    return std::move(groups_);
  }

 private:
  enum class Kind : uint8_t { kView, kLoop, kSingle };
  using Space = std::vector<int64_t>;

  Space SpaceOf(int i) const {
    Dims d = nodes_[static_cast<size_t>(i)]->output_type(0).shape.dims();
    return Space(d.begin(), d.end());
  }

  void MakeReady(int i) {
    if (kind_[static_cast<size_t>(i)] == Kind::kLoop) {
      loops_[SpaceOf(i)].insert(i);
    } else {
      (kind_[static_cast<size_t>(i)] == Kind::kView ? views_ : singles_)
          .insert(i);
    }
  }

  bool InOpenGroup(const Node* node) const {
    auto it = position_.find(node);
    return it != position_.end() && in_open_[static_cast<size_t>(it->second)];
  }

  void Close() {
    for (Node* node : loop_.nodes) {
      in_open_[static_cast<size_t>(position_.at(node))] = false;
    }
    if (!loop_.empty()) {
      groups_.emplace_back();
      groups_.back().loop = std::move(loop_);
    }
    loop_ = {};
  }

  // A view that does not depend on the open loop, else a node that joins it,
  // else the first in program order.
  int Pick() {
    for (int v : views_) {
      bool inside = false;
      for (const Value& in : nodes_[static_cast<size_t>(v)]->inputs()) {
        inside = inside || InOpenGroup(in.node);
      }
      for (Node* c : nodes_[static_cast<size_t>(v)]->controls()) {
        inside = inside || InOpenGroup(c);
      }
      if (!inside) return v;
    }
    if (!loop_.empty()) {
      auto same = loops_.find(open_space_);
      if (options_.enabled && same != loops_.end() &&
          (long_space_ ? streams_ : 0) < options_.max_streams) {
        return *same->second.begin();
      }
      Close();
    }
    int best = -1;
    auto consider = [&](const std::set<int>& set) {
      if (!set.empty() && (best < 0 || *set.begin() < best))
        best = *set.begin();
    };
    consider(views_);
    consider(singles_);
    for (const auto& [space, set] : loops_) consider(set);
    return best;
  }

  void AddSingle(Node* node) {
    groups_.emplace_back();
    groups_.back().node = node;
  }

  void Take(int i) {
    auto k = static_cast<size_t>(i);
    Node* node = nodes_[k];
    if (kind_[k] == Kind::kView) {
      views_.erase(i);
      // It is placed before the open loop, on which it does not depend.
      AddSingle(node);
      return;
    }
    if (kind_[k] == Kind::kSingle) {
      singles_.erase(i);
      AddSingle(node);
      return;
    }
    Space space = SpaceOf(i);
    auto set = loops_.find(space);
    set->second.erase(i);
    if (set->second.empty()) loops_.erase(set);
    if (loop_.empty()) {
      open_space_ = std::move(space);
      streams_ = 0;
      seen_.clear();
      loop_.space = node->output_type(0).shape.ToShape();
      long_space_ = loop_.space.num_elements() > 4096;
    }
    loop_.nodes.push_back(node);
    in_open_[k] = true;
    if (long_space_) {
      for (const Value& v : node->inputs()) {
        if (!InOpenGroup(v.node) && seen_.insert(v.node).second) ++streams_;
      }
    }
  }

  const std::vector<Node*>& nodes_;
  const FusionOptions& options_;
  std::unordered_map<const Node*, int> position_;
  std::vector<int> waiting_;
  std::vector<char> in_open_;  // member of the loop being collected
  std::vector<std::vector<int>> next_;
  std::vector<Kind> kind_;
  std::set<int> views_, singles_;
  std::map<Space, std::set<int>> loops_;
  std::vector<FusionGroup> groups_;
  FusedNodes loop_;  // being collected; empty when none is open
  bool long_space_ = false;
  Space open_space_;
  int streams_ = 0;
  std::unordered_set<const Node*> seen_;
};

}  // namespace

std::vector<FusionGroup> FormGroups(const std::vector<Node*>& nodes,
                                    const FusionOptions& options) {
  return Grouper(nodes, options).Run();
}

}  // namespace sluice
