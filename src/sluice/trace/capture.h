// Capture: a function being recorded (front/function.h). Its code runs once,
// with the machinery of imperative calls: values with an identity, views,
// in-place writes, the tape and its backward run. Only the elements are
// missing. A value here is traced: at any time it represents one value of the
// graph, and after every write another one. The recorded code therefore means
// the same as when it runs eagerly.
//
// Arguments and captured tensors of the program outside are entries. Each entry
// has a traced stand-in that the code sees in its place. Whatever the code does
// to a stand-in (elements, gradients, flags) happens to the tensor itself on
// every call.
//
// At most one Capture is open per thread, while the function's body runs.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/eager/ended_points.h"
#include "sluice/eager/recording.h"
#include "sluice/eager/tape.h"
#include "sluice/eager/tensor.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/session/random_state.h"
#include "sluice/trace/merged_flow.h"
#include "sluice/trace/size_guard.h"

namespace sluice {

class TracedDevices;

class Capture final : public Recording {
 public:
  explicit Capture(std::shared_ptr<Graph> graph);
  ~Capture();

  // Capture is the only kind of Recording.
  static Capture* Current() {
    return static_cast<Capture*>(Recording::Current());
  }
  static Capture* Open() { return static_cast<Capture*>(Recording::Open()); }

  // ---- For calls and their gradients: see eager/recording.h ----
  bool in_region() const override { return region_ != nullptr; }
  EagerRef ValueOf(const Tensor& tensor) override;
  bool Mine(const EagerValue& value) const override;
  Value Now(EagerValue& value) override;
  Value NowAsOperand(EagerValue& value) override;
  EagerRef Adopt(Value value) override;
  EagerRef Constant(const Array& value) override;
  void NoteElements(const EagerRef& value) override;
  Device* DeviceOf(EagerValue& value) override;
  Status Call(const OpRecord& op, std::span<const EagerRef> inputs,
              const Attrs& attrs, const SourceLine& line,
              EagerResults& results) override;
  Status CallInPlace(const OpRecord& op, const EagerRef& target,
                     std::span<const EagerRef> others, const Attrs& attrs,
                     const SourceLine& line) override;
  void Record(Node& node, std::span<const EagerRef> inputs,
              const SourceLine& line, bool records) override;
  void NoteCall(const Node& node) override { calls_.insert(node.id()); }
  void SetData(const EagerRef& target, const EagerRef& made,
               const SourceLine& line) override;
  Value NextDraw(const SourceLine& line) override;
  void SetPlace(const RandomState& state, const SourceLine& line) override;
  void CheckHook(const EagerValue& value) const override;
  void SetRequiresGrad(const EagerRef& inside, bool wanted) override;
  EagerRef GradOf(EagerValue& inside) override;
  void SetGrad(const EagerRef& inside, EagerRef grad) override;
  void RequireGrad(const EagerValue& inside) override;
  void RequireFlow(const EagerValue& value,
                   const std::string& message) override;
  bool LeadsOutside(const TapeNode& node,
                    const EagerValue& inside) const override;
  Status AddToGrads(std::span<const EagerRef> roots,
                    std::span<LeafGradient> found, bool record) override;

  struct Entry {
    EagerRef value;   // outside; of an argument that of the recorded call
    Value arg;        // what is fed
    EagerRef inside;  // the stand-in; null for an argument given twice
    bool argument = false;
    // The code has also met this argument as a captured tensor. In other calls
    // the two may be different tensors.
    bool found_outside = false;
    // The tensor's flags when it was met. A call that finds other flags needs
    // another recording.
    bool required_grad = false, leaf = true;
    // Set: its value when the code made it require gradients. Gradients of
    // calls that read it before then do not flow to it.
    Value tracked_from{};
    bool contiguous = true;
    // The recording relied on `contiguous`, because views share its memory.
    bool order_matters = false;
    // The code has read its gradient, or set it.
    bool grad_loaded = false, grad_set = false;
    EagerRef grad_before{};
    // Set: this entry is the gradient of that tensor, or a part of that
    // gradient where it is sparse.
    EagerRef grad_of{};
    enum class Part : uint8_t { kWhole, kIndices, kValues };
    Part part = Part::kWhole;

