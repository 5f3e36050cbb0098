#include "distributed.h"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include "caller_line.h"
#include "errors.h"
#include "sluice/base/error.h"
#include "sluice/eager/call.h"
#include "sluice/fleet/distributed.h"
#include "sluice/fleet/reducer.h"

namespace sluice::py {

namespace {

namespace dist = sluice::distributed;
using dist::CollectiveOptions;
using fleet::Reducer;
using fleet::ReducerOptions;

dist::ReduceOp Reduction(const std::string& name) {
  return ValueOrThrow(collective::ReduceFromName(name));
}

void Init(const std::string& address, int rank, int world_size,
          const std::string& name, double timeout) {
  dist::InitOptions options;
  options.address = address;
  options.rank = rank;
  options.world_size = world_size;
  options.name = name;
  options.timeout_seconds = timeout;
  ReleaseGil released;
  dist::init_process_group(options);
}

dist::Work AllReduce(const Tensor& t, const std::string& op,
                     const std::string& group, bool async_op) {
  dist::ReduceOp how = Reduction(op);
  ReleaseGil released;
  return dist::all_reduce(t, how, {group, async_op});
}

dist::Work Broadcast(const Tensor& t, int src, const std::string& group,
                     bool async_op) {
  ReleaseGil released;
  return dist::broadcast(t, src, {group, async_op});
}

dist::Work AllGather(const Tensor& out, const Tensor& t,
                     const std::string& group, bool async_op) {
  ReleaseGil released;
  return dist::all_gather_into_tensor(out, t, {group, async_op});
}

dist::Work ReduceScatter(const Tensor& out, const Tensor& t,
                         const std::string& op, const std::string& group,
                         bool async_op) {
  dist::ReduceOp how = Reduction(op);
  ReleaseGil released;
  return dist::reduce_scatter_tensor(out, t, how, {group, async_op});
}

dist::Work AllToAll(const Tensor& out, const Tensor& t,
                    const std::string& group, bool async_op) {
  ReleaseGil released;
  return dist::all_to_all_single(out, t, {group, async_op});
}

std::unique_ptr<Reducer> MakeReducer(std::vector<Tensor> parameters,
                                     std::vector<std::string> names,
                                     const std::string& group,
                                     int64_t bucket_bytes, bool find_unused,
                                     std::vector<size_t> sparse) {
  ReducerOptions options;
  options.group = group;
  options.bucket_bytes = bucket_bytes;
  options.first_bucket_bytes =
      std::min(options.first_bucket_bytes, bucket_bytes);
  options.find_unused = find_unused;
  options.sparse = std::move(sparse);
  return std::make_unique<Reducer>(std::move(parameters), std::move(names),
                                   std::move(options));
}

void BindClasses(nb::module_& m) {
  nb::class_<dist::Work>(m, "DistWork", "A collective that was begun.")
      .def("wait",
           [](const dist::Work& w) {
             ReleaseGil released;
             w.wait();
           })
      .def("is_completed", &dist::Work::is_completed);
  nb::class_<Reducer>(m, "GradientReducer",
                      "Averages gradients over the ranks while they come.")
      .def_prop_rw(
          "sync", [](const Reducer& r) { return r.sync(); },
          [](Reducer& r, bool sync) { r.set_sync(sync); })
      .def_prop_ro("unaveraged", &Reducer::unaveraged)
      .def_prop_ro("waited", &Reducer::waited)
      .def_prop_ro("num_buckets", &Reducer::num_buckets);
  m.def("gradient_reducer", &MakeReducer, "parameters"_a, "names"_a, "group"_a,
        "bucket_bytes"_a, "find_unused"_a, "sparse"_a);
}

// Groups: creation, queries, end.
void BindGroups(nb::module_& m) {
  m.def("dist_init", &Init, "address"_a, "rank"_a, "world_size"_a, "name"_a,
        "timeout"_a);
  m.def(
      "dist_new_group",
      [](const std::vector<int>& ranks, const std::string& name,
         double timeout) {
        ReleaseGil released;
        return dist::new_group(ranks, name, timeout);
      },
      "ranks"_a, "name"_a, "timeout"_a);
  m.def("dist_is_initialized", &dist::is_initialized, "group"_a);
  m.def(
      "dist_destroy",
      [](const std::string& group) {
        ReleaseGil released;
        dist::destroy_process_group(group);
      },
      "group"_a);
  m.def(
      "dist_abort",
      [](const std::string& why, const std::string& group, bool lost) {
        dist::abort_process_group(why, group,
                                  lost ? Code::kUnavailable : Code::kAborted);
      },
      "why"_a, "group"_a, "lost"_a = false);
  m.def("dist_rank", &dist::get_rank, "group"_a);
  m.def("dist_world_size", &dist::get_world_size, "group"_a);
  m.def("dist_flight_record", &dist::flight_record, "group"_a);
  m.def(
      "dist_times",
      [](const std::string& group) {
        std::vector<std::tuple<uint64_t, int64_t, int64_t>> times;
        for (const dist::CollectiveTime& t : dist::collective_times(group)) {
          times.emplace_back(t.number, t.came, t.ended);
        }
        return times;
      },
      "group"_a);
}

void BindCollectives(nb::module_& m) {
  m.def("dist_all_reduce", &AllReduce, "t"_a, "op"_a, "group"_a, "async_op"_a);
  m.def("dist_broadcast", &Broadcast, "t"_a, "src"_a, "group"_a, "async_op"_a);
  m.def("dist_all_gather", &AllGather, "out"_a, "t"_a, "group"_a, "async_op"_a);
  m.def("dist_reduce_scatter", &ReduceScatter, "out"_a, "t"_a, "op"_a,
        "group"_a, "async_op"_a);
  m.def("dist_all_to_all", &AllToAll, "out"_a, "t"_a, "group"_a, "async_op"_a);
  m.def(
      "dist_send_recv",
      [](const Tensor* out, int dst, const Tensor* in, int src,
         const std::string& group, bool async_op, int64_t out_tag,
         int64_t in_tag) {
        ReleaseGil released;
        return dist::send_recv(out ? *out : Tensor(), dst, in ? *in : Tensor(),
                               src, {group, async_op}, {out_tag, in_tag});
      },
      "out"_a.none(), "dst"_a, "input"_a.none(), "src"_a, "group"_a,
      "async_op"_a, "out_tag"_a = 0, "in_tag"_a = 0);
  m.def(
      "dist_barrier",
      [](const std::string& group) {
        ReleaseGil released;
        return dist::begin_barrier(group);
      },
      "group"_a);
  // The ops, which are differentiable.
  m.def(
      "dist_call",
      [](const std::string& op, const std::vector<Tensor>& xs,
         const std::string& how, int64_t ranks, int64_t root,
         const std::string& group) {
        Attrs attrs{{"group", group}};
        if (!how.empty()) attrs.set("op", how);
        if (ranks > 0) attrs.set("ranks", ranks);
        if (root >= 0) attrs.set("root", root);
        std::vector<Operand> operands(xs.begin(), xs.end());
        ReleaseGil released;
        return front_internal::CallMany(op, operands, attrs, "",
                                        std::source_location::current());
      },
      "op"_a, "xs"_a, "how"_a, "ranks"_a, "root"_a, "group"_a);
}

}  // namespace

void BindDistributed(nb::module_& m) {
  BindClasses(m);
  BindGroups(m);
  BindCollectives(m);
}

}  // namespace sluice::py
