#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/data/stages.h"

namespace sluice::data {

namespace {

// Opens one pass after another of the stage before. Base is Order or Cursor.
template <class Base>
class RepeatBase : public Base {
 public:
  RepeatBase(StageRef before, int64_t times, const Pass& pass)
      : before_(std::move(before)),
        times_(times),
        epoch_(times == kForever ? pass.epoch
                                 : pass.epoch * static_cast<uint64_t>(times)) {}

 protected:
  // Opens the next pass; false when there are no more.
  Result<bool> Advance() {
    if (done_ == times_) return false;
    Pass pass{epoch_ + static_cast<uint64_t>(done_)};
    ++done_;
    if constexpr (std::is_same_v<Base, Order>) {
      SL_ASSIGN_OR_RETURN(now_, before_->OpenOrder(pass));
    } else {
      SL_ASSIGN_OR_RETURN(now_, before_->Open(pass));
    }
    fresh_ = true;
    return true;
  }
  // An endless repetition of an empty pass would not terminate.
  bool empty_pass() const { return fresh_ && times_ == kForever; }

  const StageRef before_;
  const int64_t times_;
  const uint64_t epoch_;
  int64_t done_ = 0;  // passes opened
  std::unique_ptr<Base> now_;
  bool fresh_ = false;  // the pass has not produced anything yet
  int64_t in_pass_ = 0;

 public:
  Status Skip(int64_t n) override {
    // Whole passes of known size are skipped without being opened.
    int64_t size = before_->size();
    if (size <= 0) return Base::Skip(n);
    if (!now_) {
      int64_t passes = n / size;
      if (times_ != kForever) passes = std::min(passes, times_);
      done_ += passes;
      n -= passes * size;
      in_pass_ = 0;
    }
    while (n > 0) {
      if (!now_) {
        SL_ASSIGN_OR_RETURN(bool any, Advance());
        if (!any) return OkStatus();
        in_pass_ = 0;
      }
      int64_t here = std::min(n, size - in_pass_);
      SL_RETURN_IF_ERROR(now_->Skip(here));
      if (here > 0) fresh_ = false;
      in_pass_ += here;
      n -= here;
      if (in_pass_ == size) now_.reset();
    }
    return OkStatus();
  }
};

class RepeatOrder final : public RepeatBase<Order> {
 public:
  using RepeatBase::RepeatBase;
  Result<size_t> Next(std::span<int64_t> rows) override {
    size_t got = 0;
    while (got < rows.size()) {
      if (!now_) {
        SL_ASSIGN_OR_RETURN(bool any, Advance());
        if (!any) break;
        in_pass_ = 0;
      }
      SL_ASSIGN_OR_RETURN(size_t now, now_->Next(rows.subspan(got)));
      got += now;
      in_pass_ += static_cast<int64_t>(now);
      if (now > 0) fresh_ = false;
      if (got == rows.size()) break;
      if (empty_pass()) break;
      now_.reset();
    }
    return got;
  }
};

class RepeatCursor final : public RepeatBase<Cursor> {
 public:
  using RepeatBase::RepeatBase;
  Result<bool> Next(Element* element) override {
    for (;;) {
      if (!now_) {
        SL_ASSIGN_OR_RETURN(bool any, Advance());
        if (!any) return false;
        in_pass_ = 0;
      }
      SL_ASSIGN_OR_RETURN(bool any, now_->Next(element));
      if (any) {
        fresh_ = false;
        ++in_pass_;
        return true;
      }
      if (empty_pass()) return false;
      now_.reset();
    }
  }
};

class Repeat final : public Stage {
 public:
  Repeat(StageRef before, int64_t times)
      : Stage(std::move(before)), times_(times) {}

  std::string Name() const override {
    return times_ == kForever ? "repeat" : StrCat("repeat(", times_, ")");
  }
  int64_t size() const override {
    int64_t once = before_->size();
    if (once < 0 || once == 0) return once;
    int64_t all;
    if (times_ == kForever) return kEndless;
    return CheckedMul(once, times_, &all) ? all : kEndless;
  }
  std::shared_ptr<const Table> table() const override {
    return before_->table();
  }
  Result<std::unique_ptr<Order>> OpenOrder(const Pass& pass) const override {
    return std::unique_ptr<Order>(
        std::make_unique<RepeatOrder>(before_, times_, pass));
  }
  Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const override {
    if (table()) return Stage::Open(pass);
    return std::unique_ptr<Cursor>(
        std::make_unique<RepeatCursor>(before_, times_, pass));
  }

 private:
  const int64_t times_;
};

}  // namespace

StageRef RepeatStage(StageRef before, int64_t times) {
  Want(times >= 0 || times == kForever,
       StrCat("[repeat] times is ", times, "; wanted 0 or more, or kForever"));
  return std::make_shared<Repeat>(std::move(before), times);
}

}  // namespace sluice::data
