// Reducer: the gradients of a model as those of all ranks. While backward()
// runs, gradients that are complete go into buckets, and each full bucket is
// averaged over the ranks while the rest is computed. When backward() returns,
// the grad of every parameter is the average of what the ranks had: what one
// process would have had for all their data.
//
// Buckets are filled in the reverse order of parameters, which is about the
// order gradients come in, and sent in one order on every rank, whatever the
// order of arrival.
//
// Rows of large tables are not made dense: their numbers and elements are
// gathered, whichever rows each rank has.
//
// Made and used by the thread that trains. Ends before its parameters' last
// backward().
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
  // The bucket of the last layers is small, so that something is under way
  // soon.
  int64_t first_bucket_bytes = int64_t{1} << 20;
  // Parameters may have no gradient on a rank: zeros take their place where
  // another rank has one. Costs one more small all_reduce per backward().
  // False: such a parameter is an error.
  bool find_unused = false;
  // Numbers of parameters whose gradients are rows (Embedding, sparse=True).
  // Where they are not, on any rank, they are averaged as others are. The same
  // on every rank.
  std::vector<size_t> sparse;
};

class Reducer final : public LeafWatch {
 public:
  // Leaves that require gradients, with names for messages. Throws: no such
  // group, a parameter that is no such leaf or is in another reducer.
  Reducer(std::vector<Tensor> parameters, std::vector<std::string> names,
          ReducerOptions options = {});
  ~Reducer() override;
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  // False: backward() adds to grad what this rank has, until it is true again;
  // the next one then averages all of it.
  void set_sync(bool sync) { sync_ = sync; }
  bool sync() const { return sync_; }
  // Whether something was added up that has not been averaged yet.
  bool unaveraged() const { return unaveraged_; }
  // Seconds that runs have waited for other ranks when their own part was
  // done: communication that nothing hid.
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
    // Of the run.
    Array flat;
    size_t missing = 0;
    collective::Work work;
    bool sent = false;
    Tensor rows;   // sparse, this rank's; undefined: none
    Array counts;  // of rows, by rank
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
  // The average of a leaf whose ranks said how many rows they have.
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
  // Of the run.
  SourceLine line_;          // of backward()
  bool own_before_ = false;  // grads may hold what this rank alone added up
  std::vector<bool> ready_;
  size_t next_ = 0;  // bucket to be sent
};

}  // namespace sluice::fleet
