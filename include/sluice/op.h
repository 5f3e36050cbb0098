// What an op of one's own needs: its record (SL_OP), the contexts of its
// gradient and batching rules, and kernels of elementwise ops from one formula.
//
//   #include <sluice/op.h>
//
//   SL_OP(Isru)
//       .doc("x / sqrt(1 + x^2), elementwise.")
//       .input("x: T").output("y: T").types("T", sl::kFloats)
//       .elementwise(sl::unary_block<IsruFn>);
//
// The op belongs to the program or library whose file this is in, and is
// called by its name: sl::call("Isru", {x}). docs/add_an_op.md says what
// the lines mean.
#pragma once

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/record.h"
