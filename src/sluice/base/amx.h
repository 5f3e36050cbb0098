// Whether this process may use AMX, the tile registers of x86_64 processors
// that multiply small matrices of bf16 and int8. The system must grant
// permission, because threads that use them have more state to save.
//
// Any x86_64 level in SLUICE_CPU ("avx512", "avx2", "baseline") disables them.
#pragma once

namespace sluice {

// The first call decides for the process; any thread may call.
bool AmxAllowed();

}  // namespace sluice
