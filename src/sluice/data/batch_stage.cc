#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/data/stack_rows.h"
#include "sluice/data/stages.h"
#include "sluice/data/table_cursor.h"

namespace sluice::data {

namespace {

// How elements are combined into one.
using JoinRows =
    std::function<Result<Element>(const std::vector<Element>&, int64_t first)>;

class BatchCursor final : public Cursor {
 public:
  BatchCursor(std::unique_ptr<Cursor> before, int64_t n, bool drop_last,
              const JoinRows& join)
      : before_(std::move(before)), n_(n), drop_last_(drop_last), join_(join) {}

  Result<bool> Next(Element* element) override {
    if (ended_) return false;
    std::vector<Element> rows;
    while (static_cast<int64_t>(rows.size()) < n_) {
      Element row;
      SL_ASSIGN_OR_RETURN(bool any, before_->Next(&row));
      if (!any) {
        ended_ = true;
        break;
      }
      rows.push_back(std::move(row));
    }
    if (rows.empty() || (ended_ && drop_last_)) return false;
    auto got = static_cast<int64_t>(rows.size());
    SL_ASSIGN_OR_RETURN(*element, join_(rows, taken_));
    taken_ += got;
    return true;
  }
  Status Skip(int64_t n) override {
    int64_t rows;
    if (!CheckedMul(n, n_, &rows)) rows = INT64_MAX;
    taken_ += rows;
    return before_->Skip(rows);
  }

 private:
  const std::unique_ptr<Cursor> before_;
  const int64_t n_;
  const bool drop_last_;
  const JoinRows join_;
  int64_t taken_ = 0;
  bool ended_ = false;
};

class Batch final : public Stage {
 public:
  // `gather`: rows of a table need no stacking.
  Batch(StageRef before, int64_t n, bool drop_last, bool gather, JoinRows join,
        std::string name)
      : Stage(std::move(before)),
        n_(n),
        drop_last_(drop_last),
        gather_(gather),
        join_(std::move(join)),
        name_(std::move(name)) {}

  std::string Name() const override { return name_; }
  int threads() const override { return 0; }  // used by this stage
  int64_t size() const override {
    int64_t rows = before_->size();
    if (rows < 0) return rows;
    return rows / n_ + (!drop_last_ && rows % n_ != 0 ? 1 : 0);
  }
  Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const override {
    if (gather_ && before_->table()) {
      SL_ASSIGN_OR_RETURN(auto order, before_->OpenOrder(pass));
      return TableBatchCursor(before_->table(), std::move(order), n_,
                              drop_last_, before_->threads());
    }
    SL_ASSIGN_OR_RETURN(auto cursor, before_->Open(pass));
    return std::unique_ptr<Cursor>(std::make_unique<BatchCursor>(
        std::move(cursor), n_, drop_last_, join_));
  }

 private:
  const int64_t n_;
  const bool drop_last_, gather_;
  const JoinRows join_;
  const std::string name_;
};

Status Named(std::string_view stage, const Status& status) {
  return Status(status.code(), StrCat("[", stage, "] ", status.message()));
}

void WantSize(std::string_view stage, int64_t n) {
  Want(n >= 1, StrCat("[", stage, "] n is ", n, "; wanted 1 or more"));
}

}  // namespace

StageRef BatchStage(StageRef before, int64_t n, BatchOptions options) {
  WantSize("batch", n);
  auto join = [](const std::vector<Element>& rows,
                 int64_t first) -> Result<Element> {
    auto batch = StackRows(
        rows, [&](size_t i) { return first + static_cast<int64_t>(i); });
    if (!batch.ok()) return Named("batch", batch.status());
    return batch;
  };
  return std::make_shared<Batch>(
      std::move(before), n, options.drop_last, true, join,
      StrCat("batch(", n, options.drop_last ? ", drop_last)" : ")"));
}

StageRef PaddedBatchStage(StageRef before, int64_t n,
                          PaddedBatchOptions options) {
  WantSize("padded_batch", n);
  std::string name = StrCat("padded_batch(", n);
  if (!options.padding.empty()) {
    StrAppend(name, ", padding ", Join(options.padding, " "));
  }
  name += options.drop_last ? ", drop_last)" : ")";
  bool drop_last = options.drop_last;
  auto join = [padding = std::move(options.padding)](
                  const std::vector<Element>& rows,
                  int64_t first) -> Result<Element> {
    auto batch = PadRows(rows, padding, [&](size_t i) {
      return first + static_cast<int64_t>(i);
    });
    if (!batch.ok()) return Named("padded_batch", batch.status());
    return batch;
  };
  return std::make_shared<Batch>(std::move(before), n, drop_last, false, join,
                                 std::move(name));
}

}  // namespace sluice::data
