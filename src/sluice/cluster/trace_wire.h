// Traces of tasks as messages, and the alignment of their clocks: every process
// has its own.
//
// A master sends a request at `asked` and receives the answer at `answered`, by
// its clock; the task received the request at `received` and answered at
// `sent`, by its own. If both directions take equally long, the task's clock is
// ahead by half of (received - asked) + (sent - answered).
//
// Plain functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/step/task_trace.h"

namespace sluice::cluster {

// Times are nanoseconds of the sender's clock.
struct WireTrace {
  struct Row {
    std::string name, op, line, device;
    uint32_t worker = 0;
    int64_t start = 0, duration = 0, bytes = 0;
    int64_t round = 0;  // the iteration plus 1; 0: in no loop

    template <class V>
    void Fields(V& v) {
      v(1, name), v(2, op), v(3, line), v(4, device), v(5, worker);
      v(6, start), v(7, duration), v(8, bytes), v(9, round);
    }
  };
  struct Item {
    std::string device, stream, label, line;
    int64_t start = 0, end = 0, issued = 0, bytes = 0;
    uint64_t order = 0;
    int64_t round = 0;

    template <class V>
    void Fields(V& v) {
      v(1, device), v(2, stream), v(3, label), v(4, line), v(5, start);
      v(6, end), v(7, issued), v(8, bytes), v(9, order), v(10, round);
    }
  };
  std::string task, host;
  int64_t received = 0, began = 0, sent = 0;
  std::vector<Row> rows;
  std::vector<Item> items;

  template <class V>
  void Fields(V& v) {
    v(1, task), v(2, host), v(3, received), v(4, began), v(5, sent);
    v(6, rows), v(7, items);
  }
};

WireTrace ToWire(const TaskTrace& trace);
TaskTrace FromWire(const WireTrace& trace);

// Converts the trace to the requester's clock, given its times of request and
// answer.
void AlignClock(int64_t asked, int64_t answered, WireTrace* trace);

}  // namespace sluice::cluster
