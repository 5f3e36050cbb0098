// GraphTapeNode: what a stretch of a graph being recorded is to the tape: from
// some values (xs) to others (ys). Most are one op; conditionals, loops and
// what others added to the graph are one each, too. Gradients become more
// graph.
//
// As long as its Capture is: afterwards nothing flows through it any more.
#pragma once

#include <vector>

#include "sluice/front/tape.h"
#include "sluice/graph/graph.h"

namespace sluice {

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
  void Drop() override { dropped_ = true; }
  bool dropped() const override { return dropped_; }
  std::string_view name() const override { return name_; }
  size_t num_outputs() const override { return ys_.size(); }

  // The memory of input or output i is that of a value with this log: writing
  // it before the gradient has read it is an error, as it is imperatively.
  void Watch(Value value, std::string what, WriteLog& log);

 private:
  struct Watched {
    Value value;
    std::string what;
    Ref<WriteLog> log;
    uint32_t count;
  };
  Status CheckUnwritten(int first_new) const;

  Graph& graph_;
  Node* node_ = nullptr;
  std::vector<Value> xs_, ys_;  // edges[i] leads to where xs_[i] came from
  const std::string name_;
  std::vector<Watched> watched_;
  bool dropped_ = false;
};

// What was computed before the recording began: gradients do not flow there
// while the function runs, only after it.
class OutsideTapeNode final : public TapeNode {
 public:
  OutsideTapeNode(std::string what, SourceLine line)
      : TapeNode(line), what_(std::move(what)) {}
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
