// Sluice: dataflow machine learning. Everything a program needs:
//
//   #include <sluice/sluice.h>
//   namespace sl = sluice;
//
// Graphs are built with tensors, variables, queues and the functions of
// <sluice/ops.h> (one per op, written at build time), and run by a Session.
#pragma once

#include "sluice/base/error.h"
#include "sluice/front/call.h"
#include "sluice/front/collections.h"
#include "sluice/front/constants.h"
#include "sluice/front/operators.h"
#include "sluice/front/queue.h"
#include "sluice/front/scope.h"
#include "sluice/front/session.h"
#include "sluice/front/tensor.h"
#include "sluice/front/variable.h"
#include "sluice/front/version.h"
#include "sluice/ops.h"
