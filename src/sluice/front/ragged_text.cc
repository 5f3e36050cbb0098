// How a Ragged prints.
#include <ostream>

#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/front/ragged.h"

namespace sluice {

namespace {

class Printer {
 public:
  Printer(const Ragged& ragged, int64_t max_elements)
      : ragged_(ragged),
        values_(ragged.values().array()),
        left_(max_elements) {}

  std::string Text() {
    int64_t rows = ragged_.splits(0).dim(0) - 1;
    List(rows, [&](int64_t r) { Row(0, r); });
    return std::move(out_);
  }

 private:
  template <class F>
  void List(int64_t n, F&& each) {
    out_ += '[';
    if (n == 0) --left_;  // there may be very many of nothing
    for (int64_t i = 0; i < n; ++i) {
      if (i > 0) out_ += ", ";
      if (left_ <= 0) {
        out_ += "...";
        break;
      }
      each(i);
    }
    out_ += ']';
  }

  // Row r of a level: of rows one level further in, or of values.
  void Row(int level, int64_t r) {
    const Array ends = ValueOrThrow(OnHost(ragged_.splits(level).array()));
    std::span<const int64_t> splits = ends.i64s();
    int64_t begin = splits[static_cast<size_t>(r)];
    List(splits[static_cast<size_t>(r) + 1] - begin, [&](int64_t i) {
      if (level + 1 < ragged_.depth()) {
        Row(level + 1, begin + i);
      } else {
        Slice(1, (begin + i) * values_.strides()[0]);
      }
    });
  }

  void Slice(int axis, int64_t at) {
    if (axis == values_.rank()) {
      out_ += Array::View(values_, at, Shape(), {}).ToString();
      --left_;
      return;
    }
    List(values_.dim(axis), [&](int64_t i) {
      Slice(axis + 1, at + i * values_.strides()[static_cast<size_t>(axis)]);
    });
  }

  const Ragged& ragged_;
  const Array& values_;
  int64_t left_;
  std::string out_;
};

}  // namespace

std::string Ragged::ToString(int64_t max_elements) const {
  if (!defined()) return "(nothing)";
  if (!symbolic() && !row_splits().symbolic()) {
    return Printer(*this, max_elements).Text();
  }
  std::string text = StrCat("ragged ", values_.ToString());
  for (const Tensor& splits : splits_) {
    StrAppend(text, ", splits ", splits.ToString());
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const Ragged& ragged) {
  return out << ragged.ToString();
}

}  // namespace sluice
