// What the files on sessions share.
#pragma once

#include "session_object.h"

namespace sluice::py {

// The session given, or the innermost `with session:` of this thread. Throws
// TypeError or RuntimeError, which names `what`, when there is none.
SessionObject& SessionOr(nb::handle session, std::string_view what);

// One run, as Session.run has it.
nb::object RunFetches(SessionObject& session, nb::handle fetches,
                      nb::handle feeds, nb::handle options,
                      nb::handle metadata);

// The options given; null for None, whose defaults hold.
const RunOptions* OptionsFrom(nb::handle options);
RunMetadata* MetadataFrom(nb::handle metadata);
ExecutorChoice ExecutorFrom(std::string_view name);

void BindRunOptions(nb::module_& m);  // RunOptions, RunMetadata
void BindPartialRun(nb::module_& m);  // PartialStep
void BindDebug(nb::module_& m);       // Session.debug

}  // namespace sluice::py
