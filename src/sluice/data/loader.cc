#include "sluice/data/loader.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice::data {

namespace {

constexpr int64_t kBufferOfUnknown = 10000;

// Adds threads to a stage that is a table.
class WithThreads final : public Stage {
 public:
  WithThreads(StageRef before, int threads)
      : Stage(std::move(before)), threads_(threads) {}
  std::string Name() const override { return ""; }  // does not affect elements
  int64_t size() const override { return before_->size(); }
  int threads() const override { return threads_; }
  std::shared_ptr<const Table> table() const override {
    return before_->table();
  }
  Result<std::unique_ptr<Order>> OpenOrder(const Pass& pass) const override {
    return before_->OpenOrder(pass);
  }
  Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const override {
    return table() ? Stage::Open(pass) : before_->Open(pass);
  }

 private:
  const int threads_;
};

}  // namespace

StageRef LoaderStage(StageRef stage, const DataLoaderOptions& options) {
  Want(options.num_workers >= 0 && options.num_workers <= 1024,
       StrCat("[DataLoader] num_workers is ", options.num_workers,
              "; wanted 0 to 1024"));
  if (options.shuffle) {
    int64_t size = stage->size();
    int64_t buffer = size < 0 ? kBufferOfUnknown : std::max<int64_t>(size, 1);
    stage = ShuffleStage(std::move(stage), buffer, options.seed);
  }
  if (options.num_workers > 0) {
    stage =
        std::make_shared<WithThreads>(std::move(stage), options.num_workers);
  }
  bool table = stage->table() != nullptr;
  stage = BatchStage(std::move(stage), options.batch_size,
                     {.drop_last = options.drop_last});
  // Sequential elements leave work for one thread only.
  if (options.num_workers > 0 && !table) {
    stage = PrefetchStage(std::move(stage), 2 * options.num_workers);
  }
  return stage;
}

}  // namespace sluice::data
