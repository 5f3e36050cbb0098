// LAPACK, loaded on first use. The library is opened at run time and not
// linked: a program that factors nothing should neither need OpenBLAS on its
// machine nor load 30 MB and start its threads. A private handle keeps its
// symbols apart from those of another BLAS in the process.
//
// Matrices are column-major, sizes are 32-bit, arguments are passed by address
// as in Fortran, with the hidden lengths of letters at the end. OpenBLAS is set
// to one thread: Sluice runs several matrices in parallel instead, and a matrix
// yields the same bits under any load.
//
// SLUICE_LAPACK names another library ("none": no library). Loaded once, then
// only read; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice {

using LapackInt = int32_t;

// The routines of one precision (T is float or double).
template <class T>
struct LapackRoutines {
  using I = const LapackInt*;
  using Out = LapackInt*;
  using C = const char*;
  using L = size_t;

  void (*getrf)(I m, I n, T* a, I lda, Out pivots, Out info);
  void (*getri)(I n, T* a, I lda, I pivots, T* work, I lwork, Out info);
  void (*getrs)(C trans, I n, I nrhs, const T* a, I lda, I pivots, T* b, I ldb,
                Out info, L);
  void (*potrf)(C uplo, I n, T* a, I lda, Out info, L);
  void (*trsm)(C side, C uplo, C trans, C diag, I m, I n, const T* alpha,
               const T* a, I lda, T* b, I ldb, L, L, L, L);
  void (*gemm)(C ta, C tb, I m, I n, I k, const T* alpha, const T* a, I lda,
               const T* b, I ldb, const T* beta, T* c, I ldc, L, L);
  void (*gelqf)(I m, I n, T* a, I lda, T* tau, T* work, I lwork, Out info);
  void (*orglq)(I m, I n, I k, T* a, I lda, const T* tau, T* work, I lwork,
                Out info);
  void (*gesdd)(C job, I m, I n, T* a, I lda, T* s, T* u, I ldu, T* vt, I ldvt,
                T* work, I lwork, Out iwork, Out info, L);
  void (*syevd)(C job, C uplo, I n, T* a, I lda, T* w, T* work, I lwork,
                Out iwork, I liwork, Out info, L, L);
  void (*geev)(C jobvl, C jobvr, I n, T* a, I lda, T* wr, T* wi, T* vl, I ldvl,
               T* vr, I ldvr, T* work, I lwork, Out info, L, L);
  void (*gelsd)(I m, I n, I nrhs, T* a, I lda, T* b, I ldb, T* s,
                const T* rcond, Out rank, T* work, I lwork, Out iwork,
                Out info);
};

struct Lapack {
  LapackRoutines<float> f32;
  LapackRoutines<double> f64;
  // False for OpenBLAS built without threads, whose memory is not locked.
  bool concurrent = true;
  std::string library;  // the opened library, for messages

  template <class T>
  const LapackRoutines<T>& of() const {
    if constexpr (sizeof(T) == 4) {
      return f32;
    } else {
      return f64;
    }
  }
};

// Opens this library; false if it does not exist or lacks routines.
bool OpenLapack(const std::string& library, Lapack* out);

// Null if the machine has none.
const Lapack* FindLapack();

}  // namespace sluice
