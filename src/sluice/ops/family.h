// A family: ops whose records differ in a few words, such as convolutions over
// 1, 2 and 3 axes. The record is written once, as a function, and each op of
// the family is a line:
//
//   template <int kAxes>
//   OpDefinition& AvgPool(OpDefinition&& op, std::string_view name) {
//     return op.input("x: T").output("y: T").shape(pool_shape<kAxes>)
//         .rejects(PoolRejects(name, kAxes));
//   }
//   SL_OP_OF(AvgPool1D, AvgPool<1>).doc("...");
//   SL_OP_OF(AvgPool2D, AvgPool<2>).doc("...");
//
// What only one op says follows its line. The definition lives until the end
// of the statement. Runs before main().
#pragma once

#include <string_view>

#include "sluice/op/record.h"

#define SL_OP_OF(Name, ...)                                             \
  [[maybe_unused]] static const ::sluice::OpRegistration sl_op_##Name = \
      (__VA_ARGS__)(::sluice::OpDefinition(#Name), #Name)
