// Sources that do not read files.
#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/data/array_table.h"
#include "sluice/data/plain_mode.h"
#include "sluice/data/stages.h"
#include "sluice/data/table_cursor.h"

namespace sluice::data {

void Want(bool condition, const std::string& message) {
  if (!condition) throw Error(InvalidArgument(message));
}

namespace {

class TableStage final : public Stage {
 public:
  TableStage(std::shared_ptr<const Table> table, int64_t rows, std::string name)
      : table_(std::move(table)), rows_(rows), name_(std::move(name)) {}

  std::string Name() const override { return name_; }
  int64_t size() const override { return rows_; }
  std::shared_ptr<const Table> table() const override { return table_; }
  Result<std::unique_ptr<Order>> OpenOrder(const Pass&) const override {
    return RangeOrder(rows_);
  }
  bool in_order() const override { return true; }

 private:
  const std::shared_ptr<const Table> table_;
  const int64_t rows_;
  const std::string name_;
};

// 0-d tensors begin, begin + step, ...
class RangeTable final : public Table {
 public:
  RangeTable(int64_t begin, int64_t step) : begin_(begin), step_(step) {}
  Result<Element> Row(int64_t row) const override {
    return Element{TensorOf(Array::Scalar(At(row)))};
  }
  Result<Element> Rows(std::span<const int64_t> rows) const override {
    SL_ASSIGN_OR_RETURN(
        Array out,
        Array::Make(DType::kI64, {static_cast<int64_t>(rows.size())}));
    std::transform(rows.begin(), rows.end(), out.mutable_data<int64_t>(),
                   [&](int64_t row) { return At(row); });
    return Element{TensorOf(std::move(out))};
  }
  bool cheap() const override { return true; }

 private:
  int64_t At(int64_t row) const { return begin_ + row * step_; }
  const int64_t begin_, step_;
};

class GeneratorCursor final : public Cursor {
 public:
  GeneratorCursor(ElementSource source, std::string name)
      : source_(std::move(source)), name_(std::move(name)) {}
  Result<bool> Next(Element* element) override {
    if (ended_) return false;
    bool any = false;
    SL_RETURN_IF_ERROR(
        RunPlainly([&] { any = source_(element); },
                   [&] { return StrCat("[", name_, "] element ", number_); }));
    ++number_;
    ended_ = !any;
    return any;
  }

 private:
  ElementSource source_;
  const std::string name_;
  int64_t number_ = 0;
  bool ended_ = false;
};

class GeneratorStage final : public Stage {
 public:
  GeneratorStage(std::function<ElementSource()> start, std::string name)
      : start_(std::move(start)), name_(std::move(name)) {}
  std::string Name() const override { return name_; }
  int64_t size() const override { return kUnknownSize; }
  Result<std::unique_ptr<Cursor>> Open(const Pass&) const override {
    ElementSource source;
    SL_RETURN_IF_ERROR(RunPlainly([&] { source = start_(); },
                                  [&] { return StrCat("[", name_, "]"); }));
    return std::unique_ptr<Cursor>(
        std::make_unique<GeneratorCursor>(std::move(source), name_));
  }

 private:
  const std::function<ElementSource()> start_;
  const std::string name_;
};

}  // namespace

StageRef TableSource(std::shared_ptr<const Table> table, int64_t rows,
                     std::string name) {
  return std::make_shared<TableStage>(std::move(table), rows, std::move(name));
}

StageRef TensorSource(const Element& tensors, std::string name) {
  std::vector<TableColumn> columns;
  for (const Tensor& t : tensors) columns.push_back({.values = t.array()});
  Result<std::shared_ptr<const ArrayTable>> table =
      ArrayTable::Make(std::move(columns));
  Want(table.ok(), StrCat("[", name, "] ", table.status().message()));
  int64_t rows = (*table)->rows();
  return TableSource(std::move(*table), rows, StrCat(name, "(", rows, ")"));
}

StageRef GeneratorSource(std::function<ElementSource()> start,
                         std::string name) {
  return std::make_shared<GeneratorStage>(std::move(start), std::move(name));
}

StageRef RangeSource(int64_t begin, int64_t end, int64_t step) {
  Want(step != 0, "[range] step is 0");
  // Unsigned, because the distance of two numbers may not fit in one of them.
  bool up = step > 0;
  uint64_t distance = up ? (end > begin ? uint64_t(end) - uint64_t(begin) : 0)
                         : (begin > end ? uint64_t(begin) - uint64_t(end) : 0);
  uint64_t stride = up ? uint64_t(step) : uint64_t{0} - uint64_t(step);
  uint64_t rows = distance == 0 ? 0 : (distance - 1) / stride + 1;
  Want(rows <= uint64_t{kMaxElements},
       StrCat("[range] has ", rows, " elements; wanted 2^48 at most"));
  std::string name = StrCat("range(", begin, ", ", end, ", ", step, ")");
  return TableSource(std::make_shared<RangeTable>(begin, step),
                     static_cast<int64_t>(rows), std::move(name));
}

}  // namespace sluice::data
