#include "sluice/fleet/distributed.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/collective/groups.h"
#include "sluice/eager/call.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recording.h"

namespace sluice::distributed {

namespace {

using collective::ProcessGroup;

std::shared_ptr<ProcessGroup> Group(const std::string& name, Where where) {
  auto group = collective::NeedGroup(name);
  if (group.ok()) return *group;
  throw Error(group.status().WithLine(StrCat("at ", SourceLine::From(where))));
}

[[noreturn]] void Throw(const Status& status, SourceLine line) {
  throw Error(status.WithLine(StrCat("at ", line)));
}

bool Traces(const Tensor& t) { return t.traced() || Recording::Open(); }

// A tensor that a collective writes: its own memory if it is contiguous on the
// host, else a copy that is written back.
class Written {
 public:
  Written(const char* name, const Tensor& t, SourceLine line)
      : tensor_(t), line_(line) {
    if (!t.defined() || t.symbolic()) {
      Throw(FailedPrecondition(StrCat(
                "[", name, "] got ",
                t.defined() ? "a value of a graph" : "no tensor",
                "; wanted a tensor with elements, or the op in a graph")),
            line);
    }
    if (Status s = CheckWritable(name, *t.eager()); !s.ok()) Throw(s, line);
    const Array& own = t.array();
    copied_ = !own.on_host() || !own.contiguous();
    array_ = copied_ ? Read(t) : own;
  }
  // The elements of a tensor in a form that the group can send.
  static Array Read(const Tensor& t) {
    return ValueOrThrow(t.to("cpu:0").array().AsContiguous());
  }
  const Array& array() const { return array_; }
  // Stores the new elements.
  void Finish() const {
    if (copied_) {
      NoGrad off;
      tensor_.copy_(Tensor(MakeRef<EagerValue>(array_)));
      return;
    }
    WriteLog& log = tensor_.eager()->writes();
    ++log.count;
    log.last = line_;
  }

