#include "sluice/data/table_cursor.h"

#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/data/parallel_cursor.h"

namespace sluice::data {

namespace {

class InOrder final : public Order {
 public:
  explicit InOrder(int64_t rows) : rows_(rows) {}
  Result<size_t> Next(std::span<int64_t> rows) override {
    size_t n = std::min(rows.size(), static_cast<size_t>(rows_ - at_));
    for (size_t i = 0; i < n; ++i) rows[i] = at_++;
    return n;
  }
  Status Skip(int64_t n) override {
    at_ += std::min(n, rows_ - at_);
    return OkStatus();
  }

 private:
  int64_t at_ = 0;
  const int64_t rows_;
};

class RowJobs final : public JobSource {
 public:
  RowJobs(std::shared_ptr<const Table> table, std::unique_ptr<Order> order)
      : table_(std::move(table)), order_(std::move(order)) {}

  Result<bool> Take(Job* job) override {
    job->rows.resize(1);
    SL_ASSIGN_OR_RETURN(size_t got, order_->Next(job->rows));
    return got == 1;
  }
  Result<Element> Work(Job& job) const override {
    return table_->Row(job.rows[0]);
  }
  Status Skip(int64_t n) override { return order_->Skip(n); }

 private:
  const std::shared_ptr<const Table> table_;
  const std::unique_ptr<Order> order_;
};

class BatchJobs final : public JobSource {
 public:
  BatchJobs(std::shared_ptr<const Table> table, std::unique_ptr<Order> order,
            int64_t batch, bool drop_last)
      : table_(std::move(table)),
        order_(std::move(order)),
        batch_(batch),
        drop_last_(drop_last) {}

  Result<bool> Take(Job* job) override {
    job->rows.resize(static_cast<size_t>(batch_));
    SL_ASSIGN_OR_RETURN(size_t got, order_->Next(job->rows));
    if (got == 0 || (drop_last_ && got < job->rows.size())) return false;
    job->rows.resize(got);
    return true;
  }
  Result<Element> Work(Job& job) const override {
    return table_->Rows(job.rows);
  }
  Status Skip(int64_t n) override {
    int64_t rows;
    if (!CheckedMul(n, batch_, &rows)) rows = INT64_MAX;
    return order_->Skip(rows);
  }

 private:
  const std::shared_ptr<const Table> table_;
  const std::unique_ptr<Order> order_;
  const int64_t batch_;
  const bool drop_last_;
};

}  // namespace

std::unique_ptr<Order> RangeOrder(int64_t rows) {
  return std::make_unique<InOrder>(rows);
}

std::unique_ptr<Cursor> TableCursor(std::shared_ptr<const Table> table,
                                    std::unique_ptr<Order> order, int threads) {
  return ParallelCursor(
      std::make_unique<RowJobs>(std::move(table), std::move(order)), threads,
      4 * threads);
}

std::unique_ptr<Cursor> TableBatchCursor(std::shared_ptr<const Table> table,
                                         std::unique_ptr<Order> order,
                                         int64_t batch, bool drop_last,
                                         int threads) {
  return ParallelCursor(
      std::make_unique<BatchJobs>(std::move(table), std::move(order), batch,
                                  drop_last),
      threads, 2 * threads);
}

}  // namespace sluice::data
