// Trace: one recording of a user's function (front/function.h): the graph its
// code made, the program that runs it, and what the code does to the tensors
// around it.
//
// Made under the function's lock; then shared with calls that run, any number
// at a time, and with recorded calls, which ask for gradients. Apart from what
// is guarded it does not change.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/eager/rows.h"
#include "sluice/session/local_master.h"
#include "sluice/trace/argument_look.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/decisions.h"
#include "sluice/trace/function_core.h"
#include "sluice/trace/task_runs.h"

namespace sluice::front_internal {

// What of the arguments, and of the way the function is called, decides which
// trace serves.
struct Signature {
  struct Arg {
    DType dtype;
    int rank;
    bool requires_grad = false, leaf = true;
    int same_as = -1;  // given twice: the number of the first
    Memory* memory = nullptr;
    bool operator==(const Arg&) const = default;
  };
  std::vector<Arg> args;
  bool records = true;  // calls are recorded for gradients
  // There are devices besides the host: to() asks for nothing where there are
  // none.
  bool several_devices = false;
  DType autocast = DType::kInvalid;   // eager/autocast.h
  DType default_float = DType::kF32;  // eager/default_float.h
  std::string task;  // whose scope the call is in; empty: none's
  bool operator==(const Signature&) const = default;
  // The same without a list of one's own: most calls find their trace.
  bool Is(const std::vector<Tensor>& tensors) const;
};

Signature SignatureOf(const std::vector<Tensor>& args);

// Why a recording whose signature fits does not serve a call.
enum class Misfit : uint8_t {
  kNone,
  kMode,          // a fact that was read: a module's mode
  kElements,      // of a tensor, read while it was recorded
  kRequiresGrad,  // of a tensor around the function
  kHooks,
  kMoved,      // a tensor has other memory since (data)
  kAliases,    // tensors share memory and did not, or did
  kOrder,      // elements lie in another order, which mattered
  kGradients,  // a gradient is there and was not, or was
};
// For the ledger.
std::string_view MisfitText(Misfit misfit);
std::string Text(const Signature::Arg& arg);  // "f32[?,?]"

// The gradients of some values of the trace's graph with respect to others, as
// another program on the same graph: what flows into the values is fed, too,
// and what it is computed from is computed again.
struct TraceGradient {
  std::vector<Value> ys;     // what was asked for
  std::vector<bool> wants;   // of what is fed, with respect to what
  bool records = false;      // `from` is told
  std::vector<Value> flows;  // what is fed beside, one for each y
  std::vector<Value> found;  // one for each that is fed, where there is one
  // By what is fed, of a sparse gradient: the indices of the rows that `found`
  // then is. They come back after all of those.
  std::vector<Value> rows;
  std::vector<bool> reads;  // of what is fed, whether elements matter
  // Whether gradients of it flow through calls the function itself has made:
  // imperatively, backward() through it uses up those, too.
  bool through_calls = false;
  // By what is fed: whether, and when one of which of `told`, a gradient is
  // there at all. `told` comes back after what was found.
  struct There {
    bool always = false;
    std::vector<size_t> when{};
  };
  std::vector<There> there;
  // By what was found, and of that by what is fed, flows and `more` included:
  // whether it is made from that in a way that gradients of it flow.
  std::vector<std::vector<There>> from;
  std::vector<Value> told;
  // Tensors around that code run for the gradient reads beside, fed last.
  std::vector<EagerRef> more;
  std::vector<Value> more_args;
  // All that is fed and fetched, in the program's order.
  std::vector<Value> feeds, fetches;
  std::shared_ptr<Program> program;
  std::function<bool()> holds;  // null: always
};

// One recording. What is fed: the arguments, then what was captured. What comes
// back: results, then what was written, then gradients.
struct Trace {
  FunctionCore::VariantRef variant;
  std::shared_ptr<const void> note;
  Signature signature;
  TraceInfo info;
  std::shared_ptr<Graph> graph;
  std::unique_ptr<LocalMaster> master;
  std::shared_ptr<Program> program;
  // Set: it names tasks of a cluster, and runs there.
  std::unique_ptr<TaskRuns> tasks;
  // What a step gives and does, in the program's order.
  std::vector<Value> fetches;
  std::vector<Node*> targets;

