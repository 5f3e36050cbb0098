#include "sluice/report/confusion.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/tensor.h"
#include "sluice/report/table.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::report {

namespace {

constexpr int64_t kMostClasses = 1 << 14;
constexpr int64_t kMostShown = 16;

double Ratio(int64_t part, int64_t whole) {
  if (whole == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::string Percent(double ratio) {
  if (std::isnan(ratio)) return "-";
  char text[16];
  std::snprintf(text, sizeof text, "%.1f%%", ratio * 100);
  return text;
}

std::vector<int64_t> Integers(const Array& array) {
  Array flat = ValueOrThrow(array.AsContiguous());
  std::vector<int64_t> values(static_cast<size_t>(flat.num_elements()));
  if (!IsInteger(flat.dtype())) return {};
  DispatchReals(flat.dtype(), [&]<class T>() {
    const T* from = static_cast<const T*>(flat.raw());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<int64_t>(from[i]);
    }
  });
  return values;
}

// The place of the highest score of each row. A NaN is never the highest.
std::vector<int64_t> Highest(const Array& scores) {
  Array flat = ValueOrThrow(scores.AsContiguous());
  int64_t rows = flat.dim(0), columns = flat.dim(1);
  std::vector<int64_t> best(static_cast<size_t>(rows), 0);
  DispatchFloats(flat.dtype(), [&]<class T>() {
    const T* row = static_cast<const T*>(flat.raw());
    for (int64_t r = 0; r < rows; ++r, row += columns) {
      int64_t at = 0;
      for (int64_t c = 1; c < columns; ++c) {
        auto score = static_cast<double>(row[c]);
        auto highest = static_cast<double>(row[at]);
        if (score > highest || (std::isnan(highest) && !std::isnan(score))) {
          at = c;
        }
      }
      best[static_cast<size_t>(r)] = at;
    }
  });
  return best;
}

std::vector<std::string> Numbers(int64_t classes) {
  if (classes < 1 || classes > kMostClasses) {
    throw Error(
        InvalidArgument(StrCat("[ConfusionMatrix] of ", classes,
                               " classes; wanted 1 to ", kMostClasses)));
  }
  std::vector<std::string> names;
  for (int64_t i = 0; i < classes; ++i) names.push_back(std::to_string(i));
  return names;
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(int64_t classes)
    : ConfusionMatrix(Numbers(classes)) {}

ConfusionMatrix::ConfusionMatrix(std::vector<std::string> names)
    : names_(std::move(names)) {
  Numbers(classes());  // for its check
  counts_.assign(names_.size() * names_.size(), 0);
}

void ConfusionMatrix::CheckClass(int64_t cls, const char* what) const {
  if (cls >= 0 && cls < classes()) return;
  throw Error(OutOfRange(StrCat("[ConfusionMatrix] ", what, " is class ", cls,
                                "; wanted 0 to ", classes() - 1)));
}

void ConfusionMatrix::add(int64_t truth, int64_t predicted, int64_t times) {
  CheckClass(truth, "truth");
  CheckClass(predicted, "prediction");
  counts_[At(truth, predicted)] += times;
}

void ConfusionMatrix::add(const Tensor& truth, const Tensor& predicted) {
  const Array t = ValueOrThrow(OnHost(truth.array()));
  const Array p = ValueOrThrow(OnHost(predicted.array()));
  bool scores = p.rank() == 2 && IsFloating(p.dtype());
  bool agree =
      IsInteger(t.dtype()) &&
      (scores ? t.num_elements() == p.dim(0) && p.dim(1) == classes()
              : IsInteger(p.dtype()) && t.num_elements() == p.num_elements());
  if (!agree) {
    throw Error(InvalidArgument(
        StrCat("[ConfusionMatrix] truth is ", t.TypeText(), ", predicted is ",
               p.TypeText(), "; wanted n integers and n integers or scores [n,",
               classes(), "]")));
  }
  std::vector<int64_t> are = Integers(t);
  std::vector<int64_t> taken_for = scores ? Highest(p) : Integers(p);
  for (int64_t cls : are) CheckClass(cls, "truth");
  for (int64_t cls : taken_for) CheckClass(cls, "prediction");
  for (size_t i = 0; i < are.size(); ++i) ++counts_[At(are[i], taken_for[i])];
}

int64_t ConfusionMatrix::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), int64_t{0});
}

