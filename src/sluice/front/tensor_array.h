// TensorArray: a list under the rules of write-once arrays, for programs that
// were written with them: an index is written once, and read once unless
// clear_after_read is off; the size is fixed unless dynamic_size is on.
//
//   sl::TensorArray ta(sl::f32, 3);
//   ta = ta.write(0, x);
//   auto all = ta.stack();
//
// List (front/list.h) has none of these rules. Like a List it is a value: a
// write gives a new array and there is no flow to pass on; a read that clears
// changes this one. Loops carry it and branches return it.
//
// A handle of a few words. Errors throw sluice::Error.
#pragma once

#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/eager/operand.h"
#include "sluice/eager/sizes.h"
#include "sluice/front/structure.h"

namespace sluice {

struct TensorArrayOptions {
  bool dynamic_size = false;        // a write beyond the end makes it longer
  bool clear_after_read = true;     // an element read is gone
  PartialSizes element_shape{};     // what is known of every element's shape
  bool infer_shape = true;          // take more of it from what is written
  std::string tensor_array_name{};  // for messages
};

class TensorArray {
 public:
  using Where = std::source_location;

  TensorArray() = default;
  TensorArray(DType dtype, const Operand& size,
              const TensorArrayOptions& options = {},
              Where where = Where::current());
  // The same array as `like` with another list in it.
  TensorArray(Tensor list, const TensorArray& like);

  TensorArray write(const Operand& index, const Operand& x,
                    Where where = Where::current()) const&;
  TensorArray write(const Operand& index, const Operand& x,
                    Where where = Where::current()) &&;
  // Slices of x along its first axis, from index 0 on; stretches of it; and
  // slice k at indices[k].
  TensorArray unstack(const Operand& x, Where where = Where::current()) const;
  TensorArray split(const Operand& x, const Operand& lengths,
                    Where where = Where::current()) const;
  TensorArray scatter(const Operand& indices, const Operand& x,
                      Where where = Where::current()) const;

  // Never written: zeros, if the shape is known.
  Tensor read(const Operand& index, Where where = Where::current());
  // These leave the elements where they are.
  Tensor stack(Where where = Where::current()) const;
  Tensor gather(const Operand& indices, Where where = Where::current()) const;
  Tensor concat(Where where = Where::current()) const;
  Tensor size(Where where = Where::current()) const;
  // Lets the elements go; using it afterwards is an error.
  void close() { *this = Closed(); }

  DType dtype() const { return dtype_; }
  const PartialShape& element_shape() const { return shape_; }
  const Tensor& tensor() const { return list_; }

 private:
  TensorArray Closed() const;
  const Tensor& Open(std::string_view what, Where where) const;
  // This array with what has become of its list, holding elements of `shape`.
  TensorArray After(Tensor list, const PartialShape& shape,
                    std::string_view what, Where where) const;
  TensorArray WriteAll(Tensor pieces, const PartialShape& shape,
                       std::string_view what, Where where) const;

  Tensor list_;
  DType dtype_ = DType::kInvalid;
  PartialShape shape_;
  bool dynamic_ = false, clear_ = true, infer_ = true;
  std::string name_;
};

template <>
struct Structure<TensorArray> {
  static void Flatten(const TensorArray& a, std::vector<Tensor>& out) {
    out.push_back(a.tensor());
  }
  static TensorArray Rebuild(const TensorArray& like, TensorReader& in) {
    return TensorArray(in.Next(), like);
  }
  static std::string Text(const TensorArray& a) {
    return "array of " + std::string(DTypeName(a.dtype()));
  }
};

}  // namespace sluice
