// Two pipelines combined: in parallel (zip) or in sequence (concat).
#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/data/stages.h"
#include "sluice/data/table_cursor.h"

namespace sluice::data {

namespace {

// Zipped rows of two tables.
class ZipTable final : public Table {
 public:
  ZipTable(std::shared_ptr<const Table> first,
           std::shared_ptr<const Table> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  Result<Element> Row(int64_t row) const override {
    return Both(first_->Row(row), second_->Row(row));
  }
  Result<Element> Rows(std::span<const int64_t> rows) const override {
    return Both(first_->Rows(rows), second_->Rows(rows));
  }
  bool cheap() const override { return first_->cheap() && second_->cheap(); }

 private:
  static Result<Element> Both(Result<Element> a, Result<Element> b) {
    if (!a.ok()) return a;
    if (!b.ok()) return b;
    a->insert(a->end(), b->begin(), b->end());
    return a;
  }
  const std::shared_ptr<const Table> first_, second_;
};

class ZipCursor final : public Cursor {
 public:
  ZipCursor(std::unique_ptr<Cursor> first, std::unique_ptr<Cursor> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  Result<bool> Next(Element* element) override {
    SL_ASSIGN_OR_RETURN(bool any, first_->Next(element));
    if (!any) return false;
    Element other;
    SL_ASSIGN_OR_RETURN(any, second_->Next(&other));
    if (!any) return false;
    element->insert(element->end(), other.begin(), other.end());
    return true;
  }
  Status Skip(int64_t n) override {
    SL_RETURN_IF_ERROR(first_->Skip(n));
    return second_->Skip(n);
  }

 private:
  const std::unique_ptr<Cursor> first_, second_;
};

class ConcatCursor final : public Cursor {
 public:
  ConcatCursor(std::unique_ptr<Cursor> now, StageRef after, const Pass& pass,
               int64_t first_size)
      : now_(std::move(now)),
        after_(std::move(after)),
        pass_(pass),
        left_(first_size) {}
  Result<bool> Next(Element* element) override {
    for (;;) {
      SL_ASSIGN_OR_RETURN(bool any, now_->Next(element));
      if (any && left_ > 0) --left_;
      if (any || !after_) return any;
      SL_RETURN_IF_ERROR(Advance());
    }
  }
  Status Skip(int64_t n) override {
    if (!after_) return now_->Skip(n);
    if (left_ == kUnknownSize) return Cursor::Skip(n);
    int64_t here = left_ == kEndless ? n : std::min(n, left_);
    SL_RETURN_IF_ERROR(now_->Skip(here));
    if (left_ != kEndless) left_ -= here;
    if (here == n) return OkStatus();
    SL_RETURN_IF_ERROR(Advance());
    return now_->Skip(n - here);
  }

 private:
  Status Advance() {
    SL_ASSIGN_OR_RETURN(now_, after_->Open(pass_));
    after_ = nullptr;
    return OkStatus();
  }

  std::unique_ptr<Cursor> now_;
  StageRef after_;  // null once it is open
  const Pass pass_;
  int64_t left_;  // of the first, if its size is known
};

class Zip final : public Stage {
 public:
  Zip(StageRef first, StageRef second)
      : Stage(std::move(first)), second_(std::move(second)) {
    // Rows match by number only if neither side has been reordered.
    if (before_->table() && second_->table() && before_->in_order() &&
        second_->in_order()) {
      table_ = std::make_shared<ZipTable>(before_->table(), second_->table());
    }
  }
  std::string Name() const override {
    return StrCat("zip(", second_->Describe(), ")");
  }
  int threads() const override {
    return table_ ? std::max(before_->threads(), second_->threads()) : 0;
  }
  std::shared_ptr<const Table> table() const override { return table_; }
  Result<std::unique_ptr<Order>> OpenOrder(const Pass&) const override {
    return RangeOrder(size());
  }
  bool in_order() const override { return table_ != nullptr; }
  int64_t size() const override {
    int64_t a = before_->size(), b = second_->size();
    if (a == kUnknownSize || b == kUnknownSize) return kUnknownSize;
    if (a == kEndless) return b;
    return b == kEndless ? a : std::min(a, b);
  }
  Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const override {
    if (table_) return Stage::Open(pass);
    SL_ASSIGN_OR_RETURN(auto first, before_->Open(pass));
    SL_ASSIGN_OR_RETURN(auto second, second_->Open(pass));
    return std::unique_ptr<Cursor>(
        std::make_unique<ZipCursor>(std::move(first), std::move(second)));
  }

 private:
  const StageRef second_;
  std::shared_ptr<const Table> table_;
};

class Concat final : public Stage {
 public:
  Concat(StageRef first, StageRef second)
      : Stage(std::move(first)), second_(std::move(second)) {}
  std::string Name() const override {
    return StrCat("concat(", second_->Describe(), ")");
  }
  int threads() const override { return 0; }
  int64_t size() const override {
    int64_t a = before_->size(), b = second_->size(), sum;
    if (a == kEndless || b == kEndless) return kEndless;
    if (a == kUnknownSize || b == kUnknownSize) return kUnknownSize;
    return CheckedAdd(a, b, &sum) ? sum : kEndless;
  }
  Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const override {
    SL_ASSIGN_OR_RETURN(auto first, before_->Open(pass));
    return std::unique_ptr<Cursor>(std::make_unique<ConcatCursor>(
        std::move(first), second_, pass, before_->size()));
  }

 private:
  const StageRef second_;
};

}  // namespace

StageRef ZipStage(StageRef before, StageRef other) {
  return std::make_shared<Zip>(std::move(before), std::move(other));
}

StageRef ConcatStage(StageRef before, StageRef after) {
  return std::make_shared<Concat>(std::move(before), std::move(after));
}

}  // namespace sluice::data
