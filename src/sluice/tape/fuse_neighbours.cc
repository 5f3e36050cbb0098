#include "sluice/tape/fuse_neighbours.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

using Reason = std::string;  // empty: nothing stops it

std::string NameOf(const Node& node) {
  return StrCat(node.op().name, " \"", node.name(), "\"");
}

std::string NameOf(const FusedNodes& loop) {
  return StrCat("the loop of ", NameOf(*loop.nodes.front()),
                loop.nodes.size() > 1
                    ? StrCat(" and ", loop.nodes.size() - 1, " more")
                    : std::string());
}

class NeighbourFuser {
 public:
  NeighbourFuser(std::vector<FusionGroup>& groups, const TapeViews& views,
                 const std::vector<Value>& outputs)
      : groups_(groups),
        views_(views),
        outputs_(outputs.begin(), outputs.end()) {
    for (size_t g = 0; g < groups_.size(); ++g) {
      ForEachNode(groups_[g], [&](Node* node) {
        place_[node] = g;
        for (Node* c : node->controls()) followers_[c].insert(g);
        if (views_.IsView(node)) {
          view_groups_[views_.Root(node->output(0))].push_back(g);
          return;
        }
        for (const Value& v : node->inputs()) {
          readers_[views_.Root(v)].insert(g);
        }
      });
    }
  }

