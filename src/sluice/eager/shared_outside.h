// Memory of imperative tensors that other libraries see as well, such as a
// numpy array over the same elements. They may write to it, and no WriteLog
// counts that. Gradients stay right all the same:
//
//   - a call recorded while the memory is shared keeps a copy of what its
//     gradient needs (OpTapeNode::Save), so that later writes cannot matter;
//   - of what was kept before, a checksum tells whether it was written since,
//     and the write is then counted like any other: backward() refuses it.
// Memory of a GPU is not watched: writes there go unnoticed.
//
// One SharedOutside is one such sharing, alive as long as it lasts. Thread
// safe; costs nothing where nothing is shared.
#pragma once

#include <atomic>
#include <cstdint>

#include "sluice/eager/eager_value.h"

namespace sluice {

class SharedOutside {
 public:
  // Elements of ours that others see from now on. `line`: where.
  SharedOutside(EagerValue& value, SourceLine line);
  // Elements of others: all that keep them do so after this.
  explicit SharedOutside(WriteLog& log);
  ~SharedOutside();
  SharedOutside(const SharedOutside&) = delete;
  SharedOutside& operator=(const SharedOutside&) = delete;

  // Whether values with this log are shared now.
  static bool Is(const WriteLog* log) {
    return log && any_.load() && Find(log);
  }
  // A checksum of elements of the host; 0 of others.
  static uint32_t SumOf(const Array& array);
  // Counts what others have written since the sharing began.
  static void NoticeWrites(WriteLog* log) {
    if (log && any_.load()) Notice(*log);
  }

 private:
  static bool Find(const WriteLog* log);
  static void Notice(WriteLog& log);
  void Join();
  void Look();

  static std::atomic<int> any_;  // how many there are

  Ref<WriteLog> log_;
  Array array_;  // null: nothing to look at
  uint32_t sum_ = 0;
  SourceLine line_;
};

}  // namespace sluice
