// Trace: one recording of a user's function (front/function.h): the graph its
// code made, the program that runs it, and its effects on tensors outside.
//
// Made under the function's lock, then shared by any number of concurrent calls
// and by recorded calls, which ask for gradients. Immutable except for the
// guarded members.
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

// What selects a trace: properties of the arguments and the modes under which
// the function is called.
struct Signature {
  struct Arg {
    DType dtype;
    int rank;
    bool requires_grad = false, leaf = true;
    int same_as = -1;  // given twice: the index of the first
    Memory* memory = nullptr;
    bool operator==(const Arg&) const = default;
  };
  std::vector<Arg> args;
  bool records = true;  // calls are recorded for gradients
  // There are devices besides the host. Without any, to() records nothing.
  bool several_devices = false;
  DType autocast = DType::kInvalid;   // eager/autocast.h
  DType default_float = DType::kF32;  // eager/default_float.h
  std::string task;  // task of the enclosing scope; empty: none
  bool operator==(const Signature&) const = default;
  // Whether `tensors` match, without building a Signature: most calls find
  // their trace this way.
  bool Is(const std::vector<Tensor>& tensors) const;
};

Signature SignatureOf(const std::vector<Tensor>& args);

// Why a trace whose signature matches is not valid for a call.
enum class Misfit : uint8_t {
  kNone,
  kMode,          // a fact that was read, e.g. a module's mode
  kElements,      // of a tensor, read during the recording
  kRequiresGrad,  // of a tensor outside the function
  kHooks,
  kMoved,      // a tensor was given other memory (data)
  kAliases,    // tensors now share memory, or no longer do
  kOrder,      // the memory order of elements differs, and mattered
  kGradients,  // a gradient is now present, or now missing
};
// For the ledger.
std::string_view MisfitText(Misfit misfit);
std::string Text(const Signature::Arg& arg);  // "f32[?,?]"

// The gradients of some values of the trace's graph with respect to others, as
// a separate program on the same graph. It is fed the incoming gradients too,
// and recomputes the intermediate values.
struct TraceGradient {
  std::vector<Value> ys;     // of which gradients are taken
  std::vector<bool> wants;   // by feed: whether its gradient is wanted
  bool records = false;      // `from` is filled in
  std::vector<Value> flows;  // incoming gradients, fed as well, one for each y
  std::vector<Value> found;  // one for each feed, where there is a gradient
  // By feed, for a sparse gradient: the indices of its rows; `found` then holds
  // the values. Fetched after all of `found`.
  std::vector<Value> rows;
  std::vector<bool> reads;  // by feed, whether its elements are read
  // Gradients of this gradient flow through calls that the function itself has
  // made. In imperative code, backward() through it uses up those too.
  bool through_calls = false;
  // By feed: whether a gradient exists at all: always, or in runs in which one
  // of these values of `told` holds. `told` is fetched after `found`.
  struct There {
    bool always = false;
    std::vector<size_t> when{};
  };
  std::vector<There> there;
  // By gradient found, then by feed (including flows and `more`): whether the
  // gradient depends on the feed in a way that gradients flow.
  std::vector<std::vector<There>> from;
  std::vector<Value> told;
  // Tensors outside that the code of a custom gradient also reads, fed last.
  std::vector<EagerRef> more;
  std::vector<Value> more_args;
  // All feeds and fetches, in the program's order.
  std::vector<Value> feeds, fetches;
  std::shared_ptr<Program> program;
  std::function<bool()> holds;  // null: always
};

// One recording. The feeds are the arguments, then the captured tensors. The
// fetches are results, then written tensors, then gradients.
struct Trace {
  FunctionCore::VariantRef variant;
  std::shared_ptr<const void> note;
  Signature signature;
  TraceInfo info;
  std::shared_ptr<Graph> graph;
  std::unique_ptr<LocalMaster> master;
  std::shared_ptr<Program> program;
  // Set: the function names tasks of a cluster and runs there.
  std::unique_ptr<TaskRuns> tasks;
  // The fetches and targets of a step, in the program's order.
  std::vector<Value> fetches;
  std::vector<Node*> targets;