int64_t ConfusionMatrix::count(int64_t truth, int64_t predicted) const {
  CheckClass(truth, "truth");
  CheckClass(predicted, "prediction");
  return counts_[At(truth, predicted)];
}

int64_t ConfusionMatrix::RowSum(int64_t truth) const {
  int64_t sum = 0;
  for (int64_t c = 0; c < classes(); ++c) sum += counts_[At(truth, c)];
  return sum;
}

int64_t ConfusionMatrix::ColumnSum(int64_t predicted) const {
  int64_t sum = 0;
  for (int64_t c = 0; c < classes(); ++c) sum += counts_[At(c, predicted)];
  return sum;
}

double ConfusionMatrix::accuracy() const {
  int64_t right = 0;
  for (int64_t c = 0; c < classes(); ++c) right += counts_[At(c, c)];
  return Ratio(right, total());
}

double ConfusionMatrix::precision(int64_t cls) const {
  return Ratio(count(cls, cls), ColumnSum(cls));
}

double ConfusionMatrix::recall(int64_t cls) const {
  return Ratio(count(cls, cls), RowSum(cls));
}

double ConfusionMatrix::f1(int64_t cls) const {
  return Ratio(2 * count(cls, cls), RowSum(cls) + ColumnSum(cls));
}

std::string ConfusionMatrix::text() const {
  int64_t right = 0;
  for (int64_t c = 0; c < classes(); ++c) right += counts_[At(c, c)];
  return StrCat(classes() <= kMostShown ? WholeText() : WorstText(),
                "accuracy ", Percent(accuracy()), " (", right, " of ", total(),
                ")\n");
}

std::string ConfusionMatrix::WholeText() const {
  std::vector<std::string> head = {"is \\ taken for"};
  head.insert(head.end(), names_.begin(), names_.end());
  head.insert(head.end(), {"precision", "recall", "f1"});
  Table table(head);
  for (int64_t r = 0; r < classes(); ++r) {
    std::vector<std::string> cells = {names_[static_cast<size_t>(r)]};
    for (int64_t c = 0; c < classes(); ++c) {
      cells.push_back(StrCat(counts_[At(r, c)]));
    }
    cells.insert(cells.end(),
                 {Percent(precision(r)), Percent(recall(r)), Percent(f1(r))});
    table.row(std::move(cells));
  }
  return table.text();
}

std::string ConfusionMatrix::WorstText() const {
  struct Class {
    int64_t mistakes, number;
  };
  std::vector<Class> worst;
  for (int64_t c = 0; c < classes(); ++c) {
    int64_t mistakes = RowSum(c) - counts_[At(c, c)];
    if (mistakes > 0) worst.push_back({mistakes, c});
  }
  std::sort(worst.begin(), worst.end(), [](const Class& a, const Class& b) {
    return a.mistakes != b.mistakes ? a.mistakes > b.mistakes
                                    : a.number < b.number;
  });
  auto wrong = static_cast<int64_t>(worst.size());
  if (wrong > kMostShown) worst.resize(static_cast<size_t>(kMostShown));
  Table table({"class", "seen", "wrong", "precision", "recall", "f1",
               "most often taken for"});
  for (const Class& w : worst) {
    int64_t r = w.number, other = -1;
    for (int64_t c = 0; c < classes(); ++c) {
      if (c == r ||
          (other >= 0 && counts_[At(r, c)] <= counts_[At(r, other)])) {
        continue;
      }
      other = c;
    }
    table.row({names_[static_cast<size_t>(r)], StrCat(RowSum(r)),
               StrCat(w.mistakes), Percent(precision(r)), Percent(recall(r)),
               Percent(f1(r)),
               StrCat(names_[static_cast<size_t>(other)], " (",
                      counts_[At(r, other)], ")")});
  }
  return StrCat("mistakes in ", wrong, " of ", classes(), " classes",
                wrong > kMostShown ? ", the worst of them" : "", ":\n",
                table.text());
}

}  // namespace sluice::report
