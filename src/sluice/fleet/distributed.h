// Collectives on tensors, with the names and semantics of PyTorch's:
//
//   namespace dist = sluice::distributed;
//   dist::init_process_group();             // ranks from the environment
//   dist::all_reduce(t);                    // t of every rank: their sum
//   dist::Work w = dist::all_reduce(t, dist::ReduceOp::kSum,
//                                   {.async_op = true});
//   w.wait();
//   dist::destroy_process_group();
//
// Every rank makes the same calls, in the same order. Tensors are written in
// place, without gradient history; the op call("AllReduce", {x}) is
// differentiable. In a captured function the calls become such ops.
//
// Functions throw sluice::Error: an invalid call, or the reason why the group
// has ended (collective/process_group.h). Thread safe if the order of calls is
// the same on all ranks.
#pragma once

#include <functional>
#include <memory>
#include <source_location>
#include <string>

#include "sluice/collective/flight_recorder.h"
#include "sluice/collective/reduce_op.h"
#include "sluice/collective/work.h"
#include "sluice/eager/tensor.h"
#include "sluice/fleet/init.h"

namespace sluice::distributed {

using collective::ReduceOp;
using fleet::InitOptions;
using Where = std::source_location;

void init_process_group(const InitOptions& options = {});
// Makes a group of some ranks of "world"; all of them must call it with the
// same ranks and name. Returns false on a rank that is not in the group.
bool new_group(const std::vector<int>& ranks, const std::string& name,
               double timeout_seconds = 1800);
bool is_initialized(const std::string& group = "world");
// Waits for pending work and leaves the group. No effect if there is none.
void destroy_process_group(const std::string& group = "world");
// Ends it on all ranks, with this reason. `code`: the code of their error.
void abort_process_group(const std::string& why,
                         const std::string& group = "world",
                         Code code = Code::kAborted);
int get_rank(const std::string& group = "world");
int get_world_size(const std::string& group = "world");
// The last collectives of this rank, one line each.
std::string flight_record(const std::string& group = "world");
// When this rank arrived at each of them and when they ended. The last rank to
// arrive spends the shortest time in a collective; the others waited for the
// difference.
using collective::CollectiveTime;
std::vector<CollectiveTime> collective_times(
    const std::string& group = "world");

// A collective in progress. Its tensors have their new elements, and may be
// used, after wait().
class Work {
 public:
  Work() = default;
  Work(collective::Work work, std::function<void()> finish)
      : work_(std::move(work)),
        finish_(std::make_shared<std::function<void()>>(std::move(finish))) {}
  void wait() const;
  bool is_completed() const { return work_.done(); }

 private:
  collective::Work work_;
  std::shared_ptr<std::function<void()>> finish_;  // once, by the first wait
};

struct CollectiveOptions {
  std::string group = "world";
  bool async_op = false;  // false: returns when it has ended
};

Work all_reduce(const Tensor& t, ReduceOp op = ReduceOp::kSum,
                const CollectiveOptions& options = {},
                Where where = Where::current());
Work broadcast(const Tensor& t, int src, const CollectiveOptions& options = {},
               Where where = Where::current());
// `out` receives the elements of all ranks' t, in rank order.
Work all_gather_into_tensor(const Tensor& out, const Tensor& t,
                            const CollectiveOptions& options = {},
                            Where where = Where::current());
// `t` has one part per rank.
Work reduce_scatter_tensor(const Tensor& out, const Tensor& t,
                           ReduceOp op = ReduceOp::kSum,
                           const CollectiveOptions& options = {},
                           Where where = Where::current());
Work all_to_all_single(const Tensor& out, const Tensor& t,
                       const CollectiveOptions& options = {},
                       Where where = Where::current());
// Sends to one rank and receives from one; both calls of a pair have the same
// type, shape and tag. Two ranks that both send first wait for each other:
// send_recv does both concurrently. `in` and `out` may be empty, with a rank of
// -1.
struct Tags {
  int64_t out = 0, in = 0;
};
Work send_recv(const Tensor& out, int dst, const Tensor& in, int src,
               const CollectiveOptions& options = {}, Tags tags = {},
               Where where = Where::current());
void barrier(const std::string& group = "world",
             Where where = Where::current());
// Ends when every rank has called it.
Work begin_barrier(const std::string& group = "world",
                   Where where = Where::current());

}  // namespace sluice::distributed
