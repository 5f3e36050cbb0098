#include "sluice/base/strings.h"
#include "sluice/data/plain_mode.h"
#include "sluice/data/stages.h"

namespace sluice::data {

namespace {

Result<bool> Passes(const ElementTest& test, const Element& element,
                    int64_t number, std::string_view of) {
  bool passes = false;
  SL_RETURN_IF_ERROR(
      RunPlainly([&] { passes = test(element); },
                 [&] { return StrCat("[filter] element ", number, of); }));
  return passes;
}

class FilteredOrder final : public Order {
 public:
  FilteredOrder(std::unique_ptr<Order> before,
                std::shared_ptr<const Table> table, const ElementTest& test)
      : before_(std::move(before)), table_(std::move(table)), test_(test) {}
  Result<size_t> Next(std::span<int64_t> rows) override {
    size_t got = 0;
    while (got < rows.size()) {
      SL_ASSIGN_OR_RETURN(size_t any, before_->Next(rows.subspan(got, 1)));
      if (any == 0) break;
      SL_ASSIGN_OR_RETURN(Element element, table_->Row(rows[got]));
      SL_ASSIGN_OR_RETURN(bool passes,
                          Passes(test_, element, rows[got], " of the source"));
      if (passes) ++got;
    }
    return got;
  }

 private:
  const std::unique_ptr<Order> before_;
  const std::shared_ptr<const Table> table_;
  const ElementTest test_;
};

class FilteredCursor final : public Cursor {
 public:
  FilteredCursor(std::unique_ptr<Cursor> before, const ElementTest& test)
      : before_(std::move(before)), test_(test) {}
  Result<bool> Next(Element* element) override {
    for (;; ++number_) {
      SL_ASSIGN_OR_RETURN(bool any, before_->Next(element));
      if (!any) return false;
      SL_ASSIGN_OR_RETURN(bool passes, Passes(test_, *element, number_, ""));
      if (passes) break;
    }
    ++number_;
    return true;
  }

 private:
  const std::unique_ptr<Cursor> before_;
  const ElementTest test_;
  int64_t number_ = 0;
};

class Filter final : public Stage {
 public:
  Filter(StageRef before, ElementTest test)
      : Stage(std::move(before)), test_(std::move(test)) {}
  std::string Name() const override { return "filter"; }
  int64_t size() const override { return kUnknownSize; }
  // Rows are read once for the test and again for the result, so this stays a
  // table only if reading costs nothing.
  std::shared_ptr<const Table> table() const override {
    auto table = before_->table();
    return table && table->cheap() ? table : nullptr;
  }
  Result<std::unique_ptr<Order>> OpenOrder(const Pass& pass) const override {
    SL_ASSIGN_OR_RETURN(auto order, before_->OpenOrder(pass));
    return std::unique_ptr<Order>(std::make_unique<FilteredOrder>(
        std::move(order), before_->table(), test_));
  }
  Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const override {
    if (table()) return Stage::Open(pass);
    SL_ASSIGN_OR_RETURN(auto cursor, before_->Open(pass));
    return std::unique_ptr<Cursor>(
        std::make_unique<FilteredCursor>(std::move(cursor), test_));
  }

 private:
  const ElementTest test_;
};

}  // namespace

StageRef FilterStage(StageRef before, ElementTest test) {
  return std::make_shared<Filter>(std::move(before), std::move(test));
}

}  // namespace sluice::data
