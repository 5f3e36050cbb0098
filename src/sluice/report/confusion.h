// ConfusionMatrix: which classes a classifier takes for which.
//
//   report::ConfusionMatrix seen({"cat", "dog"});
//   seen.add(labels, net(images));        // of every batch
//   std::cout << seen.text();             // counts, precision, recall
//
// Throws sluice::Error for classes that do not exist; nothing of that call is
// then counted. A plain value, not thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {
class Tensor;
}

namespace sluice::report {

class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(int64_t classes);  // named "0", "1", ...
  explicit ConfusionMatrix(std::vector<std::string> names);

  void add(int64_t truth, int64_t predicted, int64_t times = 1);
  // `truth`: n integers. `predicted`: n integers, or [n, classes] scores, the
  // highest of which is the prediction (the first of equal ones).
  void add(const Tensor& truth, const Tensor& predicted);

  int64_t classes() const { return static_cast<int64_t>(names_.size()); }
  int64_t total() const;
  int64_t count(int64_t truth, int64_t predicted) const;
  // Of all, how many are right; NaN when there are none, as below.
  double accuracy() const;
  // Of those taken for `cls`, how many are.
  double precision(int64_t cls) const;
  // Of those that are `cls`, how many are taken for it.
  double recall(int64_t cls) const;
  // Of both: 2 p r / (p + r).
  double f1(int64_t cls) const;

  // Rows are what it is, columns what it is taken for, then precision, recall
  // and f1. Of more than 16 classes only those with most mistakes, and what
  // they are taken for.
  std::string text() const;

 private:
  void CheckClass(int64_t cls, const char* what) const;
  size_t At(int64_t truth, int64_t predicted) const {
    return static_cast<size_t>(truth * classes() + predicted);
  }
  std::string WholeText() const;
  std::string WorstText() const;
  int64_t RowSum(int64_t truth) const;
  int64_t ColumnSum(int64_t predicted) const;

  std::vector<std::string> names_;
  std::vector<int64_t> counts_;  // [truth, predicted]
};

}  // namespace sluice::report