 private:
  Tensor tensor_;
  SourceLine line_;
  Array array_;
  bool copied_ = false;
};

Work Begun(collective::Work work, const Written& out, SourceLine line,
           const CollectiveOptions& options) {
  Work handle(work, [work, out, line] {
    Status status = work.Wait();
    if (!status.ok()) Throw(status, line);
    out.Finish();
  });
  if (!options.async_op || work.done()) handle.wait();
  return handle;
}

// For collectives that write no tensor.
Work Begun(const collective::Work& work, SourceLine line) {
  return Work(work, [work, line] {
    Status status = work.Wait();
    if (!status.ok()) Throw(status, line);
  });
}

// In a function being recorded: the op, and a write of its result.
Work Recorded(const char* op, const Tensor& out, const Tensor& t,
              const Attrs& attrs, Where where) {
  NoGrad off;
  Operand inputs[] = {Operand(t, where)};
  Tensor made = front_internal::CallOne(op, inputs, attrs, "", where);
  if (made.shape().rank() != out.shape().rank()) {
    throw Error(Unimplemented(StrCat("[", op, "] out is ",
                                     TypeText(out.dtype(), out.shape()),
                                     " in a captured function; wanted ",
                                     TypeText(made.dtype(), made.shape())))
                    .WithLine(StrCat("at ", SourceLine::From(where))));
  }
  out.copy_(Operand(made, where), where);
  return {};
}

Attrs ReduceAttrs(ReduceOp op, const std::string& group) {
  return {{"op", std::string(collective::ReduceName(op))}, {"group", group}};
}

}  // namespace

void init_process_group(const InitOptions& options) {
  if (collective::FindGroup(options.name)) {
    throw Error(AlreadyExists(
        StrCat("init_process_group: there is a process group \"", options.name,
               "\" already; wanted destroy_process_group() before")));
  }
  Result<std::shared_ptr<ProcessGroup>> group = fleet::MeetOthers(options);
  if (!group.ok()) {
    throw Error(
        Status(group.status().code(),
               StrCat("init_process_group: ", group.status().message())));
  }
  ThrowIfError(collective::AddGroup(*group));
}

bool new_group(const std::vector<int>& ranks, const std::string& name,
               double timeout_seconds) {
  std::shared_ptr<ProcessGroup> all = Group("world", Where::current());
  if (collective::FindGroup(name)) {
    throw Error(AlreadyExists(StrCat("new_group: there is a process group \"",
                                     name, "\" already; wanted another name")));
  }
  auto group = fleet::MeetSome(*all, ranks, name, timeout_seconds);
  if (!group.ok()) {
    throw Error(Status(group.status().code(),
                       StrCat("new_group: ", group.status().message())));
  }
  if (!*group) return false;
  ThrowIfError(collective::AddGroup(*group));
  return true;
}

bool is_initialized(const std::string& group) {
  return collective::FindGroup(group) != nullptr;
}

void destroy_process_group(const std::string& group) {
  // Pending ops can still find it.
  std::shared_ptr<ProcessGroup> found = collective::FindGroup(group);
  if (!found) return;
  (void)found->Leave();  // callers of collectives were told the cause
  (void)collective::RemoveGroup(group);
}

void abort_process_group(const std::string& why, const std::string& group,
                         Code code) {
  std::shared_ptr<ProcessGroup> found = collective::FindGroup(group);
  if (found) {
    found->Abort(Status(code, StrCat("rank ", found->rank(), ": ", why)));
  }
}

int get_rank(const std::string& group) {
  return Group(group, Where::current())->rank();
}
int get_world_size(const std::string& group) {
  return Group(group, Where::current())->size();
}
std::string flight_record(const std::string& group) {
  return Group(group, Where::current())->FlightRecord();
}

std::vector<CollectiveTime> collective_times(const std::string& group) {
  return Group(group, Where::current())->Times();
}

void Work::wait() const {
  if (finish_ && *finish_) {
    // Only once: a second wait would count as another write.
    (*finish_)();
    *finish_ = nullptr;
  }
}

Work all_reduce(const Tensor& t, ReduceOp op, const CollectiveOptions& options,
                Where where) {
  auto group = Group(options.group, where);
  if (Traces(t)) {
    return Recorded("AllReduce", t, t, ReduceAttrs(op, options.group), where);
  }
  SourceLine line = SourceLine::From(where);
  Written out("all_reduce", t, line);
  return Begun(group->AllReduce(out.array(), op, line), out, line, options);
}

Work broadcast(const Tensor& t, int src, const CollectiveOptions& options,
               Where where) {
  auto group = Group(options.group, where);
  if (Traces(t)) {
    return Recorded("BroadcastFrom", t, t,
                    {{"root", src}, {"group", options.group}}, where);
  }
  SourceLine line = SourceLine::From(where);
  Written out("broadcast", t, line);
  return Begun(group->Broadcast(out.array(), src, line), out, line, options);
}

Work all_gather_into_tensor(const Tensor& out, const Tensor& t,
                            const CollectiveOptions& options, Where where) {
  auto group = Group(options.group, where);
  if (Traces(t)) {
    return Recorded("AllGather", out, t,
                    {{"ranks", group->size()}, {"group", options.group}},
                    where);
  }
  SourceLine line = SourceLine::From(where);
  Written into("all_gather", out, line);
  return Begun(group->AllGather(Written::Read(t), into.array(), line), into,
               line, options);
}

Work reduce_scatter_tensor(const Tensor& out, const Tensor& t, ReduceOp op,
                           const CollectiveOptions& options, Where where) {
  auto group = Group(options.group, where);
  if (Traces(t)) {
    Attrs attrs = ReduceAttrs(op, options.group);
    attrs.set("ranks", group->size());
    return Recorded("ReduceScatter", out, t, attrs, where);
  }
  SourceLine line = SourceLine::From(where);
  Written into("reduce_scatter", out, line);
  return Begun(group->ReduceScatter(Written::Read(t), into.array(), op, line),
               into, line, options);
}

Work all_to_all_single(const Tensor& out, const Tensor& t,
                       const CollectiveOptions& options, Where where) {
  auto group = Group(options.group, where);
  if (Traces(t)) {
    return Recorded("AllToAll", out, t,
                    {{"ranks", group->size()}, {"group", options.group}},
                    where);
  }
  SourceLine line = SourceLine::From(where);
  Written into("all_to_all", out, line);
  return Begun(group->AllToAll(Written::Read(t), into.array(), line), into,
               line, options);
}

Work send_recv(const Tensor& out, int dst, const Tensor& in, int src,
               const CollectiveOptions& options, Tags tags, Where where) {
  auto group = Group(options.group, where);
  SourceLine line = SourceLine::From(where);
  if (Recording::Open()) {
    Throw(Unimplemented("[send_recv] in a captured function; wanted a "
                        "collective, or the call outside"),
          line);
  }
  ProcessGroup::Message sends, receives;
  if (dst >= 0) sends = {dst, Written::Read(out), tags.out};
  if (src < 0) {
    Work handle = Begun(group->SendReceive(sends, receives, line), line);
    if (!options.async_op) handle.wait();
    return handle;
  }
  Written into("recv", in, line);
  receives = {src, into.array(), tags.in};
  return Begun(group->SendReceive(sends, receives, line), into, line, options);
}

void barrier(const std::string& name, Where where) {
  begin_barrier(name, where).wait();
}

Work begin_barrier(const std::string& name, Where where) {
  auto group = Group(name, where);
  if (Recording::Open()) {
    (void)front_internal::CallOperation("GroupBarrier", {}, {{"group", name}},
                                        "", where);
    return {};
  }
  SourceLine line = SourceLine::From(where);
  return Begun(group->Barrier(line), line);
}

}  // namespace sluice::distributed
