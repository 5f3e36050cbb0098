#include "sluice/vm/llvm/live_cells.h"

#include <utility>

namespace sluice {

LiveCells::LiveCells(const NativeProcedure& p)
    : width_(p.cells.size() / 64 + 1), words_(p.code.size() * width_) {
  std::vector<uint64_t> live(width_);
  // Backwards, until nothing changes: as often as loops are nested.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = p.code.size(); i-- > 0;) {
      const NativeInstr& instr = p.code[i];
      live.assign(width_, 0);
      for (int32_t next : NativeNext(instr, static_cast<int32_t>(i))) {
        const uint64_t* after = &words_[static_cast<size_t>(next) * width_];
        for (size_t w = 0; w < width_; ++w) live[w] |= after[w];
      }
      auto bit = [&](int32_t c) -> std::pair<uint64_t&, uint64_t> {
        auto cell = static_cast<size_t>(c);
        return {live[cell / 64], uint64_t{1} << (cell % 64)};
      };
      if (int32_t written = NativeWrites(instr); written >= 0) {
        auto [word, mask] = bit(written);
        word &= ~mask;
      }
      for (int32_t read : instr.reads) {
        auto [word, mask] = bit(read);
        word |= mask;
      }
      uint64_t* before = &words_[i * width_];
      for (size_t w = 0; w < width_; ++w) {
        if (before[w] == live[w]) continue;
        before[w] = live[w];
        changed = true;
      }
    }
  }
}

}  // namespace sluice