    bool written() const {
      return inside && inside->log && inside->log->count > 0;
    }
  };
  // Gradients that the body read before setting them: whether one was present,
  // and whether it was sparse. Another call may differ.
  struct GradSeen {
    size_t entry;
    bool there, sparse;
    explicit GradSeen(size_t i, const EagerValue& v)
        : entry(i), there(v.grad), sparse(v.grad && v.grad->rows) {}
    bool Still(const EagerValue& v) const {
      GradSeen now(entry, v);
      return now.there == there && now.sparse == sparse;
    }
  };
  const std::vector<GradSeen>& grads_seen() const { return grads_seen_; }
  // Histories that a derivative inside has read: whether that of an entry leads
  // to a leaf which somebody may ask gradients of (eager/ended_points.h).
  // Another call may differ.
  struct HistorySeen {
    size_t entry;
    bool over;
    bool Still(const EagerValue& v) const { return IsOver(v) == over; }
    static bool IsOver(const EagerValue& v) {
      return v.producer && !front_internal::LeadsToLeaf(*v.producer);
    }
  };
  const std::vector<HistorySeen>& histories_seen() const {
    return histories_seen_;
  }
  // Of the value that a node outside produced; notes that it was read.
  bool HistoryIsOver(const TapeNode& outside);
  // Other state outside the function that the body has read: a number that may
  // change between calls, such as a module's mode. The trace is valid while the
  // number is unchanged.
  struct Fact {
    std::shared_ptr<const int> now;
    int then;
    std::string name;  // "dropout's mode"
    bool Still() const { return *now == then; }
  };
  const std::vector<Fact>& facts() const { return facts_; }
  void Note(std::shared_ptr<const int> fact, std::string name);
  // Captured tensors whose elements were read, for example by Python code that
  // is not converted.
  struct ElementsRead {
    EagerRef value;
    uint32_t writes;
    bool Still() const { return value->writes().count == writes; }
  };
  const std::vector<ElementsRead>& elements_read() const {
    return elements_read_;
  }
  // The decisions that the body bases on the sizes of its arguments. Null where
  // the sizes of a call are unknown.
  const std::shared_ptr<SizeGuards>& sizes() const { return sizes_; }
  void set_sizes(std::shared_ptr<SizeGuards> sizes) {
    sizes_ = std::move(sizes);
  }

  // Ids of the nodes of the calls the code has made.
  const std::unordered_set<int>& calls() const { return calls_; }
  // Forgets `node` and the nodes inside it, because it was discarded, or
  // because gradients taken through it fail wherever it does.
  void ForgetCalls(const Node& node);

  std::deque<Entry>& entries() { return entries_; }
  const std::deque<Entry>& entries() const { return entries_; }
  // Captured tensors that are views and require no gradients: their stand-ins
  // are views of the stand-ins of their bases.
  struct Look {
    EagerRef value, inside;
    bool in_region;
    int64_t argument = -1;  // its index, if it is an argument of this call
  };
  const std::vector<Look>& looks() const { return looks_; }

  // ---- Tensors outside the function ----
  // Registers a tensor that an earlier recording of the same graph has met,
  // with the value fed for it. Call before any other entry is added.
  void Know(const EagerRef& value, Value arg);
  // Adds an argument of the function. Call before captured tensors are met.
  EagerRef AddArgument(const EagerRef& value, const PartialShape& shape);
  // Adds an argument that is a view of another tensor (trace/argument_look.h),
  // in order with the others. LookArgument resolves it once all are added.
  void AddLookArgument(const EagerRef& value, const PartialShape& shape);
  EagerRef LookArgument(size_t argument);
  // Where to record pairs that share memory in a way that cannot be followed.
  void set_shared(std::vector<EagerRef>* shared) { shared_ = shared; }
  // The stand-in of a tensor outside, made on first use.
  EagerRef StandIn(const EagerRef& value);
  // The gradient of an entry exists only in runs in which `when` holds.
  void SetGradWhen(const EagerValue& inside, Value when);
  // None if it exists in every run.
  Value GradWhen(const EagerValue& inside) const;
  // Branches and loops of the recorded code may be decided by values
  // (trace/decisions.h), so code that is valid on one path only may be refused.
  void set_ways_decided(bool decided) { ways_decided_ = decided; }
  bool ways_decided() const { return ways_decided_; }
  // Drops its history.
  void Detach(const EagerRef& inside);