  // A tensor outside: an argument, which differs from call to call, or one that
  // was captured.
  struct Source {
    EagerRef value;  // null: an argument
    // Set: the gradient that source has now is fed instead.
    int64_t grad_of = -1;
    Capture::Entry::Part part = Capture::Entry::Part::kWhole;
    // Set: gradients flow to it from here alone, not from what was fed.
    Value tracked_from{};
    bool overwritten = false;  // its new elements may be written over it
    bool requires_grad = false, leaf = true;
    bool contiguous = true, order_matters = false;
    int hooks = 0;       // registered so far
    EagerRef same{};     // an argument that must be this tensor: it is captured
    uint32_t moved = 0;  // how often it had been given other memory
  };
  std::vector<Source> sources;
  size_t num_args = 0;
  const EagerRef& TensorAt(size_t source,
                           const std::vector<Tensor>& args) const;
  const Array& ArrayAt(size_t source, const std::vector<Tensor>& args) const;
  // A run with these is over soon.
  bool IsShort(const std::vector<Tensor>& args) const;

  struct GradSeen {
    size_t source;
    Capture::GradSeen then;
  };
  std::vector<GradSeen> grads_seen;
  std::vector<Capture::Fact> facts;
  // Elements of tensors around that were read, with a checksum of them all:
  // writes of who shares their memory are not counted.
  struct ElementsRead {
    Capture::ElementsRead then;
    uint32_t sum;
    bool Still() const;
  };
  std::vector<ElementsRead> elements_read;
  std::shared_ptr<SizeGuards> sizes;  // what the code decided by
  // It draws random numbers apart from the generator's.
  bool random = false;
  // Which source stands for the generator, and how often the code draws from
  // it, or which of what comes back is where it leaves it.
  int64_t place = -1;
  int64_t draws = 0, place_fetch = -1;
  bool acts = false;     // it is seen elsewhere: prints, queues
  bool few_ops = false;  // which compute, and do nothing else
  bool waits = false;    // for a queue, say, which other calls may fill
  std::atomic<int64_t> calls{0};
  // What the code decided by values, and what says whether it comes out alike.
  bool by_values = false, once = false;
  std::vector<Decisions::One> decisions;
  std::shared_ptr<Program> decider;

  // A result: something the program gives or a tensor outside, or a look into
  // one of them.
  struct Step {
    ViewStep how;
    std::vector<size_t> others;  // which of what comes back
    // What detach() gave: which of those there are, as other results look into
    // the same one, and which of what comes back says its history; or neither.
    int64_t alone = -1, history = -1;
    bool leaf = false;  // and the code has made it a leaf
  };
  struct Returned {
    int64_t source = -1;
    size_t fetch = 0;
    std::vector<Step> steps;
    SourceLine line{};           // where the code made it
    bool records = true;         // the steps are, for gradients
    bool flows = false;          // gradients flow through the look
    bool requires_grad = false;  // the code has made the look a leaf
    int64_t grad = -1;           // of what comes back: the gradient it has
  };
  std::vector<Returned> returned;
  size_t num_alone = 0;
  // The gradient of what comes back flows through the look that is a result:
  // imperatively, backward() uses that up.
  struct Through {
    size_t fetch, returned;
  };
  std::vector<Through> through;
  // What comes back, and whether gradients flow through it; `over`: backward()
  // has been there while the function ran.
  // Where only a run knows whether, or whether it is a tensor around the
  // function (trace/merged_flow.h): which of `told` says so.
  struct Fetched {
    Value value;
    bool flows = false, over = false;
    bool leaf = false;  // the code has made it one that requires gradients
    int64_t when = -1, which = -1;
    // Which sources its gradient reaches, and in which runs; none: in all.
    // Not said where it reaches something else.
    bool reach_said = false;
    std::vector<std::pair<size_t, Value>> reach{};
  };
  std::vector<Fetched> fetched;
  // Of a recorded call, by fetch: which of its outputs it is; -1 for none.
  std::vector<int> outputs;
  int num_outputs = 0;
  std::vector<Value> told;  // come back after what was fetched
  // What imperative code would keep for the gradient of a result, of a tensor
  // around the function or of what it hands out: neither may be written before.
  struct Kept {
    size_t fetch;     // whose gradient
    int64_t source;   // of what; negative: of what comes back
    size_t returned;  // then this one
    std::string before, type, after;
  };
  std::vector<Kept> kept;
  // By result, what the code itself has overwritten of that; empty: nothing.
  std::vector<std::string> overwritten;
  // By two outputs: whether no call of the code is on the way to both. Empty
  // where that is so of none.
  std::vector<std::vector<bool>> made_apart;
  struct Landing {
    size_t source, fetch;
    bool grad;
    bool rows = false;   // two results: indices and values
    int64_t when = -1;   // of `told`: whether there is a gradient in this run
    bool moved = false;  // it is given other memory
  };
  std::vector<Landing> landings;
  // Tensors around that are looks into others, and what the code makes of
  // whether they require gradients; they did not. Of what detach() gave: which
  // of what comes back says the history that the code gives it.
  struct Look {
    EagerRef tensor;
    bool requires_grad;
    int64_t history = -1;
    int64_t argument = -1;  // not negative: it is that one
  };
  std::vector<Look> looks;
  std::vector<ArgumentLook> argument_looks;
  std::vector<size_t> cleared;                 // whose gradient is taken away
  std::vector<std::pair<size_t, bool>> flags;  // requires_grad, set
  // Gradients the code replaces or clears without a look at them: they go
  // before the plan runs, which may need the memory.
  std::vector<size_t> dropped;
  std::vector<Value> feeds;

