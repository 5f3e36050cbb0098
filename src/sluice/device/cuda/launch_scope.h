// What surrounds launches on a GPU from this thread. On the stack of whoever
// launches.
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

// The scopes below that a thread is in.
struct CudaScopes {
  const std::function<void(const Status&)>* late = nullptr;
  bool says_where = true;
  CudaMaskedChecks* masked = nullptr;
  const void* key_at = nullptr;
  const CudaRecordingScope* recording = nullptr;
  // What was recorded last is no kernel: the next launch waits for all of it.
  bool behind_other = false;

  static CudaScopes& Here() { return ThreadOwned<CudaScopes>::Get(); }
};

// Whom a kernel being launched tells what it finds wrong after the launch has
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

// What kernels find wrong is told only if a flag in the GPU's memory holds when
// they have run: they write to places between, which another launch looks at.
struct CudaMaskedChecks {
  static constexpr size_t kMost = 8;      // slots of one launch
  static constexpr int64_t kBytes = 256;  // of the places; zero at first

  const void* const live;
  char* const between;
  std::vector<uint64_t> taken;  // slots of the launch that is under way
  Status status;                // of the launches that looked

  CudaMaskedChecks(const void* flag, void* places)
      : live(flag), between(static_cast<char*>(places)) {
    CudaScopes::Here().masked = this;
  }
  ~CudaMaskedChecks() { CudaScopes::Here().masked = nullptr; }
  CudaMaskedChecks(const CudaMaskedChecks&) = delete;
  CudaMaskedChecks& operator=(const CudaMaskedChecks&) = delete;

  // Null: whatever is found is told.
  static CudaMaskedChecks* Current() { return CudaScopes::Here().masked; }
};

// A kernel that draws random numbers is being launched: it finds the key of
// this run's there, in the GPU's memory.
class [[nodiscard]] CudaDrawScope {
 public:
  explicit CudaDrawScope(const void* key_at) {
    CudaScopes::Here().key_at = key_at;
  }
  ~CudaDrawScope() { CudaScopes::Here().key_at = nullptr; }
  CudaDrawScope(const CudaDrawScope&) = delete;
  CudaDrawScope& operator=(const CudaDrawScope&) = delete;

  // Null: the launch takes the key along.
  static const void* KeyAt() { return CudaScopes::Here().key_at; }
};

// Launches are being recorded, to be run many times: scratch space they take
// is put into `kept`, and lives as long as the recording; what they find wrong
// is told to whoever `late` says then, by way of `checks`.
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
