// Declarations shared by the files on sessions.
#pragma once

#include "session_object.h"

namespace sluice::py {

// The given session, or the innermost `with session:` of this thread. Throws
// TypeError or RuntimeError, which names `what`, if there is none.
SessionObject& SessionOr(nb::handle session, std::string_view what);

// One run, as in Session.run.
nb::object RunFetches(SessionObject& session, nb::handle fetches,
                      nb::handle feeds, nb::handle options,
                      nb::handle metadata);

// The given options; null for None, which means the defaults.
const RunOptions* OptionsFrom(nb::handle options);
RunMetadata* MetadataFrom(nb::handle metadata);
ExecutorChoice ExecutorFrom(std::string_view name);

void BindRunOptions(nb::module_& m);  // RunOptions, RunMetadata
void BindPartialRun(nb::module_& m);  // PartialStep
void BindDebug(nb::module_& m);       // Session.debug

}  // namespace sluice::py
