// Stages that buffer elements without changing them: prefetch and cache.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/data/parallel_cursor.h"
#include "sluice/data/stages.h"

namespace sluice::data {

namespace {

class PrefetchJobs final : public JobSource {
 public:
  explicit PrefetchJobs(std::unique_ptr<Cursor> before)
      : before_(std::move(before)) {}
  Result<bool> Take(Job* job) override { return before_->Next(&job->element); }
  Result<Element> Work(Job& job) const override {
    return std::move(job.element);
  }
  Status Skip(int64_t n) override { return before_->Skip(n); }

 private:
  const std::unique_ptr<Cursor> before_;
};

class Prefetch final : public Stage {
 public:
  Prefetch(StageRef before, int64_t n) : Stage(std::move(before)), n_(n) {}
  std::string Name() const override { return ""; }  // does not affect elements
  int threads() const override { return 0; }
  int64_t size() const override { return before_->size(); }
  Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const override {
    SL_ASSIGN_OR_RETURN(auto cursor, before_->Open(pass));
    return ParallelCursor(std::make_unique<PrefetchJobs>(std::move(cursor)), 1,
                          n_);
  }

 private:
  const int64_t n_;
};

// Elements of the first complete pass.
struct Kept {
  Mutex mu;
  std::shared_ptr<const std::vector<Element>> elements SL_GUARDED_BY(mu);
};

// Copies, so that in-place writes to a tensor do not reach the cache.
Result<Element> CopyOf(const Element& element) {
  Element copy;
  for (const Tensor& t : element) {
    SL_ASSIGN_OR_RETURN(Array array, t.array().Clone());
    copy.push_back(TensorOf(std::move(array)));
  }
  return copy;
}

class KeptCursor final : public Cursor {
 public:
  explicit KeptCursor(std::shared_ptr<const std::vector<Element>> elements)
      : elements_(std::move(elements)) {}
  Result<bool> Next(Element* element) override {
    if (at_ == elements_->size()) return false;
    SL_ASSIGN_OR_RETURN(*element, CopyOf((*elements_)[at_]));
    ++at_;
    return true;
  }
  Status Skip(int64_t n) override {
    at_ += std::min(static_cast<size_t>(n), elements_->size() - at_);
    return OkStatus();
  }

 private:
  const std::shared_ptr<const std::vector<Element>> elements_;
  size_t at_ = 0;
};

// Skips by reading, so that every complete pass has all elements.
class KeepingCursor final : public Cursor {
 public:
  KeepingCursor(std::unique_ptr<Cursor> before, std::shared_ptr<Kept> kept)
      : before_(std::move(before)), kept_(std::move(kept)) {}
  Result<bool> Next(Element* element) override {
    SL_ASSIGN_OR_RETURN(bool any, before_->Next(element));
    if (any) {
      SL_ASSIGN_OR_RETURN(Element copy, CopyOf(*element));
      elements_.push_back(std::move(copy));
    } else if (!ended_) {
      ended_ = true;
      MutexLock lock(kept_->mu);
      if (!kept_->elements) {
        kept_->elements =
            std::make_shared<std::vector<Element>>(std::move(elements_));
      }
    }
    return any;
  }

 private:
  const std::unique_ptr<Cursor> before_;
  const std::shared_ptr<Kept> kept_;
  std::vector<Element> elements_;
  bool ended_ = false;
};

class Cache final : public Stage {
 public:
  explicit Cache(StageRef before) : Stage(std::move(before)) {}
  std::string Name() const override { return "cache"; }
  int threads() const override { return 0; }
  int64_t size() const override { return before_->size(); }
  Result<std::unique_ptr<Cursor>> Open(const Pass&) const override {
    {
      MutexLock lock(kept_->mu);
      if (kept_->elements) {
        return std::unique_ptr<Cursor>(
            std::make_unique<KeptCursor>(kept_->elements));
      }
    }
    // The cached elements must not depend on which pass came first.
    SL_ASSIGN_OR_RETURN(auto cursor, before_->Open(Pass{}));
    return std::unique_ptr<Cursor>(
        std::make_unique<KeepingCursor>(std::move(cursor), kept_));
  }

 private:
  const std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

}  // namespace

StageRef PrefetchStage(StageRef before, int64_t n) {
  Want(n >= 1, StrCat("[prefetch] n is ", n, "; wanted 1 or more"));
  return std::make_shared<Prefetch>(std::move(before), n);
}

StageRef CacheStage(StageRef before) {
  return std::make_shared<Cache>(std::move(before));
}

}  // namespace sluice::data
