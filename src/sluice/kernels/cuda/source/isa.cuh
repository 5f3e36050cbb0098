// Replaces kernels/cpu/isa.h: a GPU has one instruction set.
#pragma once

#define SL_INLINE __forceinline__
