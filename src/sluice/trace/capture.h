// Capture: a function being recorded (front/function.h). Its code runs once,
// with the machinery of imperative calls: values with an identity, views,
// writes in place, the tape and its backward run. Only elements are missing: a
// value here is traced, that is, it stands for one value of the graph at a
// time, and for another one after every write. So the code means what it means
// when it runs at once.
//
// Arguments, and tensors of the program outside, are entries: each has a
// traced stand-in that the code sees in its place. Whatever the code does to
// stand-ins (elements, gradients, flags) happens to the tensors themselves at
// every call.
//
// One at a time per thread, while the function's body runs.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

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

  // There are no recordings of other kinds.
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
    EagerRef inside;  // stands for it; null for an argument given twice
    bool argument = false;
    // An argument that the code has also met as a tensor of the program around:
    // in other calls they may be two.
    bool found_outside = false;
    // What the tensor was when it was met: another call that finds it
    // otherwise needs another recording.
    bool required_grad = false, leaf = true;
    // Set: what it was when the code made it require gradients. Those of calls
    // that have read it before do not flow to it.
    Value tracked_from{};
    bool contiguous = true;
    // Whether views share its memory because it is contiguous mattered.
    bool order_matters = false;
    // Whether the code has looked at its gradient, or set it.
    bool grad_loaded = false, grad_set = false;
    EagerRef grad_before{};
    // Set: this is the gradient that tensor has, or a part of it when that is
    // sparse.
    EagerRef grad_of{};
    enum class Part : uint8_t { kWhole, kIndices, kValues };
    Part part = Part::kWhole;

    bool written() const {
      return inside && inside->log && inside->log->count > 0;
    }
  };
  // Gradients the body has asked for before it set them: whether there was one,
  // and whether it was sparse. Another call may find it otherwise.
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
  // Tensors around whose elements were read, by code that is not converted,
  // say.
  struct ElementsRead {
    EagerRef value;
    uint32_t writes;
    bool Still() const { return value->writes().count == writes; }
  };
  const std::vector<ElementsRead>& elements_read() const {
    return elements_read_;
  }
  // What the body asks of the sizes of its arguments, and decides by them. Null
  // where no call tells what they are.
  const std::shared_ptr<SizeGuards>& sizes() const { return sizes_; }
  void set_sizes(std::shared_ptr<SizeGuards> sizes) {
    sizes_ = std::move(sizes);
  }

  // The calls the code has made, by the ids of their nodes.
  const std::unordered_set<int>& calls() const { return calls_; }
  // The node's, and those inside it: it is given up, or gradients were taken
  // through it, which fail where it does.
  void ForgetCalls(const Node& node);

  std::deque<Entry>& entries() { return entries_; }
  const std::deque<Entry>& entries() const { return entries_; }
  // Tensors around that look into others and require no gradients: they are
  // looks into what stands for those.
  struct Look {
    EagerRef value, inside;
    bool in_region;
    int64_t argument = -1;  // which one it is in this call, if any
  };
  const std::vector<Look>& looks() const { return looks_; }

  // ---- Tensors of the program around ----
  // A tensor that an earlier recording of the same graph has met, and what is
  // fed for it. Those come first.
  void Know(const EagerRef& value, Value arg);
  // An argument of the function. Those come first.
  EagerRef AddArgument(const EagerRef& value, const PartialShape& shape);
  // An argument that is a look into another tensor (trace/argument_look.h),
  // added with the others; what it is follows when those are there.
  void AddLookArgument(const EagerRef& value, const PartialShape& shape);
  EagerRef LookArgument(size_t argument);
  // Where to note which two share memory in a way that cannot be followed.
  void set_shared(std::vector<EagerRef>* shared) { shared_ = shared; }
  // What stands for a tensor outside; made when it is met for the first time.
  EagerRef StandIn(const EagerRef& value);
  // The gradient of an entry is there only in runs in which this holds.
  void SetGradWhen(const EagerValue& inside, Value when);
  // None: in all.
  Value GradWhen(const EagerValue& inside) const;
  // Values may decide the branches and loops of the code that is recorded
  // (trace/decisions.h): what only one way knows may be refused.
  void set_ways_decided(bool decided) { ways_decided_ = decided; }
  bool ways_decided() const { return ways_decided_; }
  // Forgets how it was made.
  void Detach(const EagerRef& inside);

  // ---- Traced values ----
  // A value of the graph with an identity of its own.
  EagerRef Make(Value value, const SourceLine& line, TapeEdge edge,
                bool tainted);
  // `value` is `other`, or a look into it, in some calls; and so is it what
  // that may be.
  void MayBe(EagerValue& value, const EagerRef& other,
             TraceState::Perhaps::How how);
  // Whether two may be one memory, because of what each may be.
  static bool MayShare(const EagerValue& a, const EagerValue& b);
  // Throws when what it is cannot be known.
  void CheckKnown(const EagerValue& value) const;
  // The tensor that is this value of the graph, still; or null.
  EagerRef OwnerOf(const Value& value) const {
    auto it = known_.find(value);
    bool still = it != known_.end() && it->second.owner &&
                 it->second.owner->traced->value == value;
    return still ? it->second.owner : EagerRef();
  }
  // A result shares memory with what it is a view of.
  void LookedInto(const EagerValue& view);
  // As Record, for a conditional, a loop or a call, once its results are known;
  // `flows[i]`: gradients flow through result i, if result `when[i]` says so,
  // where that is not negative.
  // `reach`, by result, says where to, where it is not empty.
  void RecordRegions(Node& node, const std::vector<bool>& flows,
                     const std::vector<int>& when,
                     const std::vector<ReachesTold>& reach,
                     const SourceLine& line);
  // target = made, and what it is a view of changes with it.
  void Write(const EagerRef& target, const EagerRef& made,
             const SourceLine& line, bool records);
  // What detach() gave gets a history of its own, that of `made`, which has its
  // elements, or had them when it was made.
  void TakeHistory(EagerValue& alone, const EagerRef& made);
  // Gives a value another one of the graph, for regions: nobody has written it.
  void Replace(EagerValue& value, Value now, TapeEdge edge);

  // ---- What only a run knows (trace/merged_flow.h) ----
  FlowWhen FlowOf(const EagerValue& value) const;
  // As one value, in the region that is open. REQUIRES: it is open.
  Value AnyOf(const FlowWhen& flow);
  WhichEntry WhichOf(const EagerValue& value) const;
  void SetWhich(const EagerValue& value, Value told);
  void NoteMerged() { merged_ = true; }
  bool merged() const { return merged_; }
  // Whether sizes say that it holds: calls in which they say otherwise get
  // another recording.
  bool HoldsForSizes(const Value& when);
  // Runs in which it does not hold fail, for the code itself to run instead.
  void TakeForGranted(const Value& when, std::string_view else_what);
  // What the gradient of a value reaches beyond the calls recorded since so
  // many values were made, with nodes in the region that is open.
  Reach ReachOf(const EagerValue& value, uint64_t since);
  // Where gradients of an entry flow to.
  TapeKey EntryKey(size_t entry) const;
  uint64_t made() const { return made_; }
  // Throws where only a run knows whether gradients flow through it.
  void CheckFlowKnown(const EagerValue& value, std::string_view what) const;

  // What to do when nothing comes of the recording: what the code has made
  // that is no part of the graph goes.
  void Undo(std::function<void()> undo) { undo_.push_back(std::move(undo)); }
  void Keep() { undo_.clear(); }
  std::vector<std::function<void()>> TakeUndo() {
    return std::exchange(undo_, {});
  }

  // ---- Random numbers (trace/random_place.h) ----
  // Not 0 while code is recorded that runs for lanes, or calls itself.
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
  // What changed since, to be undone: code of a region leaves no traces but the
  // region's results.
  struct Change {
    EagerRef value;
    Value before, history;
    TapeEdge edge;
    bool tainted;
    uint32_t seen;
    bool written;  // else a view was brought up to date
  };
  class Region {
   public:
    explicit Region(Capture* capture);
    ~Region();
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    // Values from outside that were written inside, once each, in order.
    std::vector<EagerRef> Written() const;
    // Whether it was there before.
    bool IsOutside(const EagerValue& value) const {
      return value.traced->serial <= first_;
    }
    uint64_t first() const { return first_; }
    // Its code may run again after itself.
    void SetLoops() { loops_ = true; }
    // The memory of values made here.
    std::unordered_set<const WriteLog*> OwnLogs() const;
    // Throws where calls made inside have hooks and the value, which leaves the
    // region, is made from theirs: gradients from outside go through the region
    // as a whole and meet no hook. Those taken inside did.
    void CheckHooks(const EagerValue& value, std::string_view what) const;
    // A value from outside whose gradient is another than before; or null.
    EagerRef GradChanged() const;

   private:
    friend class Capture;
    Capture* capture_;
    Region* outer_;
    std::vector<Change> changes_;
    std::vector<std::pair<EagerRef, Value>> made_;  // and as what
    std::vector<const EagerValue*> met_;            // views of tensors outside
    std::vector<std::pair<EagerRef, EagerRef>> grads_;  // and as it was
    uint64_t first_ = 0;  // values made since have greater numbers
    bool loops_ = false;
  };
  // Whether a loop is being recorded that began when so many values had been
  // made, or more.
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
  // What the view looks into, with the part it shows replaced.
  EagerRef WithPart(const EagerRef& view, const EagerRef& part,
                    const SourceLine& line);
  // Write(), once it is known who else sees it.
  void WriteInto(const EagerRef& target, const EagerRef& made,
                 const SourceLine& line, bool records);
  // Throws where what detach() gave ends with the region that is open.
  void CheckOwnHistory(const EagerValue& alone, const SourceLine& line) const;
  // In this call, and in all that what is recorded serves.
  bool HaveOneShape(const Value& a, const Value& b);
  void OrderMatters(const EagerValue& base);
  EagerRef Frozen(Value value);
  // What a view outside shows of what stands for what it looks into.
  EagerRef Replayed(const EagerValue& view, EagerRef inside);
  EagerRef InsideOfLook(const EagerRef& view);
  // A part of the gradient that tensor has, as an argument.
  EagerRef GradPart(const EagerRef& part, const EagerRef& grad_of,
                    Entry::Part which);
  Entry& AddEntry(const EagerRef& value, const PartialShape& shape,
                  std::string_view kind);

  // What the gradients of these reach, where every way there is known.
  Reach ReachOfAll(std::span<const EagerRef> roots);
  Status AddToGrad(EagerValue& leaf, EagerRef gradient, bool record);

  const std::shared_ptr<Graph> kept_graph_;
  std::vector<std::function<void()>> undo_;
  Recording* const outer_;
  Region* region_ = nullptr;
  std::unordered_set<int> calls_;
  uint64_t made_ = 0;
  std::deque<Entry> entries_;  // references to them stay good
  std::vector<GradSeen> grads_seen_;
  std::vector<Fact> facts_;
  std::vector<ElementsRead> elements_read_;
  std::shared_ptr<SizeGuards> sizes_;
  std::unordered_map<const EagerValue*, EagerRef> inside_;
  std::vector<Look> looks_;
  std::vector<EagerRef>* shared_ = nullptr;
  std::unordered_map<Value, Known, ValueHash> known_;
  std::vector<std::pair<EagerRef, Value>> values_;  // made outside of regions
  // Values that are an entry on some ways, and what says which.
  std::unordered_map<const EagerValue*, Value> which_;
  std::unordered_map<const EagerValue*, Value> grads_when_;
  // Of tensors that are unknown: what gave those that may be one of them and
  // were written.
  std::unordered_map<const EagerValue*, std::vector<const Node*>> unknown_via_;
  // When values became what others may be, and when requires_grad_() was said
  // of those: numbers that grow.
  std::unordered_map<const EagerValue*, int64_t> may_be_since_, flag_set_;
  int64_t flag_number_ = 0;
  // By numbers of nodes, which are not used again where code is taken back:
  // what AnyOf() gave, what is taken for granted, loops that sizes tell of.
  std::unordered_map<int, std::vector<Value>> any_of_;
  std::set<std::pair<int, int>> granted_;
  std::unordered_map<int, bool> goes_round_;
  bool ways_decided_ = false;
  bool merged_ = false;  // gradients flow through some values in some runs
  std::unique_ptr<TracedDevices> devices_;  // made when one is asked for
};

}  // namespace sluice
