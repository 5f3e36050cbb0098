// Scopes around launches on a GPU from this thread. They live on the stack of
// the launching thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/base/thread_owned.h"

namespace sluice {

class Array;
struct CudaMaskedChecks;
struct CudaRecordingScope;

// The scopes of this header that are active on a thread.
struct CudaScopes {
  const std::function<void(const Status&)>* late = nullptr;
  bool says_where = true;
  CudaMaskedChecks* masked = nullptr;
  const void* key_at = nullptr;
  const CudaRecordingScope* recording = nullptr;
  // The last recorded operation is not a kernel: the next launch waits for all
  // of it.
  bool behind_other = false;

  static CudaScopes& Here() { return ThreadOwned<CudaScopes>::Get(); }
};

// The receiver of errors that a launched kernel finds after its launch has
// returned.
class [[nodiscard]] CudaLaunchScope {
 public:
  using LateFn = std::function<void(const Status&)>;

  // `says_where`: `late` adds the user's line itself.
  explicit CudaLaunchScope(const LateFn& late, bool says_where = true)
      : outer_(CudaScopes::Here().late),
        outer_says_where_(CudaScopes::Here().says_where) {
    CudaScopes::Here().late = &late;
    CudaScopes::Here().says_where = says_where;
  }
  ~CudaLaunchScope() {
    CudaScopes::Here().late = outer_;
    CudaScopes::Here().says_where = outer_says_where_;
  }
  CudaLaunchScope(const CudaLaunchScope&) = delete;
  CudaLaunchScope& operator=(const CudaLaunchScope&) = delete;

  static LateFn Late() {
    const LateFn* late = CudaScopes::Here().late;
    return late ? *late : LateFn();
  }
  static bool SaysWhere() { return CudaScopes::Here().says_where; }

 private:
  const LateFn* const outer_;
  const bool outer_says_where_;
};

// Reports the errors found by kernels only if a flag in GPU memory holds after
// they have run: the kernels write to intermediate memory, which another launch
// inspects.
struct CudaMaskedChecks {
  static constexpr size_t kMost = 8;  // slots per launch
  // Of the intermediate memory; initially zero.
  static constexpr int64_t kBytes = 256;

  const void* const live;
  char* const between;
  std::vector<uint64_t> taken;  // slots of the current launch
  Status status;                // of the inspecting launches

  CudaMaskedChecks(const void* flag, void* places)
      : live(flag), between(static_cast<char*>(places)) {
    CudaScopes::Here().masked = this;
  }
  ~CudaMaskedChecks() { CudaScopes::Here().masked = nullptr; }
  CudaMaskedChecks(const CudaMaskedChecks&) = delete;
  CudaMaskedChecks& operator=(const CudaMaskedChecks&) = delete;

  // Null: all errors are reported.
  static CudaMaskedChecks* Current() { return CudaScopes::Here().masked; }
};

// For launches of kernels that draw random numbers: the address in GPU memory
// of the key of this run.
class [[nodiscard]] CudaDrawScope {
 public:
  explicit CudaDrawScope(const void* key_at) {
    CudaScopes::Here().key_at = key_at;
  }
  ~CudaDrawScope() { CudaScopes::Here().key_at = nullptr; }
  CudaDrawScope(const CudaDrawScope&) = delete;
  CudaDrawScope& operator=(const CudaDrawScope&) = delete;

  // Null: the launch passes the key as a parameter.
  static const void* KeyAt() { return CudaScopes::Here().key_at; }
};

// Marks launches as recorded, to run many times. Their scratch space is added
// to `kept` and lives as long as the recording. Their errors are reported
// through `checks` to the receiver that `late` names at that time.
struct CudaRecordingScope {
  std::vector<Array>* const kept;
  std::vector<uint64_t>* const checks;  // slots of LateChecks
  const std::shared_ptr<CudaLaunchScope::LateFn> late;

  CudaRecordingScope(std::vector<Array>* k, std::vector<uint64_t>* c,
                     std::shared_ptr<CudaLaunchScope::LateFn> l)
      : kept(k), checks(c), late(std::move(l)) {
    CudaScopes::Here().recording = this;
  }
  ~CudaRecordingScope() { CudaScopes::Here().recording = nullptr; }
  CudaRecordingScope(const CudaRecordingScope&) = delete;
  CudaRecordingScope& operator=(const CudaRecordingScope&) = delete;

  // Null: launches run once, now.
  static const CudaRecordingScope* Current() {
    return CudaScopes::Here().recording;
  }
};

}  // namespace sluice
