// OpFace: what the functions that users call know of an op: whether it is a
// method of Tensor, and which types its results keep. Said in the op's file,
// below the record:
//
//   SL_FACE(Relu).method().keeps(kInts | DTypeSet{DType::kBool});
//
// Apart from the record, which every op's file reads and most need not know
// this. Made before main(), never changed afterwards; any thread.
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
  // Results of operands of these types, which the op does not take, have the
  // operands' type again: bools are added as integers, and give a bool.
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

// That of the op of this name; the same for ops without an SL_FACE.
const OpFace& FaceOf(std::string_view op);
// Names of the ops that have one, sorted.
std::vector<std::string_view> OpsWithFaces();

namespace face_internal {
OpFace& New(std::string_view op);
}  // namespace face_internal

}  // namespace sluice

#define SL_FACE(Name)                                              \
  [[maybe_unused]] static const ::sluice::OpFace& sl_face_##Name = \
      ::sluice::face_internal::New(#Name)