  // ---- Traced values ----
  // Makes a value of the graph with an identity of its own.
  EagerRef Make(Value value, const SourceLine& line, TapeEdge edge,
                bool tainted);
  // In some calls `value` is `other` or a view of it. The same then holds for
  // whatever `other` may be.
  void MayBe(EagerValue& value, const EagerRef& other,
             TraceState::Perhaps::How how);
  // Whether two values may share memory, given what each may be.
  static bool MayShare(const EagerValue& a, const EagerValue& b);
  // Throws when it cannot be known which tensor the value is.
  void CheckKnown(const EagerValue& value) const;
  // The tensor whose current value in the graph this is; or null.
  EagerRef OwnerOf(const Value& value) const {
    auto it = known_.find(value);
    bool still = it != known_.end() && it->second.owner &&
                 it->second.owner->traced->value == value;
    return still ? it->second.owner : EagerRef();
  }
  // A view that is a result shares memory with its base.
  void LookedInto(const EagerValue& view);
  // As Record, for a conditional, a loop or a call, once its results are known.
  // Gradients flow through result i if `flows[i]`, and only in runs in which
  // result `when[i]` holds where that is not negative. `reach`, where not
  // empty, holds the destinations of gradients by result.
  void RecordRegions(Node& node, const std::vector<bool>& flows,
                     const std::vector<int>& when,
                     const std::vector<ReachesTold>& reach,
                     const SourceLine& line);
  // Performs target = made; tensors that `target` is a view of change too.
  void Write(const EagerRef& target, const EagerRef& made,
             const SourceLine& line, bool records);
  // Gives a value returned by detach() a history of its own: that of `made`,
  // which has its elements or had them when it was made.
  void TakeHistory(EagerValue& alone, const EagerRef& made);
  // Rebinds a value to another value of the graph, for regions. REQUIRES: it
  // has not been written.
  void Replace(EagerValue& value, Value now, TapeEdge edge);

  // ---- Properties known only at run time (trace/merged_flow.h) ----
  FlowWhen FlowOf(const EagerValue& value) const;
  // The disjunction as one value, in the open region. REQUIRES: flow.open().
  Value AnyOf(const FlowWhen& flow);
  WhichEntry WhichOf(const EagerValue& value) const;
  void SetWhich(const EagerValue& value, Value told);
  void NoteMerged() { merged_ = true; }
  bool merged() const { return merged_; }
  // Whether the sizes of this call imply `when`. If they do, a guard gives
  // calls with other sizes another recording.
  bool HoldsForSizes(const Value& when);
  // Adds an assertion: runs in which `when` is false fail, and the code itself
  // runs instead.
  void TakeForGranted(const Value& when, std::string_view else_what);
  // What the gradient of a value reaches once it has passed the calls recorded
  // since `since` values had been made. Adds nodes to the open region.
  Reach ReachOf(const EagerValue& value, uint64_t since);
  // The destination of gradients of an entry.
  TapeKey EntryKey(size_t entry) const;
  uint64_t made() const { return made_; }
  // Throws where only a run decides whether gradients flow through the value.
  void CheckFlowKnown(const EagerValue& value, std::string_view what) const;

  // Registers cleanup for a recording that is discarded: removes what the code
  // has made outside the graph.
  void Undo(std::function<void()> undo) { undo_.push_back(std::move(undo)); }
  void Keep() { undo_.clear(); }
  std::vector<std::function<void()>> TakeUndo() {
    return std::exchange(undo_, {});
  }

  // ---- Random numbers (trace/random_place.h) ----
  // Not 0 while code of lanes (vmap) or of recursive functions is recorded.
  int draws_apart = 0;
  class [[nodiscard]] DrawsApart {
   public:
    explicit DrawsApart(Capture* capture) : capture_(capture) {
      if (capture_) ++capture_->draws_apart;
    }
    ~DrawsApart() {
      if (capture_) --capture_->draws_apart;
    }
    DrawsApart(const DrawsApart&) = delete;
    DrawsApart& operator=(const DrawsApart&) = delete;

   private:
    Capture* capture_;
  };

  // ---- Regions ----
  // Changes to undo at the region's end: code of a region has no effect outside
  // except through the region's results.
  struct Change {
    EagerRef value;
    Value before, history;
    TapeEdge edge;
    bool tainted;
    uint32_t seen;
    bool written;  // else: a view that was brought up to date
  };
  class Region {
   public:
    explicit Region(Capture* capture);
    ~Region();
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    // Values from outside that were written inside, without duplicates, in
    // order.
    std::vector<EagerRef> Written() const;
    // Whether the value existed before the region.
    bool IsOutside(const EagerValue& value) const {
      return value.traced->serial <= first_;
    }
    uint64_t first() const { return first_; }
    // The region's code may run more than once.
    void SetLoops() { loops_ = true; }
    // The write logs of the values made in this region.
    std::unordered_set<const WriteLog*> OwnLogs() const;
    // Throws where calls made inside have hooks and `value`, which leaves the
    // region, depends on their results. Gradients from outside cross the region
    // as a whole and meet no hook; gradients taken inside already met theirs.
    void CheckHooks(const EagerValue& value, std::string_view what) const;
    // A value from outside whose gradient was replaced inside; or null.
    EagerRef GradChanged() const;

