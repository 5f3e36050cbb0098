// Collectives on tensors, by the names and with the meaning of PyTorch's:
//
//   namespace dist = sluice::distributed;
//   dist::init_process_group();             // ranks from the environment
//   dist::all_reduce(t);                    // t of every rank: their sum
//   dist::Work w = dist::all_reduce(t, dist::ReduceOp::kSum,
//                                   {.async_op = true});
//   w.wait();
//   dist::destroy_process_group();
//
// Every rank calls the same, in the same order. Tensors are written in place,
// without a history for gradients; front/... call("AllReduce", {x}) is the op
// that has one. In a captured function the calls become such ops.
//
// Functions throw sluice::Error: what is wrong with a call, or why the group
// has ended (collective/process_group.h). Thread safe as far as the order of
// calls is the same on all ranks.
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
// A group of some ranks of "world", to be called by all of them with the same
// ranks and name. False on a rank that is not in it.
bool new_group(const std::vector<int>& ranks, const std::string& name,
               double timeout_seconds = 1800);
bool is_initialized(const std::string& group = "world");
// Waits for what is under way and leaves. Nothing when there is none.
void destroy_process_group(const std::string& group = "world");
// Ends it on all ranks, with this reason. `code`: what kind of error they get.
void abort_process_group(const std::string& why,
                         const std::string& group = "world",
                         Code code = Code::kAborted);
int get_rank(const std::string& group = "world");
int get_world_size(const std::string& group = "world");
// The last collectives of this rank, a line each.
std::string flight_record(const std::string& group = "world");
// When this rank came to each of them and when they ended. The last to come to
// a collective is in it for the shortest time; the others waited for it as much
// longer as they were in it.
using collective::CollectiveTime;
std::vector<CollectiveTime> collective_times(
    const std::string& group = "world");

// A collective that was begun. Its tensors have their new elements, and may be
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
// `out` has the elements of all ranks' t, one after the other.
Work all_gather_into_tensor(const Tensor& out, const Tensor& t,
                            const CollectiveOptions& options = {},
                            Where where = Where::current());
// `t` has one part for every rank.
Work reduce_scatter_tensor(const Tensor& out, const Tensor& t,
                           ReduceOp op = ReduceOp::kSum,
                           const CollectiveOptions& options = {},
                           Where where = Where::current());
Work all_to_all_single(const Tensor& out, const Tensor& t,
                       const CollectiveOptions& options = {},
                       Where where = Where::current());
// To another rank, and from one; both calls of a pair name the same type and
// shape, and the same tag. Two ranks that both send first wait for each other:
// send_recv does both at once. `in` and `out` may hold nothing, with a rank of
// -1.
struct Tags {
  int64_t out = 0, in = 0;
};
Work send_recv(const Tensor& out, int dst, const Tensor& in, int src,
               const CollectiveOptions& options = {}, Tags tags = {},
               Where where = Where::current());
void barrier(const std::string& group = "world",
             Where where = Where::current());
// Ended when every rank has come to it.
Work begin_barrier(const std::string& group = "world",
                   Where where = Where::current());

}  // namespace sluice::distributed
