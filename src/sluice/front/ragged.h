// Ragged: rows of different lengths without padding. The values of all rows lie
// one after the other along axis 0 of one tensor; row_splits, a vector of i64,
// says where rows begin: row r is values[row_splits[r], row_splits[r + 1]).
//
//   sl::Ragged words = sl::ragged({{3, 1}, {}, {4, 1, 5}});
//   sl::Ragged x = sl::embedding_lookup(table, words);    // [3, (n), size]
//   sl::Tensor mean = sl::row_mean(sl::relu(x));          // [3, size]
//
// Works imperatively, in graphs and in captured functions; what flows through
// values is differentiable. Nothing ever crosses the border of a row. Splits
// are checked where a Ragged is made: in a graph, when it runs.
//
// Rows may be grouped into rows of rows (nested). "Row" always means the
// innermost one; functions of values keep the groups, functions that pick or
// join rows take one level alone.
//
// front/ragged_math.h has arithmetic and reductions, front/ragged_rows.h picks
// and joins rows, front/ragged_products.h multiplies. Errors throw
// sluice::Error. A plain handle, copied freely; threads as for Tensor.
#pragma once

#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <source_location>
#include <string>
#include <vector>

#include "sluice/eager/operand.h"
#include "sluice/eager/tensor.h"
#include "sluice/front/structure.h"

namespace sluice {

class Ragged {
 public:
  using Where = std::source_location;

  Ragged() = default;

  // values[n, ...] and splits[rows + 1], which begin at 0, never fall and end
  // at n.
  static Ragged from_splits(const Tensor& values, const Operand& splits,
                            Where where = Where::current());
  // The length of each row; together n.
  static Ragged from_lengths(const Tensor& values, const Operand& lengths,
                             Where where = Where::current());
  // The row of each value, which never falls. -1: as many rows as the last
  // value says.
  static Ragged from_row_ids(const Tensor& values, const Operand& ids,
                             int64_t num_rows = -1,
                             Where where = Where::current());
  // padded[rows, width, ...]: of each row as many values as lengths say.
  static Ragged from_padded(const Tensor& padded, const Operand& lengths,
                            Where where = Where::current());
  // Rows of rows: group g is the rows [splits[g], splits[g + 1]).
  static Ragged from_rows(const Ragged& rows, const Operand& splits,
                          Where where = Where::current());

  bool defined() const { return values_.defined(); }
  bool symbolic() const { return values_.symbolic(); }
  DType dtype() const { return values_.dtype(); }

  const Tensor& values() const { return values_; }
  // Of the innermost rows.
  const Tensor& row_splits() const { return splits(depth() - 1); }
  // Levels of rows: 1, or more for rows of rows. Level 0 is the outermost.
  int depth() const { return static_cast<int>(splits_.size()); }
  const Tensor& splits(int level) const;

  int64_t num_rows() const;    // -1 when unknown
  int64_t num_values() const;  // in all rows; -1 when unknown
  // How many values the padded rows would hold: what is saved is this less
  // num_values(). Imperatively.
  int64_t padded_elements(Where where = Where::current()) const;
  Tensor row_lengths(Where where = Where::current()) const;
  Tensor row_ids(Where where = Where::current()) const;    // for each value
  Tensor row_count(Where where = Where::current()) const;  // a scalar of i64

  // The innermost rows without their groups; and one slice for each of them,
  // grouped as they are.
  Ragged inner() const;
  Ragged outer(const Tensor& per_row, Where where = Where::current()) const;

  // Other values, as many, in the same rows.
  Ragged with_values(const Tensor& values,
                     Where where = Where::current()) const;
  // f(values), where f gives one slice for each value.
  Ragged map(const std::function<Tensor(const Tensor&)>& f,
             Where where = Where::current()) const;

  // values[rows, longest row, ...], and where they are values: bool[rows,
  // longest row]. Filled with zeros (or empty strings), or with `fill`.
  struct Padded {
    Tensor values, mask;
  };
  Padded to_padded(Where where = Where::current()) const;
  Padded to_padded(const Operand& fill, Where where = Where::current()) const;
  // Imperatively, one tensor for each row.
  std::vector<Tensor> to_list(Where where = Where::current()) const;
  // "[[1, 2], [], [3]]"; in a graph what is known.
  std::string ToString(int64_t max_elements = 64) const;

  // For this library: parts that are known to fit.
  static Ragged Assemble(Tensor values, std::vector<Tensor> splits);
  const std::vector<Tensor>& all_splits() const { return splits_; }

 private:
  Tensor values_;
  std::vector<Tensor> splits_;
};

std::ostream& operator<<(std::ostream& out, const Ragged& ragged);

namespace front_internal {

Ragged RaggedLiteral(Array values, const std::vector<int64_t>& splits,
                     std::source_location where);

template <class T, class Rows>
Ragged MakeRagged(const Rows& rows, std::source_location where) {
  using E = Element<T>;
  std::vector<int64_t> splits{0};
  for (const auto& row : rows) {
    splits.push_back(splits.back() + static_cast<int64_t>(row.size()));
  }
  Array values =
      ValueOrThrow(Array::Make(DTypeOf<E>::value, Shape({splits.back()})));
  E* to = values.mutable_data<E>();
  for (const auto& row : rows) {
    for (const auto& v : row) *to++ = static_cast<E>(v);
  }
  return RaggedLiteral(std::move(values), splits, where);
}

}  // namespace front_internal

// ragged({{1, 2}, {}, {3}}), or ragged<float>(...): rows written down.
template <front_internal::ElementLike T>
Ragged ragged(std::initializer_list<std::initializer_list<T>> rows,
              std::source_location where = std::source_location::current()) {
  return front_internal::MakeRagged<T>(rows, where);
}
template <front_internal::ElementLike T>
Ragged ragged(const std::vector<std::vector<T>>& rows,
              std::source_location where = std::source_location::current()) {
  return front_internal::MakeRagged<T>(rows, where);
}

// Loops carry it and branches return it.
template <>
struct Structure<Ragged> {
  static void Flatten(const Ragged& r, std::vector<Tensor>& out) {
    out.push_back(r.values());
    out.insert(out.end(), r.all_splits().begin(), r.all_splits().end());
  }
  static Ragged Rebuild(const Ragged& like, TensorReader& in) {
    Tensor values = in.Next();
    std::vector<Tensor> splits;
    for (int i = 0; i < like.depth(); ++i) splits.push_back(in.Next());
    return Ragged::Assemble(std::move(values), std::move(splits));
  }
  static std::string Text(const Ragged& r) {
    return "ragged" + std::to_string(r.depth());
  }
};

}  // namespace sluice
