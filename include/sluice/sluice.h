// Sluice: dataflow machine learning. Everything a program needs:
//
//   #include <sluice/sluice.h>
//   namespace sl = sluice;
//
// Calls of the functions of <sluice/ops.h> (one per op, written at build time)
// run at once; inside a GraphScope they build a graph, which a Session runs;
// inside a function() they do the latter behind the scenes.
#pragma once

#include "sluice/base/error.h"
#include "sluice/data/data.h"
#include "sluice/front/autograd.h"
#include "sluice/front/call.h"
#include "sluice/front/collections.h"
#include "sluice/front/constants.h"
#include "sluice/front/control_flow.h"
#include "sluice/front/data_alias.h"
#include "sluice/front/debug.h"
#include "sluice/front/embedding.h"
#include "sluice/front/function.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/index.h"
#include "sluice/front/list.h"
#include "sluice/front/loop_report.h"
#include "sluice/front/manual_seed.h"
#include "sluice/front/operators.h"
#include "sluice/front/queue.h"
#include "sluice/front/ragged.h"
#include "sluice/front/ragged_math.h"
#include "sluice/front/ragged_products.h"
#include "sluice/front/ragged_rows.h"
#include "sluice/front/raw_control_flow.h"
#include "sluice/front/recursion.h"
#include "sluice/front/scope.h"
#include "sluice/front/sequences.h"
#include "sluice/front/session.h"
#include "sluice/front/stack.h"
#include "sluice/front/state_dict.h"
#include "sluice/front/tensor.h"
#include "sluice/front/tensor_array.h"
#include "sluice/front/value_and_grad.h"
#include "sluice/front/variable.h"
#include "sluice/front/variable_files.h"
#include "sluice/front/version.h"
#include "sluice/front/vmap.h"
#include "sluice/io/io.h"
#include "sluice/io/npy.h"
#include "sluice/nn/nn.h"
#include "sluice/ops.h"
#include "sluice/optim/optim.h"
#include "sluice/report/report.h"
#include "sluice/train/train.h"
