#include "sluice/fleet/reducer.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "sluice/base/clock.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/collective/groups.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/rows.h"

namespace sluice::fleet {

Reducer::Reducer(std::vector<Tensor> parameters, std::vector<std::string> names,
                 ReducerOptions options)
    : parameters_(std::move(parameters)),
      names_(std::move(names)),
      options_(std::move(options)),
      group_(ValueOrThrow(collective::NeedGroup(options_.group))) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i];
    if (!p.symbolic() && p.is_leaf() && p.requires_grad()) continue;
    throw Error(
        InvalidArgument(StrCat("data parallel: parameter \"", names_[i],
                               "\" is ", TypeText(p.dtype(), p.shape()),
                               "; wanted leaves that require gradients")));
  }
  MakeBuckets();
  ThrowIfError(WatchLeaves(parameters_, this));
}

Reducer::~Reducer() { UnwatchLeaves(this); }

void Reducer::MakeBuckets() {
  places_.resize(parameters_.size());
  std::vector<bool> sparse(parameters_.size());
  for (size_t leaf : options_.sparse) sparse.at(leaf) = true;
  std::map<DType, size_t> open;  // the bucket being filled
  bool first = true;
  for (size_t i = parameters_.size(); i-- > 0;) {
    const Array& x = parameters_[i].array();
    if (sparse[i]) {
      places_[i] = {buckets_.size(), 0};
      Bucket& b = buckets_.emplace_back();
      b.dtype = x.dtype();
      b.leaves = {i};
      b.begins = {0};
      b.elements = x.num_elements();
      b.sparse = true;
      continue;
    }
    int64_t most = first ? options_.first_bucket_bytes : options_.bucket_bytes;
    auto it = open.find(x.dtype());
    if (it == open.end()) {
      it = open.emplace(x.dtype(), buckets_.size()).first;
      buckets_.emplace_back().dtype = x.dtype();
    }
    Bucket& b = buckets_[it->second];
    places_[i] = {it->second, b.leaves.size()};
    b.leaves.push_back(i);
    b.begins.push_back(b.elements);
    b.elements += x.num_elements();
    if (b.elements * DTypeSize(b.dtype) >= most) {
      open.erase(it);
      first = false;
    }
  }
}

bool Reducer::Begin() {
  if (group_->size() == 1) return false;
  own_before_ = unaveraged_;
  unaveraged_ = true;  // until it is averaged
  if (!sync_) return false;
  line_ = SourceLine::From(std::source_location::current());
  ready_.assign(parameters_.size(), false);
  next_ = 0;
  for (Bucket& b : buckets_) {
    b.flat = {};
    b.missing = b.leaves.size();
    b.sent = false;
    b.work = {};
    b.rows = {};
    b.counts = {};
  }
  return true;
}

Status Reducer::Ready(size_t leaf, const Tensor& gradient) {
  NoGrad off;
  // Including the gradients accumulated locally.
  if (buckets_[places_[leaf].bucket].sparse) {
    Tensor whole = gradient;
    if (Tensor before = parameters_[leaf].grad(); before.defined()) {
      whole = AddGradients(before, whole);
    }
    ready_[leaf] = true;
    SL_RETURN_IF_ERROR(PutRows(leaf, whole));
    return SendFull();
  }
  Tensor whole = gradient.to_dense();
  if (Tensor before = parameters_[leaf].grad(); before.defined()) {
    SL_ASSIGN_OR_RETURN(EagerRef sum,
                        AddGradients(before.to_dense().eager(), whole.eager(),
                                     /*record=*/false));
    whole = Tensor(std::move(sum));
  }
  ready_[leaf] = true;
  SL_RETURN_IF_ERROR(Put(leaf, whole.to("cpu:0").array()));
  return SendFull();
}

Status Reducer::Put(size_t leaf, const Array& gradient) {
  auto [bucket, slot] = places_[leaf];
  Bucket& b = buckets_[bucket];
  if (!b.flat) {
    const int64_t sizes[] = {b.elements};
    SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(sizes));
    SL_ASSIGN_OR_RETURN(b.flat, Array::Make(b.dtype, shape));
  }
  const Shape& shape = parameters_[leaf].array().shape();
  Array into =
      Array::View(b.flat, b.begins[slot], shape, ContiguousStrides(shape));
  if (gradient) {
    into.CopyFrom(gradient);
  } else if (into.bytes() > 0) {
    std::memset(into.mutable_raw(), 0, static_cast<size_t>(into.bytes()));
  }
  --b.missing;
  return OkStatus();
}