   private:
    friend class Capture;
    Capture* capture_;
    Region* outer_;
    std::vector<Change> changes_;
    std::vector<std::pair<EagerRef, Value>> made_;  // with its value when made
    std::vector<const EagerValue*> met_;            // views of tensors outside
    std::vector<std::pair<EagerRef, EagerRef>> grads_;  // and as it was
    uint64_t first_ = 0;  // values made since then have greater serials
    bool loops_ = false;
  };
  // Whether a loop is being recorded that began when at least `made` values had
  // been made.
  bool InLoopSince(uint64_t made) const {
    for (const Region* r = region_; r; r = r->outer_) {
      if (r->loops_ && made <= r->first_) return true;
    }
    return false;
  }

 private:
  struct Known {
    TapeEdge edge;
    bool tainted = false;
    EagerRef owner;
  };
  void NoteChange(EagerValue& value, bool written);
  void MoveTo(EagerValue& place, Value now, const SourceLine& line);
  void Refresh(EagerValue& view);
  void Share(const EagerRef& made, const EagerRef& from, const Node& node);
  static void Over(EagerValue& value);
  void CheckApart(const EagerValue& base, const SourceLine& line) const;
  void CheckUnmoved(const EagerValue& view) const;
  // The base of the view, with the viewed part replaced.
  EagerRef WithPart(const EagerRef& view, const EagerRef& part,
                    const SourceLine& line);
  // Write(), once all aliases are known.
  void WriteInto(const EagerRef& target, const EagerRef& made,
                 const SourceLine& line, bool records);
  // Throws where a value made by detach() in the open region would outlive it.
  void CheckOwnHistory(const EagerValue& alone, const SourceLine& line) const;
  // Whether both have one shape, in this call and in every call the trace
  // serves.
  bool HaveOneShape(const Value& a, const Value& b);
  void OrderMatters(const EagerValue& base);
  EagerRef Frozen(Value value);
  // Applies the steps of a view outside to the stand-in of its base.
  EagerRef Replayed(const EagerValue& view, EagerRef inside);
  EagerRef InsideOfLook(const EagerRef& view);
  // A part of the sparse gradient of a tensor, as an argument.
  EagerRef GradPart(const EagerRef& part, const EagerRef& grad_of,
                    Entry::Part which);
  Entry& AddEntry(const EagerRef& value, const PartialShape& shape,
                  std::string_view kind);

  // Reaches of these gradients, where all paths are known.
  Reach ReachOfAll(std::span<const EagerRef> roots);
  Status AddToGrad(EagerValue& leaf, EagerRef gradient, bool record);

  const std::shared_ptr<Graph> kept_graph_;
  std::vector<std::function<void()>> undo_;
  Recording* const outer_;
  Region* region_ = nullptr;
  std::unordered_set<int> calls_;
  uint64_t made_ = 0;
  std::deque<Entry> entries_;  // a deque keeps references valid
  std::vector<GradSeen> grads_seen_;
  std::vector<HistorySeen> histories_seen_;
  std::vector<Fact> facts_;
  std::vector<ElementsRead> elements_read_;
  std::shared_ptr<SizeGuards> sizes_;
  std::unordered_map<const EagerValue*, EagerRef> inside_;
  std::vector<Look> looks_;
  std::vector<EagerRef>* shared_ = nullptr;
  std::unordered_map<Value, Known, ValueHash> known_;
  std::vector<std::pair<EagerRef, Value>> values_;  // made outside of regions
  // Values that are an entry on some paths only, with the value that tells
  // which entry.
  std::unordered_map<const EagerValue*, Value> which_;
  std::unordered_map<const EagerValue*, Value> grads_when_;
  // For tensors that are unknown: the nodes whose results may alias them and
  // were written.
  std::unordered_map<const EagerValue*, std::vector<const Node*>> unknown_via_;
  // Sequence numbers of when values were noted as possible aliases, and of when
  // requires_grad_() was called on them.
  std::unordered_map<const EagerValue*, int64_t> may_be_since_, flag_set_;
  int64_t flag_number_ = 0;
  // Keyed by node id, which is never reused, even where code is discarded:
  // results of AnyOf(), assumptions made, loops known from sizes to run.
  std::unordered_map<int, std::vector<Value>> any_of_;
  std::set<std::pair<int, int>> granted_;
  std::unordered_map<int, bool> goes_round_;
  bool ways_decided_ = false;
  bool merged_ = false;  // gradients flow through some values in some runs only
  std::unique_ptr<TracedDevices> devices_;  // made on first use
};

}  // namespace sluice
