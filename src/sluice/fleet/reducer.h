// Reducer: averages the gradients of a model over the ranks. While backward()
// runs, complete gradients are put into buckets, and each full bucket is
// averaged while the rest is computed. When backward() returns, the grad of
// every parameter is the average over the ranks: the gradient that one process
// would have computed for all their data.
//
// Buckets are filled in reverse order of parameters, which is roughly the order
// of arrival, and sent in the same order on every rank, whatever the order of
// arrival.
//
// Sparse gradients of large tables are not made dense: row indices and rows are
// gathered, whichever rows each rank has.
//
// Made and used by the training thread. Must be destroyed before its
// parameters' last backward().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/collective/process_group.h"
#include "sluice/eager/leaf_watch.h"

namespace sluice::fleet {

struct ReducerOptions {
  std::string group = "world";
  int64_t bucket_bytes = int64_t{25} << 20;
  // The bucket of the last layers is small, so that communication starts early.
  int64_t first_bucket_bytes = int64_t{1} << 20;
  // Parameters may have no gradient on a rank: zeros are used if another rank
  // has one. Costs one more small all_reduce per backward(). False: such a
  // parameter is an error.
  bool find_unused = false;
  // Indices of parameters with sparse gradients (Embedding, sparse=True). If
  // the gradient is dense on any rank, it is averaged like others. The same on
  // every rank.
  std::vector<size_t> sparse;
};

class Reducer final : public LeafWatch {
 public:
  // Leaves that require gradients, with names for messages. Throws: no such
  // group, a parameter that is not such a leaf, or is in another reducer.
  Reducer(std::vector<Tensor> parameters, std::vector<std::string> names,
          ReducerOptions options = {});
  ~Reducer() override;
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  // False: backward() adds this rank's gradients to grad until it is true
  // again; the next backward() then averages the total.
  void set_sync(bool sync) { sync_ = sync; }
  bool sync() const { return sync_; }
  // Whether gradients were accumulated that have not been averaged yet.
  bool unaveraged() const { return unaveraged_; }
  // Seconds that backward runs waited for other ranks after their own work:
  // communication that was not hidden.
  double waited() const { return waited_; }
  size_t num_buckets() const { return buckets_.size(); }

  bool Begin() override;
  Status Ready(size_t leaf, const Tensor& gradient) override;
  Status Finish() override;
  void GiveUp(const Status& why) override;

 private:
  struct Bucket {
    DType dtype;
    std::vector<size_t> leaves;
    std::vector<int64_t> begins;  // of each leaf, in elements
    int64_t elements = 0;
    bool sparse = false;  // of one leaf
    // State of the current run.
    Array flat;
    size_t missing = 0;
    collective::Work work;
    bool sent = false;
    Tensor rows;   // sparse, this rank's rows; undefined: none
    Array counts;  // number of rows, by rank
  };
  struct Place {
    size_t bucket, slot;
  };

  void MakeBuckets();
  Status Put(size_t leaf, const Array& gradient);
  Status PutRows(size_t leaf, const Tensor& gradient);
  Status SendFull();
  Status SendCount(Bucket& b);
  Status TakeAverages(const std::vector<uint8_t>& used);
  // The average of a leaf's sparse gradients; row counts are known.
  Result<Tensor> AverageRows(Bucket& b);
  Status FindUsed(std::vector<uint8_t>* used);
  Status NameUnused() const;

  const std::vector<Tensor> parameters_;
  const std::vector<std::string> names_;
  const ReducerOptions options_;
  const std::shared_ptr<collective::ProcessGroup> group_;
  bool sync_ = true, unaveraged_ = false;
  double waited_ = 0;
  std::vector<Bucket> buckets_;
  std::vector<Place> places_;  // by leaf
  // State of the current run.
  SourceLine line_;          // of backward()
  bool own_before_ = false;  // grads may hold this rank's unaveraged sums
  std::vector<bool> ready_;
  size_t next_ = 0;  // the next bucket to send
};

}  // namespace sluice::fleet
