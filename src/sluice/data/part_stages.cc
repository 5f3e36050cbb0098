// Stages that drop elements: shard, take, skip.
#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/data/stages.h"

namespace sluice::data {

namespace {

// Elements `first`, first + every, ..., at most `limit` of them. One template
// for rows and for elements: Base is Order or Cursor.
struct Part {
  int64_t first = 0, every = 1, limit = INT64_MAX;
};

template <class Base>
class PartBase : public Base {
 public:
  PartBase(std::unique_ptr<Base> before, Part part)
      : before_(std::move(before)), part_(part), left_(part.limit) {}

  Status Skip(int64_t n) override {
    n = std::min(n, left_);
    if (n == 0) return OkStatus();
    left_ -= n;
    int64_t more;
    if (!CheckedMul(n, part_.every, &more)) more = INT64_MAX;
    return Add(more);
  }

 protected:
  // Skips the elements before the next one.
  Status Go() {
    if (!begun_) {
      begun_ = true;
      SL_RETURN_IF_ERROR(before_->Skip(part_.first));
    }
    if (owed_ > 0) SL_RETURN_IF_ERROR(before_->Skip(std::exchange(owed_, 0)));
    return OkStatus();
  }
  Status Add(int64_t n) {
    if (!CheckedAdd(owed_, n, &owed_)) owed_ = INT64_MAX;
    return OkStatus();
  }

  const std::unique_ptr<Base> before_;
  const Part part_;
  int64_t left_;
  int64_t owed_ = 0;  // to be skipped before the next element
  bool begun_ = false;
};

class PartOrder final : public PartBase<Order> {
 public:
  using PartBase::PartBase;
  Result<size_t> Next(std::span<int64_t> rows) override {
    rows = rows.first(static_cast<size_t>(
        std::min(static_cast<int64_t>(rows.size()), left_)));
    size_t got = 0;
    while (got < rows.size()) {
      SL_RETURN_IF_ERROR(Go());
      size_t want = part_.every == 1 ? rows.size() - got : 1;
      SL_ASSIGN_OR_RETURN(size_t now, before_->Next(rows.subspan(got, want)));
      got += now;
      if (now < want) break;
      SL_RETURN_IF_ERROR(Add(part_.every - 1));
    }
    left_ -= static_cast<int64_t>(got);
    return got;
  }
};

class PartCursor final : public PartBase<Cursor> {
 public:
  using PartBase::PartBase;
  Result<bool> Next(Element* element) override {
    if (left_ == 0) return false;
    SL_RETURN_IF_ERROR(Go());
    SL_ASSIGN_OR_RETURN(bool any, before_->Next(element));
    if (!any) {
      left_ = 0;
      return false;
    }
    --left_;
    SL_RETURN_IF_ERROR(Add(part_.every - 1));
    return true;
  }
};

class PartStage final : public Stage {
 public:
  PartStage(StageRef before, Part part, std::string name)
      : Stage(std::move(before)), part_(part), name_(std::move(name)) {}

  std::string Name() const override { return name_; }
  int64_t size() const override {
    int64_t all = before_->size();
    if (all == kUnknownSize) return kUnknownSize;
    if (all == kEndless) {
      return part_.limit == INT64_MAX ? kEndless : part_.limit;
    }
    int64_t left = std::max<int64_t>(all - part_.first, 0);
    return std::min(left == 0 ? 0 : (left - 1) / part_.every + 1, part_.limit);
  }
  std::shared_ptr<const Table> table() const override {
    return before_->table();
  }
  Result<std::unique_ptr<Order>> OpenOrder(const Pass& pass) const override {
    SL_ASSIGN_OR_RETURN(auto order, before_->OpenOrder(pass));
    return std::unique_ptr<Order>(
        std::make_unique<PartOrder>(std::move(order), part_));
  }
  Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const override {
    if (table()) return Stage::Open(pass);
    SL_ASSIGN_OR_RETURN(auto cursor, before_->Open(pass));
    return std::unique_ptr<Cursor>(
        std::make_unique<PartCursor>(std::move(cursor), part_));
  }

 private:
  const Part part_;
  const std::string name_;
};

}  // namespace

StageRef ShardStage(StageRef before, int64_t index, int64_t count) {
  Want(count >= 1 && index >= 0 && index < count,
       StrCat("[shard] index is ", index, " and count is ", count,
              "; wanted 0 <= index < count"));
  return std::make_shared<PartStage>(
      std::move(before), Part{.first = index, .every = count},
      StrCat("shard(", index, " of ", count, ")"));
}

StageRef TakeStage(StageRef before, int64_t n) {
  Want(n >= 0, StrCat("[take] n is ", n, "; wanted 0 or more"));
  return std::make_shared<PartStage>(std::move(before), Part{.limit = n},
                                     StrCat("take(", n, ")"));
}

StageRef SkipStage(StageRef before, int64_t n) {
  Want(n >= 0, StrCat("[skip] n is ", n, "; wanted 0 or more"));
  return std::make_shared<PartStage>(std::move(before), Part{.first = n},
                                     StrCat("skip(", n, ")"));
}

}  // namespace sluice::data