  // Runs the code once, with tensors of a new graph. Throws what it throws.
  struct How {
    bool by_values = false;
    // Arguments that are looks into other tensors, and where to note which
    // would have to be (trace/argument_look.h).
    const std::vector<const EagerValue*>& looks;
    std::vector<EagerRef>* shared;
  };
  static std::shared_ptr<Trace> Record(const FunctionCore::VariantRef& variant,
                                       const std::string& name,
                                       const std::vector<Tensor>& args,
                                       std::source_location where,
                                       const How& how);

  // A step of the function, and one of a gradient of it: here, or on the tasks
  // it names. Feeds may be given up to it.
  Status RunStep(std::span<Array> arrays, const RunOptions& options,
                 ArrayList* results);
  Status RunStep(const TraceGradient& gradient, std::span<Array> arrays,
                 const RunOptions& options, ArrayList* results);

  // Built when it is asked for. `records`: gradients of it may be asked for.
  Result<TraceGradient> Gradient(const std::vector<Value>& ys,
                                 const std::vector<Value>& fed,
                                 const std::vector<bool>& wants, bool records);

  // What the code has made that is no part of the graph, as slots of an
  // optimizer: it goes when the first run fails, and the trace with it. Empty
  // after that.
  std::vector<std::function<void()>> undo;

  // Calls change tensors around the function, or read what other calls change
  // there: one after the other.
  bool takes_turns() const {
    return !landings.empty() || !dropped.empty() || !cleared.empty() ||
           !flags.empty() || !looks.empty() || !grads_seen.empty();
  }

  // What the code saw of the tensors around it is as it was.
  bool Fits(const std::vector<Tensor>& args) const {
    return MisfitOf(args) == Misfit::kNone;
  }
  Misfit MisfitOf(const std::vector<Tensor>& args) const;
  // The first value that decides otherwise than it did, for the ledger; empty
  // when there is none. Asked last: it computes.
  std::string OtherWay(const std::vector<Tensor>& args) const;

 private:
  Misfit OutsideMisfit(const std::vector<Tensor>& args) const;
  Misfit ArgumentMisfit(const std::vector<Tensor>& args) const;
  bool WritesAreSeenElsewhere(const std::vector<Tensor>& args) const;
  bool IsLook(size_t source) const;
  // The parts of Gradient. Returns a gradient that was built before and still
  // holds, or null.
  Result<const TraceGradient*> KnownGradient(const std::vector<Value>& ys,
                                             const std::vector<bool>& wants,
                                             bool records) const
      SL_REQUIRES(mu_);
  // Adds the nodes to the graph; sets the feeds, and the fetches except `told`.
  Status AddGradient(const std::vector<Value>& fed, TraceGradient& made)
      SL_REQUIRES(mu_);
  // Tells `capture` what stands for the tensors around the function. One that
  // was an argument, too, is the argument in every call.
  void KnowSources(Capture& capture) const;
  Status AddFlows(TraceGradient& made);
  // Returns the values with respect to which the gradients are.
  Result<std::vector<Value>> FindGradients(const std::vector<Value>& fed,
                                           TraceGradient& made);
  void SayWhatIsThere(TraceGradient& gradient) const SL_REQUIRES(mu_);
  Status SayWhatFrom(TraceGradient& gradient, std::vector<Value> fed);
  // Where gradients of what is fed begin.
  Value TrackedFrom(size_t i, const Value& fed) const {
    bool other = i < sources.size() && sources[i].tracked_from;
    return other ? sources[i].tracked_from : fed;
  }
  // In which runs one of these holds: none of them, or what comes back.
  static void Say(TraceGradient& gradient, TraceGradient::There& there,
                  const Value& when);

  Mutex mu_;
  std::vector<TraceGradient> gradients_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::front_internal
