// OpFace: the properties of an op that user-level functions need: whether it is
// a method of Tensor, and which types its results keep. Declared in the op's
// file, after the record:
//
//   SL_FACE(Relu).method().keeps(kInts | DTypeSet{DType::kBool});
//
// Separate from the record, which every op's file includes and most code does
// not need. Made before main(), immutable afterwards; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/tensor/dtype.h"

namespace sluice {

class OpFace {
 public:
  // t.relu() for relu(t): the tensor is the first operand.
  OpFace& method() {
    is_method_ = true;
    return *this;
  }
  // If operands have these types, which the op does not support, the results
  // are cast back to the operands' type: bools are added as integers, and give
  // a bool.
  OpFace& keeps(DTypeSet types) {
    kept_types_ = types;
    return *this;
  }

  bool is_method() const { return is_method_; }
  DTypeSet kept_types() const { return kept_types_; }

 private:
  bool is_method_ = false;
  DTypeSet kept_types_;
};

// The OpFace of the op with this name; a default one for ops without an
// SL_FACE.
const OpFace& FaceOf(std::string_view op);
// The names of the ops that have one, sorted.
std::vector<std::string_view> OpsWithFaces();

namespace face_internal {
OpFace& New(std::string_view op);
}  // namespace face_internal

}  // namespace sluice

#define SL_FACE(Name)                                              \
  [[maybe_unused]] static const ::sluice::OpFace& sl_face_##Name = \
      ::sluice::face_internal::New(#Name)
