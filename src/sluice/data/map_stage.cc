#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/data/parallel_cursor.h"
#include "sluice/data/plain_mode.h"
#include "sluice/data/stages.h"
#include "sluice/eager/operators.h"
#include "sluice/ops.h"

namespace sluice::data {

namespace {

std::string StageName(const MapOptions& options) {
  return options.name.empty() ? "map" : StrCat("map ", options.name);
}

Result<Element> Call(const ElementFn& fn, const MapOptions& options,
                     const Element& element, Random random, int64_t number,
                     std::string_view of) {
  Element result;
  SL_RETURN_IF_ERROR(RunPlainly([&] { result = fn(element, random); },
                                [&] {
                                  return StrCat("[", StageName(options),
                                                "] element ", number, of);
                                }));
  return result;
}

// Rows of another table, transformed on demand: shuffles and restarts need not
// call the function for rows that are never used.
class MappedTable final : public Table {
 public:
  MappedTable(std::shared_ptr<const Table> rows, ElementFn fn,
              MapOptions options)
      : rows_(std::move(rows)),
        fn_(std::move(fn)),
        options_(std::move(options)) {}
  Result<Element> Row(int64_t row) const override {
    SL_ASSIGN_OR_RETURN(Element element, rows_->Row(row));
    return Call(fn_, options_, element, Random(), row, " of the source");
  }

 private:
  const std::shared_ptr<const Table> rows_;
  const ElementFn fn_;
  const MapOptions options_;
};

class MapJobs final : public JobSource {
 public:
  MapJobs(std::unique_ptr<Cursor> before, const ElementFn& fn,
          const MapOptions& options, uint64_t epoch)
      : before_(std::move(before)), fn_(fn), options_(options), epoch_(epoch) {}
  Result<bool> Take(Job* job) override { return before_->Next(&job->element); }
  Result<Element> Work(Job& job) const override {
    Random random(options_.seed, epoch_, static_cast<uint64_t>(job.number));
    return Call(fn_, options_, job.element, random, job.number, "");
  }
  Status Skip(int64_t n) override { return before_->Skip(n); }

 private:
  const std::unique_ptr<Cursor> before_;
  const ElementFn fn_;
  const MapOptions options_;
  const uint64_t epoch_;
};

class Map final : public Stage {
 public:
  Map(StageRef before, ElementFn fn, bool random, MapOptions options)
      : Stage(std::move(before)),
        fn_(std::move(fn)),
        random_(random),
        options_(std::move(options)) {
    // Random transforms differ from pass to pass, so they are no table.
    if (!random && before_->table()) {
      table_ = std::make_shared<MappedTable>(before_->table(), fn_, options_);
    }
  }

  std::string Name() const override {
    std::string name = StageName(options_);
    if (random_) StrAppend(name, "(seed ", options_.seed, ")");
    return name;
  }
  int64_t size() const override { return before_->size(); }
  int threads() const override {
    // A stage that is not a table has threads of its own.
    return table_ ? std::max(options_.threads, before_->threads()) : 0;
  }
  std::shared_ptr<const Table> table() const override { return table_; }
  Result<std::unique_ptr<Order>> OpenOrder(const Pass& pass) const override {
    return before_->OpenOrder(pass);
  }
  bool in_order() const override { return before_->in_order(); }
  Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const override {
    if (table_) return Stage::Open(pass);
    SL_ASSIGN_OR_RETURN(auto cursor, before_->Open(pass));
    return ParallelCursor(
        std::make_unique<MapJobs>(std::move(cursor), fn_, options_, pass.epoch),
        options_.threads, 4 * options_.threads);
  }

 private:
  const ElementFn fn_;
  const bool random_;
  const MapOptions options_;
  std::shared_ptr<const Table> table_;
};

// Converts bytes to floats during the gather where rows come from arrays; see
// Table::Scaled.
class Scale final : public Stage {
 public:
  Scale(StageRef before, std::shared_ptr<const Table> table, std::string name)
      : Stage(std::move(before)),
        table_(std::move(table)),
        name_(std::move(name)) {}
  std::string Name() const override { return name_; }
  int64_t size() const override { return before_->size(); }
  std::shared_ptr<const Table> table() const override { return table_; }
  Result<std::unique_ptr<Order>> OpenOrder(const Pass& pass) const override {
    return before_->OpenOrder(pass);
  }
  bool in_order() const override { return before_->in_order(); }

 private:
  const std::shared_ptr<const Table> table_;
  const std::string name_;
};

}  // namespace

StageRef MapStage(StageRef before, ElementFn fn, bool random,
                  MapOptions options) {
  Want(options.threads >= 0 && options.threads <= 1024,
       StrCat("[map] threads is ", options.threads, "; wanted 0 to 1024"));
  return std::make_shared<Map>(std::move(before), std::move(fn), random,
                               std::move(options));
}

StageRef ScaleStage(StageRef before, size_t component, float factor) {
  std::string name = StrCat("scale(", component, ", ", factor, ")");
  auto table = before->table();
  if (auto scaled = table ? table->Scaled(component, factor) : nullptr) {
    return std::make_shared<Scale>(std::move(before), std::move(scaled),
                                   std::move(name));
  }
  return MapStage(std::move(before),
                  [component, factor](const Element& element, Random&) {
                    Element result = element;
                    result[component] = cast(element[component], f32) * factor;
                    return result;
                  },
                  false, {.name = name});
}

}  // namespace sluice::data
