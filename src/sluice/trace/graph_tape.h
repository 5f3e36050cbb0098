// GraphTapeNode: a part of a graph being recorded, as the tape sees it, from
// some values (xs) to others (ys). Most are one op. Conditionals, loops and
// calls that were added to the graph are one node each, too. Gradients add
// further nodes to the graph.
//
// Valid while its Capture lives; afterwards gradients no longer flow through
// it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/eager/tape.h"
#include "sluice/graph/graph.h"

namespace sluice {

namespace front_internal {
struct KeptValue;
}

class GraphTapeNode final : public TapeNode {
 public:
  // One node. The xs are its inputs or, for a node with regions, the values it
  // reads.
  GraphTapeNode(Graph& graph, Node& node, std::vector<Value> xs,
                SourceLine line);
  // All nodes between xs and ys.
  GraphTapeNode(Graph& graph, std::vector<Value> xs, std::vector<Value> ys,
                std::string name, SourceLine line);

  Status Backward(std::span<const EagerRef> dy, bool record,
                  std::span<EagerRef> dx) override;
  // Throws in a loop that began after the call: the next iteration would find
  // the call used up, which a single recording of the code does not show.
  void Drop() override;
  bool dropped() const override { return dropped_; }
  std::string_view name() const override { return name_; }
  size_t num_outputs() const override { return ys_.size(); }
  Value y(int i) const { return ys_[static_cast<size_t>(i)]; }

  // Notes that input or output i uses the memory of the value with this log.
  // Writing that value before the gradient has read it is an error, as in
  // imperative code.
  void Watch(Value value, std::string what, WriteLog& log);

  // The result was stored over the first input, of which the call keeps a copy.
  void WrittenOver();

  // Gradients flow through output i only in runs in which `when` holds.
  void SetWhen(size_t i, Value when) {
    if (when_.size() <= i) when_.resize(i + 1);
    when_[i] = when;
  }
  // None: in every run.
  Value When(int i) const {
    auto at = static_cast<size_t>(i);
    return at < when_.size() ? when_[at] : Value();
  }
  // Whether the node is a conditional or a loop.
  bool has_regions() const;
  // Whether gradients of output k flow to the producer of x i.
  struct Through {
    bool never = false;
    Value when{};  // set: only in runs in which this holds
  };
  void SetThrough(size_t k, std::vector<Through> by_x) {
    if (through_.size() <= k) through_.resize(k + 1);
    through_[k] = std::move(by_x);
  }
  Through ThroughTo(int k, size_t i) const {
    auto at = static_cast<size_t>(k);
    bool said = at < through_.size() && i < through_[at].size();
    return said ? through_[at][i] : Through();
  }
  // For a loop in which user code sees gradients: whether gradients flow from
  // variable i after an iteration to variable j before it, as [i][j].
  enum class Flows : uint8_t { kNever, kSometimes, kAlways };
  using Iteration = std::vector<std::vector<Flows>>;
  void SetIteration(Iteration iteration) { iteration_ = std::move(iteration); }
  const Iteration& iteration() const { return iteration_; }
  // Whether some gradients flow through it in some runs only.
  bool tells() const;
  // How many values had been made when the call was recorded.
  uint64_t made_at() const { return made_at_; }
  // Adds the watched values that its gradient rule reads and that have been
  // written since or whose log is wanted.
  void AddKept(const std::function<bool(const WriteLog*)>& wanted,
               std::vector<front_internal::KeptValue>& kept) const;
  // The same for calls in its regions, with the memory as it is now.
  void KeptInside(const front_internal::KeptValue& kept,
                  const Ref<WriteLog>& log);

 private:
  struct Watched {
    Value value;
    std::string what;
    Ref<WriteLog> log;
    uint32_t count;
  };
  Status CheckUnwritten(int first_new) const;
  // Whether a possible alias of the memory was written, for example in a
  // branch.
  bool PerhapsWritten(const Watched& watched) const;

  Graph& graph_;
  Node* node_ = nullptr;
  std::vector<Value> xs_, ys_;  // edges[i] leads to the producer of xs_[i]
  const std::string name_;
  std::vector<Watched> watched_;
  struct Inside {
    Ref<WriteLog> log;
    uint32_t count;
    std::string before, type, after;
  };
  std::vector<Inside> inside_;
  std::vector<Value> when_;
  std::vector<std::vector<Through>> through_;
  Iteration iteration_;
  const uint64_t made_at_;
  bool dropped_ = false;
};

// A value computed before the recording began. Gradients flow past it only
// after the function has run.
class OutsideTapeNode final : public TapeNode {
 public:
  OutsideTapeNode(std::string what, SourceLine line, Value when_flows = {})
      : TapeNode(line), when(when_flows), what_(std::move(what)) {}
  // Set: gradients flow only in runs in which this holds.
  const Value when;
  // The node outside that produced the value at that time.
  Ref<TapeNode> before{};
  // Whether that producer leads to a tensor outside.
  bool LeadsTo(const EagerValue& outside) const;

  Status Backward(std::span<const EagerRef> dy, bool record,
                  std::span<EagerRef> dx) override;
  void Drop() override {}
  bool outside() const override { return true; }
  std::string_view name() const override { return "outside"; }
  size_t num_outputs() const override { return 1; }

 private:
  const std::string what_;
};

}  // namespace sluice