  std::vector<std::string> Run() {
    // Loops behind kernels first: a kernel that writes its final result saves a
    // whole array; the loop is then no candidate for the next kernel.
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].loop.empty()) JoinBehind(g);
    }
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].node && !IsViewGroup(groups_[g])) JoinBefore(g);
    }
    groups_.erase(std::remove_if(groups_.begin(), groups_.end(),
                                 [](const FusionGroup& g) {
                                   return !g.node && g.loop.empty();
                                 }),
                  groups_.end());
    return std::move(notes_);
  }

 private:
  template <class F>
  static void ForEachNode(const FusionGroup& group, F&& visit) {
    for (Node* node : group.before.nodes) visit(node);
    if (group.node) visit(group.node);
    for (Node* node : group.views) visit(node);
    for (Node* node : group.loop.nodes) visit(node);
  }

  bool IsViewGroup(const FusionGroup& group) const {
    return group.node && views_.IsView(group.node);
  }

  bool Empty(size_t g) const {
    return !groups_[g].node && groups_[g].loop.empty();
  }

  // The first group strictly between two others that reads `v` or waits for its
  // node; null if there is none.
  const FusionGroup* UserBetween(const Value& v, size_t after,
                                 size_t before) const {
    auto first = [&](const auto& index, const auto& key) -> size_t {
      auto it = index.find(key);
      if (it == index.end()) return before;
      auto g = it->second.upper_bound(after);
      // A group that joined another leaves its old number behind.
      while (g != it->second.end() && *g < before && Empty(*g)) ++g;
      return g == it->second.end() ? before : *g;
    };
    size_t found = std::min(first(readers_, v), first(followers_, v.node));
    return found < before ? &groups_[found] : nullptr;
  }

  // The node is now part of group g, and reads its inputs there.
  void Settle(Node* node, size_t g) {
    place_[node] = g;
    for (const Value& v : node->inputs()) readers_[views_.Root(v)].insert(g);
  }

  // Removes the views of `v` between two groups from the order.
  std::vector<Node*> TakeViews(const Value& v, size_t after, size_t before) {
    std::vector<Node*> taken;
    auto places = view_groups_.find(v);
    if (places == view_groups_.end()) return taken;
    for (size_t g : places->second) {
      if (g <= after || g >= before || !groups_[g].node) continue;
      taken.push_back(groups_[g].node);
      groups_[g].node = nullptr;
    }
    return taken;
  }

  // ---- Behind a kernel ----

  void JoinBehind(size_t g) {
    // Kernels whose result the loop reads, the last one first: only that one
    // can wait for all the others.
    std::set<size_t, std::greater<>> kernels;
    std::set<size_t> loops;
    for (Node* node : groups_[g].loop.nodes) {
      for (const Value& v : node->inputs()) {
        auto it = place_.find(views_.Root(v).node);
        if (it == place_.end() || it->second == g) continue;
        if (groups_[it->second].node) {
          kernels.insert(it->second);
        } else {
          loops.insert(it->second);
        }
      }
    }
    for (size_t l : loops) NoteApart(groups_[l].loop, groups_[g].loop);
    for (size_t k : kernels) {
      Reason reason = WhyNotBehind(k, g);
      if (reason.empty()) {
        MoveBehind(k, g);
        return;
      }
      notes_.push_back(StrCat(NameOf(*groups_[k].node), " | ",
                              NameOf(groups_[g].loop), ": ", reason));
    }
  }

  void NoteApart(const FusedNodes& first, const FusedNodes& second) {
    notes_.push_back(StrCat(
        NameOf(first), " | ", NameOf(second), ": ",
        first.space == second.space
            ? std::string("something that stands between them needs the first")
            : StrCat("their spaces ", first.space, " and ", second.space,
                     " differ")));
  }

  Reason WhyNotBehind(size_t k, size_t g) const {
    Node* kernel = groups_[k].node;
    const FusedNodes& loop = groups_[g].loop;
    Value result = kernel->output(0);
    if (!kernel->op().cpu().fuse_output) {
      return "the kernel takes no loop behind it";
    }
    if (!groups_[k].loop.empty()) return "it has a loop behind it already";
    bool read = false;
    for (Node* node : loop.nodes) {
      for (const Value& v : node->inputs()) {
        Value root = views_.Root(v);
        // Elements of the first result become final while the kernel runs;
        // other results only when it has ended, but the loop would read them
        // before.
        if (root.node == kernel && root != result) {
          return "the loop reads another of its results";
        }
        if (root != result) continue;
        read = true;
        if (!views_.ShowsAll(v) ||
            v.shape().ToShape().num_elements() != loop.space.num_elements()) {
          return StrCat("its result ", result.type(),
                        " is spread or rearranged over the loop's ",
                        loop.space);
        }
      }
    }
    if (!read) return "the loop does not read its result";
    for (int i = 0; i < kernel->num_outputs(); ++i) {
      if (const FusionGroup* user = UserBetween(kernel->output(i), k, g)) {
        return StrCat(user->node ? NameOf(*user->node) : NameOf(user->loop),
                      " needs the result before");
      }
    }
    return {};
  }

  void MoveBehind(size_t k, size_t g) {
    FusionGroup& from = groups_[k];
    FusionGroup& to = groups_[g];
    to.node = from.node;
    from.node = nullptr;
    Settle(to.node, g);
    for (int i = 0; i < to.node->num_outputs(); ++i) {
      for (Node* view : TakeViews(to.node->output(i), k, g)) {
        to.views.push_back(view);
        place_[view] = g;
      }
    }
  }

  // ---- Before a kernel ----

  void JoinBefore(size_t g) {
    Node* kernel = groups_[g].node;
    if (kernel->num_inputs() == 0) return;
    Value made = views_.Root(kernel->input(0));
    auto it = place_.find(made.node);
    if (it == place_.end() || it->second == g) return;
    size_t p = it->second;
    if (groups_[p].node || groups_[p].loop.empty()) return;
    Reason reason = WhyNotBefore(p, g, made);
    if (!reason.empty()) {
      notes_.push_back(StrCat(NameOf(groups_[p].loop), " | ", NameOf(*kernel),
                              ": ", reason));
      return;
    }
    TakeViews(made, p, groups_.size());  // of a value that is never stored
    groups_[g].before = std::move(groups_[p].loop);
    groups_[p].loop = {};
    for (Node* node : groups_[g].before.nodes) Settle(node, g);
  }

  Reason WhyNotBefore(size_t p, size_t g, const Value& made) const {
    Node* kernel = groups_[g].node;
    const FusedNodes& loop = groups_[p].loop;
    if (!kernel->op().cpu().fuse_input)
      return "the kernel takes no loop before it";
    if (!views_.ShowsAll(kernel->input(0))) {
      return StrCat(made.type(), " is rearranged in between");
    }
    if (outputs_.count(made)) return "the value in between is a result itself";
    if (ReadTwice(g, made)) return "the value in between is read twice";
    for (Node* node : loop.nodes) {
      Value v = node->output(0);
      if (v == made) continue;
      bool leaves = outputs_.count(v) > 0;
      auto readers = readers_.find(v);
      if (readers != readers_.end()) {
        leaves = leaves || readers->second.size() > 1 ||
                 *readers->second.begin() != p;
      }
      if (leaves) return StrCat("the loop also makes ", NameOf(*node));
    }
    for (Node* node : loop.nodes) {
      if (UserBetween(node->output(0), p, g)) {
        return "something in between waits for the loop";
      }
    }
    return {};
  }

  // Whether anything but input 0 of the kernel of group g reads `v`.
  bool ReadTwice(size_t g, const Value& v) const {
    int reads = 0;
    ForEachNode(groups_[g], [&](Node* node) {
      if (views_.IsView(node)) return;
      for (const Value& in : node->inputs()) reads += views_.Root(in) == v;
    });
    const std::set<size_t>& groups = readers_.at(v);
    size_t own = place_.at(v.node);
    for (size_t r : groups) {
      // The loop that computes it may read it on the way to another value,
      // which is checked separately; a group that moved leaves its old number.
      if (r != g && r != own && !Empty(r)) return true;
    }
    return reads != 1;
  }

  std::vector<FusionGroup>& groups_;
  const TapeViews& views_;
  std::unordered_set<Value, ValueHash> outputs_;
  std::unordered_map<const Node*, size_t> place_;
  // The numbers of groups that read a value, through views or directly; that
  // wait for a node; that are views of a value.
  std::unordered_map<Value, std::set<size_t>, ValueHash> readers_;
  std::unordered_map<const Node*, std::set<size_t>> followers_;
  std::unordered_map<Value, std::vector<size_t>, ValueHash> view_groups_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> FuseNeighbours(std::vector<FusionGroup>& groups,
                                        const TapeViews& views,
                                        const std::vector<Value>& outputs) {
  return NeighbourFuser(groups, views, outputs).Run();
}

}  // namespace sluice
