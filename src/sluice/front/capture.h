// Capture: what a function being recorded (front/function.h) does with tensors
// that are not its arguments. Imperative tensors it reads become arguments of
// the graph, those it writes become results, and so do gradients it leaves on
// them; every call of the function feeds and takes them.
//
// One at a time per thread, while the function's body runs.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/front/tensor.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class Capture {
 public:
  explicit Capture(Graph& graph);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // Null when this thread records no function.
  static Capture* Current();
  // Ends the recording for a while: what is called until Resume runs at once.
  static Capture* Suspend();
  static void Resume(Capture* suspended);

  struct Entry {
    EagerRef value;
    Value arg;  // what is fed
    Value now;  // what the body has made of it so far
    bool written = false;
    bool grad_set = false;  // the body has set or cleared its gradient
    Tensor grad;            // what it set; holds nothing when cleared
    // Set: this is the gradient that tensor has, or a part of it when that is
    // sparse.
    EagerRef grad_of{};
    enum class Part : uint8_t { kWhole, kIndices, kValues };
    Part part = Part::kWhole;
  };
  // Gradients the body has asked for before it set them: whether there was one,
  // and whether it was sparse. Another call may find it otherwise.
  struct GradSeen {
    EagerRef value;
    bool there, sparse;
    explicit GradSeen(const EagerRef& v)
        : value(v), there(v->grad), sparse(v->grad && v->grad->rows) {}
    bool Still() const {
      GradSeen now(value);
      return now.there == there && now.sparse == sparse;
    }
  };
  const std::vector<GradSeen>& grads_seen() const { return grads_seen_; }
  // What else of the program around it the body has asked for: a number that
  // may change between calls, as a module's mode. What was recorded serves
  // while it is as it was.
  struct Fact {
    std::shared_ptr<const int> now;
    int then;
    std::string name;  // "dropout's mode"
    bool Still() const { return *now == then; }
  };
  const std::vector<Fact>& facts() const { return facts_; }
  void Note(std::shared_ptr<const int> fact, std::string name);
  // The entry of a tensor, made when it is met for the first time.
  Entry& At(const EagerRef& value);
  Entry& At(const EagerRef& value, const PartialShape& shape);
  std::deque<Entry>& entries() { return entries_; }
  Graph& graph() { return graph_; }

  // loss.backward() inside the body: gradients for all tensors met so far that
  // require them.
  Status Backward(const Tensor& loss, const Tensor& gradient);
  // The gradient of a tensor as the body sees it. What was there before the
  // call is read as an argument too.
  Tensor GradOf(const EagerRef& value);

 private:
  // A part of the gradient that tensor has, as an argument.
  Value GradPart(const EagerRef& part, const EagerRef& grad_of,
                 Entry::Part which);

  Graph& graph_;
  Capture* outer_;
  std::deque<Entry> entries_;  // references to them stay good
  std::vector<GradSeen> grads_seen_;
  std::vector<Fact> facts_;
  std::unordered_map<const EagerValue*, size_t> index_;
};

}  // namespace sluice