  // A feed: an argument, which differs from call to call, or a captured tensor.
  struct Source {
    EagerRef value;  // null: an argument
    // Not negative: the current gradient of that source is fed instead.
    int64_t grad_of = -1;
    Capture::Entry::Part part = Capture::Entry::Part::kWhole;
    // Set: gradients flow to it from this value only, not from the fed one.
    Value tracked_from{};
    bool overwritten = false;  // its new elements may be stored over it
    bool requires_grad = false, leaf = true;
    bool contiguous = true, order_matters = false;
    int hooks = 0;       // registered when recorded
    EagerRef same{};     // an argument that must be this captured tensor
    uint32_t moved = 0;  // how often it had been given other memory
  };
  std::vector<Source> sources;
  size_t num_args = 0;
  const EagerRef& TensorAt(size_t source,
                           const std::vector<Tensor>& args) const;
  const Array& ArrayAt(size_t source, const std::vector<Tensor>& args) const;
  // A run with these arguments takes little time.
  bool IsShort(const std::vector<Tensor>& args) const;

  struct GradSeen {
    size_t source;
    Capture::GradSeen then;
  };
  std::vector<GradSeen> grads_seen;
  std::vector<Capture::HistorySeen> histories_seen;
  std::vector<Capture::Fact> facts;
  // Elements of captured tensors that were read, with a checksum: writes
  // through tensors that share their memory are not counted.
  struct ElementsRead {
    Capture::ElementsRead then;
    uint32_t sum;
    bool Still() const;
  };
  std::vector<ElementsRead> elements_read;
  std::shared_ptr<SizeGuards> sizes;  // size guards
  // It draws random numbers that do not come from the generator's stream.
  bool random = false;
  // The source that represents the generator, and either the number of draws or
  // the fetch that holds the generator's final position.
  int64_t place = -1;
  int64_t draws = 0, place_fetch = -1;
  bool acts = false;     // it has visible effects: prints, queues
  bool few_ops = false;  // all of which only compute
  bool waits = false;    // e.g. for a queue that other calls may fill
  std::atomic<int64_t> calls{0};
  // Decisions by value, and the program that checks whether they still hold.
  bool by_values = false, once = false;
  std::vector<Decisions::One> decisions;
  std::shared_ptr<Program> decider;

  // A result: a fetch, a tensor outside, or a view of one of them.
  struct Step {
    ViewStep how;
    std::vector<size_t> others;  // fetches that it also reads
    // For detach(): the index of the detached value, which several results may
    // view, and the fetch that holds its history; negative: neither.
    int64_t alone = -1, history = -1;
    bool leaf = false;  // and the code has made it a leaf
  };
  struct Returned {
    int64_t source = -1;
    size_t fetch = 0;
    std::vector<Step> steps;
    SourceLine line{};           // where the code made it
    bool records = true;         // the steps are recorded for gradients
    bool flows = false;          // gradients flow through the view
    bool requires_grad = false;  // the code has made the view a leaf
    int64_t grad = -1;           // the fetch that is its gradient
  };
  std::vector<Returned> returned;
  size_t num_alone = 0;
  // The gradient of a fetch that flows through a returned view: in imperative
  // code, backward() uses up that view.
  struct Through {
    size_t fetch, returned;
  };
  std::vector<Through> through;
  // One fetch, and whether gradients flow through it. `over`: backward() passed
  // through it while the function ran. Where only a run decides whether
  // gradients flow, or whether the result is a tensor outside the function
  // (trace/merged_flow.h), `when` and `which` are indices into `told`.
  struct Fetched {
    Value value;
    bool flows = false, over = false;
    bool leaf = false;  // the code has made it require gradients
    int64_t when = -1, which = -1;
    // The sources its gradient reaches, with the value that holds in those runs
    // (none: in all). Not filled in if it reaches anything else.
    bool reach_said = false;
    std::vector<std::pair<size_t, Value>> reach{};
  };
  std::vector<Fetched> fetched;
  // By fetch, for a recorded call: its output index; -1 for none.
  std::vector<int> outputs;
  int num_outputs = 0;
  std::vector<Value> told;  // fetched after `fetched`
  // What imperative code would keep for the gradient of a result: the elements
  // of a tensor outside or of something the function returns. Neither may be
  // written before that gradient is taken.
  struct Kept {
    size_t fetch;     // whose gradient
    int64_t source;   // the kept source; negative: a fetch
    size_t returned;  // that fetch
    std::string before, type, after;
  };
  std::vector<Kept> kept;
  // By result: what the code itself overwrote of it; empty: nothing.
  std::vector<std::string> overwritten;
  // By pair of outputs: whether no call of the code contributes to both. Empty
  // if every pair has one in common.
  std::vector<std::vector<bool>> made_apart;
  struct Landing {
    size_t source, fetch;
    bool grad;
    bool rows = false;   // two results: indices and values
    int64_t when = -1;   // of `told`: whether this run has a gradient
    bool moved = false;  // it is given other memory
  };
  std::vector<Landing> landings;
  // Captured tensors that are views and did not require gradients: the flag
  // that the code gives them. For detach(): the fetch that holds the history
  // that the code gives it.
  struct Look {
    EagerRef tensor;
    bool requires_grad;
    int64_t history = -1;
    int64_t argument = -1;  // its index if it is an argument
  };
  std::vector<Look> looks;
  std::vector<ArgumentLook> argument_looks;
  std::vector<size_t> cleared;  // sources whose gradient is removed
  std::vector<std::pair<size_t, bool>> flags;  // requires_grad, set
  // Gradients that the code replaces or clears without reading them. They are
  // released before the plan runs, which may need the memory.
  std::vector<size_t> dropped;
  std::vector<Value> feeds;

