#include "sluice/eager/operand.h"

#include <utility>

namespace sluice {

OperandList::OperandList(std::initializer_list<Operand> operands)
    : list_(operands) {}
OperandList::OperandList(std::vector<Operand> operands)
    : list_(std::move(operands)) {}
OperandList::OperandList(const std::vector<Tensor>& tensors)
    : list_(tensors.begin(), tensors.end()) {}

}  // namespace sluice
