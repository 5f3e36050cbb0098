// The parts of the module, one function each, in the order in which they are
// added: a part may refer to classes of earlier ones.
#pragma once

#include "common.h"

namespace sluice::py {

// ---- Tensors ----
void BindTensorCreate(nb::module_& m);   // tensor, zeros, arange, ...
void BindTensorMethods(nb::module_& m);  // t.sum(), t.reshape(), t.item(), ...
void BindTensorIndex(nb::module_& m);    // t[...], t[...] = v
void BindTensorMemory(nb::module_& m);   // numpy, DLPack, pickling, sharing

// ---- Gradients ----
void BindAutograd(nb::module_& m);    // backward, hooks, no_grad, Function
void BindTransforms(nb::module_& m);  // grad, vjp, jvp, vmap, checkpoint

// ---- Graphs ----
void BindGraph(nb::module_& m);        // Graph, Operation, scopes, placeholder
void BindVariable(nb::module_& m);     // Variable
void BindList(nb::module_& m);         // List
void BindFunction(nb::module_& m);     // function
void BindControlFlow(nb::module_& m);  // cond, while_loop, scan, ...
void BindSession(nb::module_& m);      // Session
void BindResources(nb::module_& m);    // queues, tables, ...
void BindCluster(nb::module_& m);      // processes that run steps together

// ---- The stack ----
void BindNnModule(nb::module_& m);
void BindNnLayers(nb::module_& m);
void BindNnRecurrent(nb::module_& m);
void BindNnFunctional(nb::module_& m);
void BindOptim(nb::module_& m);
void BindIo(nb::module_& m);
void BindReport(nb::module_& m);
void BindData(nb::module_& m);

void BindInfo(nb::module_& m);  // versions, devices, op records

}  // namespace sluice::py
