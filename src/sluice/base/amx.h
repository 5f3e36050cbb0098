// Whether this process may use AMX, the tile registers of x86_64 processors
// that multiply small matrices of bf16 and int8. The system must be asked: a
// thread that uses them has more state to keep.
//
// SLUICE_CPU with any level of x86_64 ("avx512", "avx2", "baseline") leaves
// them alone.
#pragma once

namespace sluice {

// The answer to the first call holds for the process; any thread may ask.
bool AmxAllowed();

}  // namespace sluice
