// Mixed precision on this thread: products and convolutions in bf16 or f16;
// losses and sums of many numbers in f32; everything else in the type of its
// operands.
//
//   {
//     sl::Autocast low(sl::bf16);
//     loss = cross_entropy(model(x), y);   // parameters stay f32
//   }
//   loss.backward();                         // gradients of parameters are f32
//
// Operands are cast as the calls are made, imperative ones and those of a graph
// or a captured function alike; gradients flow back through the casts. A
// captured function is recorded anew where it is first called under another
// setting. f64 is left alone.
#pragma once

#include <source_location>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/eager/operand.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

struct OpRecord;

class [[nodiscard]] Autocast {
 public:
  // bf16 or f16; disabled, calls are left alone inside. Throws for other types.
  explicit Autocast(DType dtype = DType::kBF16, bool enabled = true);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  DType saved_;
};

// The type that is in force here; kInvalid: none.
DType autocast_type();

namespace front_internal {

// kInvalid when off; for scopes that have no place on the stack.
DType ExchangeAutocast(DType dtype);

// The type that input `i` of the op is cast to when it has this type; that type
// itself where nothing is cast. `first`: the type of the op's first operand.
// REQUIRES: autocast_type() is valid.
DType AutocastOperand(const OpRecord& op, size_t i, DType operand, DType first);

// The operands as the op takes them here; empty: as they are.
std::vector<Operand> AutocastOperands(std::string_view op,
                                      std::span<const Operand> inputs,
                                      std::source_location where);

// The tensor in the type of products, where one is in force and it is of
// another type that is cast. Nothing stays nothing.
Tensor Lowered(const Tensor& tensor, std::source_location where);

}  // namespace front_internal
}  // namespace sluice
