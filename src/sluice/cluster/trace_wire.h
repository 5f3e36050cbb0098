// Traces of tasks as messages, and their clocks: every process has its own.
//
// A master asks a task at `asked` and has the answer at `answered` of its
// clock; the task took the question at `received` and gave the answer at `sent`
// of its own. Where both ways take as long, its clock is ahead by half of
// (received - asked) + (sent - answered).
//
// Plain functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/step/task_trace.h"

namespace sluice::cluster {

// Times are nanoseconds, of the sender's clock.
struct WireTrace {
  struct Row {
    std::string name, op, line, device;
    uint32_t worker = 0;
    int64_t start = 0, duration = 0, bytes = 0;
    int64_t round = 0;  // the iteration and 1; 0: in no loop

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

// Puts it on the clock of whoever asked, between these times of its own.
void AlignClock(int64_t asked, int64_t answered, WireTrace* trace);

}  // namespace sluice::cluster
