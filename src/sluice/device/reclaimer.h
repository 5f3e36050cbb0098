// Reclaimer: one who holds device memory that nobody needs at the moment, so
// that it need not be asked for again, and gives it back when an allocator has
// no more.
//
// Thread safe. GiveBack is called on any thread, with no allocator's lock held,
// and never after the destructor of the class that has it began: that class
// calls Leave first.
#pragma once

namespace sluice {

class Reclaimer {
 public:
  Reclaimer();
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;
  virtual ~Reclaimer();

  // Whether there was something.
  virtual bool GiveBack() = 0;

  static bool AllGiveBack();

 protected:
  void Leave();
};

}  // namespace sluice
