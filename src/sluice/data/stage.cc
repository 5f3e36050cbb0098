#include "sluice/data/stage.h"

#include <algorithm>
#include <array>

#include "sluice/base/strings.h"
#include "sluice/data/stack_rows.h"
#include "sluice/data/table_cursor.h"

namespace sluice::data {

Tensor TensorOf(Array array) {
  return Tensor(MakeRef<EagerValue>(std::move(array)));
}

std::string TypesOf(const Element& element) {
  std::string text;
  for (const Tensor& t : element) {
    if (!text.empty()) text += ", ";
    text += t.defined() ? TypeText(t.dtype(), t.shape()) : "nothing";
  }
  return text;
}

Status Cursor::Skip(int64_t n) {
  Element element;
  for (; n > 0; --n) {
    SL_ASSIGN_OR_RETURN(bool any, Next(&element));
    if (!any) break;
  }
  return OkStatus();
}

Status Order::Skip(int64_t n) {
  std::array<int64_t, 256> rows;
  while (n > 0) {
    auto want = static_cast<size_t>(std::min<int64_t>(n, rows.size()));
    SL_ASSIGN_OR_RETURN(size_t got, Next(std::span(rows).first(want)));
    if (got < want) break;
    n -= static_cast<int64_t>(got);
  }
  return OkStatus();
}

Result<Element> Table::Rows(std::span<const int64_t> rows) const {
  std::vector<Element> elements;
  elements.reserve(rows.size());
  for (int64_t row : rows) {
    SL_ASSIGN_OR_RETURN(Element element, Row(row));
    elements.push_back(std::move(element));
  }
  Result<Element> batch =
      StackRows(elements, [&](size_t i) { return rows[i]; });
  if (batch.ok()) return batch;
  return Status(batch.status().code(),
                StrCat("[batch] ", batch.status().message()));
}

Result<std::unique_ptr<Order>> Stage::OpenOrder(const Pass&) const {
  return Internal(StrCat("stage ", Name(), " has no rows"));
}

Result<std::unique_ptr<Cursor>> Stage::Open(const Pass& pass) const {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Order> order, OpenOrder(pass));
  return TableCursor(table(), std::move(order), threads());
}

std::string Stage::Describe() const {
  std::string name = Name();
  if (!before_) return name;
  std::string before = before_->Describe();
  return name.empty() ? before : StrCat(before, " > ", name);
}

}  // namespace sluice::data
