// Writes through views, imperatively. Elements are shared anyway; this tells
// the tape. A view that is written while calls are recorded changes the history
// of the value it looks into, and with it all views of that value.
#pragma once

#include "sluice/eager/eager_call.h"

namespace sluice {

// `view` shows what the op shows of its first input.
void NoteView(EagerValue& view, const OpRecord& op, const Attrs& attrs,
              EagerPointers inputs, bool records);

// A value that was given other memory is nothing its old views look into: they
// stand by themselves from then on.
void ForgetMovedBase(EagerValue& view);

// A view that stands alone (below) over what nobody else holds, as a parameter
// made of a tensor that is gone, is no view of anything.
void ForgetUnseenBase(EagerValue& view);

// Gradients do not flow from the view to what it looks into, as detach() gives
// it: a leaf of its own over the same elements. Its views are views of it, and
// a recorded write to it, or through them, gives it a history that what it
// looks into does not share.
bool StandsAlone(const EagerValue& view);

// The view's history, if that of what it looks into has changed since.
void RefreshView(EagerValue& view);

// Gradients of `view` go by the call that made `part` of the same elements, as
// long as nobody writes them: one call that cuts a tensor into many parts has
// one gradient, where each view by itself has one as large as the tensor.
void ComeFrom(EagerValue& view, const EagerValue& part);

// `view` was written by a recorded call: so was what it looks into, unless the
// view stands alone.
void ChangeHistory(EagerValue& view, const SourceLine& line);

}  // namespace sluice
