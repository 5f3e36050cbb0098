// SL_ASAN, SL_TSAN: 1 if this code is compiled with AddressSanitizer or
// ThreadSanitizer, else 0. g++ defines a macro, clang a feature.
#pragma once

#if defined(__has_feature)
#define SL_HAS_FEATURE(x) __has_feature(x)
#else
#define SL_HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || SL_HAS_FEATURE(address_sanitizer)
#define SL_ASAN 1
#else
#define SL_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || SL_HAS_FEATURE(thread_sanitizer)
#define SL_TSAN 1
#else
#define SL_TSAN 0
#endif
