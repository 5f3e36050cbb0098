// Variable: an array that survives steps, as the user's program sees it.
//
//   auto w = sl::variable(sl::zeros({784, 100}), "w");
//   auto y = sl::matmul(x, w);                  // reads w
//   auto train = w.assign_sub(0.1f * gradient); // changes it
//   session.run(sl::initialize_variables(graph));
//
// Each use reads the variable where it stands in the program: what is written
// after an assign sees the new value, what is written before it the old one.
// A handle, copied freely.
//
// In a graph the value lives in a session, and the graph must outlive the
// handle. Elsewhere a variable is an imperative tensor that requires gradients:
// a read gives that tensor, changes are made at once and return an Operation
// that holds nothing. So one text serves both. In a captured function a
// variable is made once (front/function.h).
//
// In an inline namespace because the engine's own class has the same name.
#pragma once

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/eager/operand.h"
#include "sluice/eager/sizes.h"

namespace sluice {

// Variables of one shared name in one container are one, also across graphs
// whose sessions share state.
struct VariableOptions {
  std::string container{};
  std::string shared_name{};  // empty: the node's name
};

inline namespace front {

class Variable {
 public:
  using Where = std::source_location;

  Variable() = default;
  // An imperative tensor. Throws for part of a graph.
  explicit Variable(const Tensor& imperative);
  // The variable of a graph by its handle, as handle() gives it.
  static Variable OfHandle(const Tensor& handle);

  bool defined() const { return handle_.defined() || value_.defined(); }
  // Part of a graph.
  bool symbolic() const { return handle_.defined(); }

  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return shape_; }
  std::string name() const;

  // The value at this place of the program.
  Tensor read(Where where = Where::current()) const;
  operator Tensor() const;
  // The value before anything this step does to it; what fetching reads.
  Tensor value() const { return value_; }
  // The imperative tensor. Throws for part of a graph.
  const Tensor& tensor() const;

  Operation assign(const Operand& value, std::string_view name = {},
                   Where where = Where::current()) const;
  Operation assign_add(const Operand& value, std::string_view name = {},
                       Where where = Where::current()) const;
  Operation assign_sub(const Operand& value, std::string_view name = {},
                       Where where = Where::current()) const;
  // Slices along axis 0, at a vector of indices: the rest is not touched.
  Operation scatter_add(const Operand& indices, const Operand& values,
                        Where where = Where::current()) const;
  Operation scatter_sub(const Operand& indices, const Operand& values,
                        Where where = Where::current()) const;
  Operation scatter_update(const Operand& indices, const Operand& values,
                           Where where = Where::current()) const;
  Tensor is_initialized(Where where = Where::current()) const;

  // Assigns the initial value. Throws when the variable was made without one,
  // and for one that is imperative.
  Operation initializer() const;

  const Tensor& handle() const { return handle_; }  // of type resource

 private:
  friend Variable MakeVariable(const Tensor& handle, DType dtype,
                               const PartialShape& shape);
  Operation Change(std::string_view op, const Operand& value,
                   std::string_view name, Where where) const;
  Operation ChangeRows(std::string_view op, const Operand& indices,
                       const Operand& values, Where where) const;
  void CheckFits(std::string_view op, const Operand& value, Where where) const;
  Tensor Read(SourceLine line, std::string_view name) const;

  Tensor handle_;  // holds nothing: imperative
  Tensor value_;
  DType dtype_ = DType::kInvalid;
  PartialShape shape_;
};

}  // namespace front

// Imperatively the value is copied, and floats require gradients.
Variable variable(const Operand& initial, std::string_view name = {},
                  const VariableOptions& options = {},
                  std::source_location where = std::source_location::current());
// Without an initial value: something must be assigned before it is read.
Variable variable(DType dtype, const PartialSizes& shape,
                  std::string_view name = {},
                  const VariableOptions& options = {},
                  std::source_location where = std::source_location::current());

// The variables that a value of a graph depends on, in the order they were
// made.
std::vector<Variable> variables_behind(const Tensor& value);

// One operation that gives every variable the graph has so far its initial
// value, in the order they were made.
Operation initialize_variables(
    Graph& graph, std::source_location where = std::source_location::current());

}  // namespace sluice