Status Reducer::SendFull() {
  while (next_ < buckets_.size() && buckets_[next_].missing == 0) {
    Bucket& b = buckets_[next_++];
    if (b.sparse) {
      SL_RETURN_IF_ERROR(SendCount(b));
      continue;
    }
    b.work = group_->AllReduce(b.flat, collective::ReduceOp::kAvg, line_);
    b.sent = true;
    // Report an error as soon as it is known, not only at the end.
    if (b.work.done()) SL_RETURN_IF_ERROR(b.work.status());
  }
  return OkStatus();
}

Status Reducer::NameUnused() const {
  std::vector<std::string> unused;
  for (size_t i = 0; i < ready_.size(); ++i) {
    if (!ready_[i] && unused.size() < 5) unused.push_back(names_[i]);
  }
  auto count = std::count(ready_.begin(), ready_.end(), false);
  return FailedPrecondition(
      StrCat("data parallel: backward() on rank ", group_->rank(), " of ",
             group_->size(), " gave ", count, " of ", ready_.size(),
             " parameters no gradient: ", Join(unused, ", "),
             count > static_cast<int64_t>(unused.size()) ? ", ..." : "",
             "; wanted all of them used on every rank, or "
             "find_unused_parameters=True"));
}

// Which parameters have a gradient on some rank.
Status Reducer::FindUsed(std::vector<uint8_t>* used) {
  const int64_t sizes[] = {static_cast<int64_t>(ready_.size())};
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(sizes));
  SL_ASSIGN_OR_RETURN(Array flags, Array::Make(DType::kU8, shape));
  auto* at = flags.mutable_data<uint8_t>();
  std::copy(ready_.begin(), ready_.end(), at);
  SL_RETURN_IF_ERROR(
      group_->AllReduce(flags, collective::ReduceOp::kMax, line_).Wait());
  used->assign(at, at + ready_.size());
  return OkStatus();
}

// Adds the averages to the parameters' grad, as they arrive.
Status Reducer::TakeAverages(const std::vector<uint8_t>& used) {
  for (Bucket& b : buckets_) {
    if (b.sparse) {
      const int64_t start = NowNanos();
      Result<Tensor> average = AverageRows(b);
      waited_ += static_cast<double>(NowNanos() - start) * 1e-9;
      if (!average.ok()) return average.status().WithLine(StrCat("at ", line_));
      const Tensor& p = parameters_[b.leaves[0]];
      if (used[b.leaves[0]]) p.set_grad(*average);
      b.rows = {};
      b.counts = {};
      continue;
    }
    const int64_t start = NowNanos();
    Status status = b.work.Wait();
    waited_ += static_cast<double>(NowNanos() - start) * 1e-9;
    if (!status.ok()) return status.WithLine(StrCat("at ", line_));
    for (size_t slot = 0; slot < b.leaves.size(); ++slot) {
      size_t leaf = b.leaves[slot];
      if (!used[leaf]) continue;
      const Tensor& p = parameters_[leaf];
      const Shape& shape = p.array().shape();
      Array view =
          Array::View(b.flat, b.begins[slot], shape, ContiguousStrides(shape));
      p.set_grad(Tensor(MakeRef<EagerValue>(std::move(view))).to(p.device()));
    }
    b.flat = {};
  }
  return OkStatus();
}

Status Reducer::Finish() {
  NoGrad off;
  const bool all =
      std::find(ready_.begin(), ready_.end(), false) == ready_.end();
  std::vector<uint8_t> used(ready_.size(), 1);
  if (!all && !options_.find_unused) {
    Status why = NameUnused();
    GiveUp(why);
    return why;
  }
  for (size_t i = 0; i < ready_.size(); ++i) {
    if (ready_[i]) continue;
    // Locally accumulated gradients count. If no rank has new ones, an earlier
    // average stays unchanged: averaging again would round it again.
    Tensor before = parameters_[i].grad();
    if (before.defined() && own_before_) ready_[i] = true;
    if (buckets_[places_[i].bucket].sparse) {
      SL_RETURN_IF_ERROR(PutRows(i, before));
      continue;
    }
    SL_RETURN_IF_ERROR(Put(
        i, before.defined() ? before.to_dense().to("cpu:0").array() : Array()));
  }
  SL_RETURN_IF_ERROR(SendFull());
  if (options_.find_unused) SL_RETURN_IF_ERROR(FindUsed(&used));
  SL_RETURN_IF_ERROR(TakeAverages(used));
  unaveraged_ = false;
  return OkStatus();
}

void Reducer::GiveUp(const Status& why) {
  // The other ranks are waiting for data that this rank no longer sends.
  group_->Abort(
      Status(why.code(), StrCat("rank ", group_->rank(), ": ", why.message())));
  for (Bucket& b : buckets_) {
    if (b.sent) (void)b.work.Wait();
    b.flat = {};
    b.rows = {};
  }
}

}  // namespace sluice::fleet
