// GraphTapeNode: a stretch of a graph being recorded, as the tape sees it: from
// some values (xs) to others (ys). Most are one op; conditionals, loops and
// calls that others added to the graph are one each, too. Gradients become more
// graph.
//
// As long as its Capture is: afterwards nothing flows through it any more.
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
  // One node: the xs are its inputs or, of one with regions, what it reads.
  GraphTapeNode(Graph& graph, Node& node, std::vector<Value> xs,
                SourceLine line);
  // All between.
  GraphTapeNode(Graph& graph, std::vector<Value> xs, std::vector<Value> ys,
                std::string name, SourceLine line);

  Status Backward(std::span<const EagerRef> dy, bool record,
                  std::span<EagerRef> dx) override;
  // Throws in a loop that began after the call: the next iteration would find
  // it used up, which code that is recorded once does not show.
  void Drop() override;
  bool dropped() const override { return dropped_; }
  std::string_view name() const override { return name_; }
  size_t num_outputs() const override { return ys_.size(); }
  Value y(int i) const { return ys_[static_cast<size_t>(i)]; }

  // The memory of input or output i is that of a value with this log: writing
  // it before the gradient has read it is an error, as it is imperatively.
  void Watch(Value value, std::string what, WriteLog& log);

  // The result was written over the first input, of which the call keeps a
  // copy.
  void WrittenOver();

  // Gradients flow through output i only in runs in which this holds.
  void SetWhen(size_t i, Value when) {
    if (when_.size() <= i) when_.resize(i + 1);
    when_[i] = when;
  }
  // None: in every run.
  Value When(int i) const {
    auto at = static_cast<size_t>(i);
    return at < when_.size() ? when_[at] : Value();
  }
  // A conditional or a loop.
  bool has_regions() const;
  // Whether gradients of output k flow to where x i came from.
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
  // Of a loop in which code of the user's sees gradients: whether what an
  // iteration makes of variable i flows back to what it is given for variable
  // j, [i][j].
  enum class Flows : uint8_t { kNever, kSometimes, kAlways };
  using Iteration = std::vector<std::vector<Flows>>;
  void SetIteration(Iteration iteration) { iteration_ = std::move(iteration); }
  const Iteration& iteration() const { return iteration_; }
  // Whether gradients go some of their ways in some runs only.
  bool tells() const;
  // How many values had been made when it was recorded.
  uint64_t made_at() const { return made_at_; }
  // What its rule reads of the values it watches: those that have been written
  // since, and those whose log is wanted.
  void AddKept(const std::function<bool(const WriteLog*)>& wanted,
               std::vector<front_internal::KeptValue>& kept) const;
  // The same of calls in its regions, as the memory is now.
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
  // Whether what may share its memory was: by a branch, say.
  bool PerhapsWritten(const Watched& watched) const;

  Graph& graph_;
  Node* node_ = nullptr;
  std::vector<Value> xs_, ys_;  // edges[i] leads to where xs_[i] came from
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

// What was computed before the recording began: gradients do not flow there
// while the function runs, only after it.
class OutsideTapeNode final : public TapeNode {
 public:
  OutsideTapeNode(std::string what, SourceLine line, Value when_flows = {})
      : TapeNode(line), when(when_flows), what_(std::move(what)) {}
  // Set: gradients flow only in runs in which this holds.
  const Value when;
  // What the value was made by, then, outside.
  Ref<TapeNode> before{};
  // Whether that leads to a tensor outside.
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
