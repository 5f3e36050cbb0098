// Reclaimer: a cache that holds unused device memory for reuse and gives it
// back when an allocator runs out.
//
// Thread safe. GiveBack may be called on any thread, without allocator locks,
// but never after the derived class's destructor has begun: that destructor
// calls Leave first.
#pragma once

namespace sluice {

class Reclaimer {
 public:
  Reclaimer();
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;
  virtual ~Reclaimer();

  // Whether anything was given back.
  virtual bool GiveBack() = 0;

  static bool AllGiveBack();

 protected:
  void Leave();
};

}  // namespace sluice