  // Runs the code once with tensors of a new graph. Throws what it throws.
  struct How {
    bool by_values = false;
    // Arguments that are views of other tensors, and where to record further
    // tensors that must be (trace/argument_look.h).
    const std::vector<const EagerValue*>& looks;
    std::vector<EagerRef>* shared;
  };
  static std::shared_ptr<Trace> Record(const FunctionCore::VariantRef& variant,
                                       const std::string& name,
                                       const std::vector<Tensor>& args,
                                       std::source_location where,
                                       const How& how);

  // Runs a step of the function, or of a gradient of it, in this process or on
  // the tasks it names. Feeds may be handed over to it.
  Status RunStep(std::span<Array> arrays, const RunOptions& options,
                 ArrayList* results);
  Status RunStep(const TraceGradient& gradient, std::span<Array> arrays,
                 const RunOptions& options, ArrayList* results);

  // Built on demand. `records`: its own gradients may be requested.
  Result<TraceGradient> Gradient(const std::vector<Value>& ys,
                                 const std::vector<Value>& fed,
                                 const std::vector<bool>& wants, bool records);

  // Removes what the code has made outside the graph, such as slots of an
  // optimizer. Run when the first run fails, together with dropping the trace;
  // empty after the first run.
  std::vector<std::function<void()>> undo;

  // Calls must run one after another, because they change tensors outside the
  // function or read what other calls change there.
  bool takes_turns() const {
    return !landings.empty() || !dropped.empty() || !cleared.empty() ||
           !flags.empty() || !looks.empty() || !grads_seen.empty();
  }

  // Whether the state that the code saw of tensors outside is unchanged.
  bool Fits(const std::vector<Tensor>& args) const {
    return MisfitOf(args) == Misfit::kNone;
  }
  Misfit MisfitOf(const std::vector<Tensor>& args) const;
  // Describes the first decision by value that comes out differently; empty
  // when none does. Checked last, because it computes.
  std::string OtherWay(const std::vector<Tensor>& args) const;

 private:
  Misfit OutsideMisfit(const std::vector<Tensor>& args) const;
  Misfit ArgumentMisfit(const std::vector<Tensor>& args) const;
  bool WritesAreSeenElsewhere(const std::vector<Tensor>& args) const;
  bool IsLook(size_t source) const;
  // The parts of Gradient. Returns a gradient that was built before and is
  // still valid, or null.
  Result<const TraceGradient*> KnownGradient(const std::vector<Value>& ys,
                                             const std::vector<bool>& wants,
                                             bool records) const
      SL_REQUIRES(mu_);
  // Adds the nodes to the graph; sets the feeds, and the fetches except `told`.
  Status AddGradient(const std::vector<Value>& fed, TraceGradient& made)
      SL_REQUIRES(mu_);
  // Registers with `capture` the values fed for tensors outside the function. A
  // captured tensor that was also an argument is that argument in every call.
  void KnowSources(Capture& capture) const;
  Status AddFlows(TraceGradient& made);
  // Returns the values with respect to which gradients are taken.
  Result<std::vector<Value>> FindGradients(const std::vector<Value>& fed,
                                           TraceGradient& made);
  void SayWhatIsThere(TraceGradient& gradient) const SL_REQUIRES(mu_);
  Status SayWhatFrom(TraceGradient& gradient, std::vector<Value> fed);
  // The value at which gradients of a feed begin.
  Value TrackedFrom(size_t i, const Value& fed) const {
    bool other = i < sources.size() && sources[i].tracked_from;
    return other ? sources[i].tracked_from : fed;
  }
  // Adds the runs in which `when` holds to `there`; `when` joins `told` unless
  // it is already there.
  static void Say(TraceGradient& gradient, TraceGradient::There& there,
                  const Value& when);

  Mutex mu_;
  std::vector<TraceGradient> gradients_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::front_internal
