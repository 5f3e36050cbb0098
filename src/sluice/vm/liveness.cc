#include "sluice/vm/liveness.h"

#include <algorithm>
#include <map>

namespace sluice {

namespace {

bool IsJump(Do code) {
  return code >= Do::kJump && code <= Do::kBack && code != Do::kTag;
}

// A set of registers.
class RegisterSet {
 public:
  explicit RegisterSet(size_t n) : words_((n + 63) / 64) {}
  bool has(int32_t r) const { return (words_[Word(r)] >> (r & 63)) & 1; }
  void add(int32_t r) { words_[Word(r)] |= uint64_t{1} << (r & 63); }
  void remove(int32_t r) { words_[Word(r)] &= ~(uint64_t{1} << (r & 63)); }
  void AddAll(const RegisterSet& o) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= o.words_[i];
  }
  template <class F>
  void ForEachNotIn(const RegisterSet& o, F f) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t w = words_[i] & ~o.words_[i]; w; w &= w - 1) {
        f(static_cast<int32_t>(i * 64) + __builtin_ctzll(w));
      }
    }
  }
  bool operator==(const RegisterSet&) const = default;

 private:
  static size_t Word(int32_t r) { return static_cast<size_t>(r) / 64; }
  std::vector<uint64_t> words_;
};

class Liveness {
 public:
  explicit Liveness(VmProcedure& p) : p_(p) {}

  void Run() {
    LeaveOutUnread();
    FindBlocks();
    Solve();
    Rewrite();
  }

 private:
  struct Block {
    size_t begin, end;
    std::vector<size_t> next;
    RegisterSet in, out, drop;
  };

  // ---- What instructions read and write ----

  bool Counts(int32_t r) const {
    return r >= 0 && !p_.sticky[static_cast<size_t>(r)];
  }
  // f(register, where to record that it may be moved from; null: it is only
  // read).
  template <class F>
  void EachRead(VmInstr& instr, F f) {
    auto one = [&](VmOperand& o) {
      if (Counts(o.index)) f(o.index, &o.move);
    };
    auto a = static_cast<size_t>(instr.a);
    switch (instr.code) {
      case Do::kMove:
        if (Counts(instr.a)) f(instr.a, &instr.move);
        break;
      case Do::kUnbox:
      case Do::kUnboxRow:
      case Do::kUnlessArray:
      case Do::kChooseArray:
        if (Counts(instr.a)) f(instr.a, nullptr);
        break;
      case Do::kLaunch:
        for (VmOperand& o : p_.launches[a].in) one(o);
        break;
      case Do::kTape:
        for (VmOperand& o : p_.tapes[a].in) one(o);
        break;
      case Do::kCall:
        for (auto& r : p_.calls[a].registers) one(r.from);
        break;
      case Do::kReturn:
        for (VmOperand& o : p_.register_results) one(o);
        break;
      default:
        break;
    }
  }
  template <class F>
  void EachWrite(const VmInstr& instr, F f) {
    auto a = static_cast<size_t>(instr.a);
    auto each = [&](const std::vector<int32_t>& list) {
      for (int32_t r : list) {
        if (Counts(r)) f(r);
      }
    };
    switch (instr.code) {
      case Do::kMove:
        if (Counts(instr.to)) f(instr.to);
        break;
      case Do::kLaunch:
        each(p_.launches[a].out);
        break;
      case Do::kTape:
        each(p_.tapes[a].out);
        break;
      case Do::kCall:
        each(p_.calls[a].register_results);
        break;
      default:
        break;
    }
  }
  std::vector<int32_t> Targets(const VmInstr& instr) const {
    if (instr.code == Do::kChoose || instr.code == Do::kChooseArray) {
      return p_.choices[static_cast<size_t>(instr.b)].targets;
    }
    if (IsJump(instr.code)) return {instr.to};
    return {};
  }

  // ---- Unread cells ----

  void LeaveOutUnread() {
    std::vector<bool> read(p_.cells.size(), false);
    auto mark = [&](int32_t c) { read[static_cast<size_t>(c)] = true; };
    for (const VmInstr& i : p_.code) {
      int reads = CellsRead(i.code);
      if (reads > 0) mark(i.a);
      if (reads > 1) mark(i.b);
      if (reads > 2) mark(i.c);
      if (i.code != Do::kBoxRow) continue;
      for (int32_t c : p_.rows[static_cast<size_t>(i.a)].cells) mark(c);
    }
    for (const VmCall& call : p_.calls) {
      for (const auto& c : call.cells) mark(c.from);
    }
    for (int32_t c : p_.cell_results) mark(c);
    skip_.assign(p_.code.size(), false);
    for (size_t i = 0; i < p_.code.size(); ++i) {
      const VmInstr& instr = p_.code[i];
      auto is_read = [&](int32_t c) { return read[static_cast<size_t>(c)]; };
      if (instr.code == Do::kUnbox) skip_[i] = !is_read(instr.to);
      if (instr.code != Do::kUnboxRow) continue;
      const VmRow& row = p_.rows[static_cast<size_t>(instr.b)];
      skip_[i] = std::none_of(row.cells.begin(), row.cells.end(), is_read);
    }
  }

  // ---- Registers that are read later ----

  void FindBlocks() {
    size_t n = p_.code.size();
    std::vector<bool> first(n + 1, false);
    first[0] = true;
    for (size_t i = 0; i < n; ++i) {
      for (int32_t t : Targets(p_.code[i]))
        first[static_cast<size_t>(t)] = true;
      if (IsJump(p_.code[i].code)) first[i + 1] = true;
    }
    block_at_.assign(n, 0);
    RegisterSet none(p_.num_registers());
    for (size_t i = 0; i < n; ++i) {
      if (first[i]) blocks_.push_back({i, i, {}, none, none, none});
      blocks_.back().end = i + 1;
      block_at_[i] = blocks_.size() - 1;
    }
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const VmInstr& last = p_.code[blocks_[b].end - 1];
      for (int32_t t : Targets(last)) {
        blocks_[b].next.push_back(block_at_[static_cast<size_t>(t)]);
      }
      bool falls = last.code != Do::kJump && last.code != Do::kBack &&
                   last.code != Do::kChoose && last.code != Do::kChooseArray &&
                   last.code != Do::kReturn;
      if (falls) blocks_[b].next.push_back(b + 1);
    }
  }

  void Solve() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks_.size(); b-- > 0;) {
        Block& block = blocks_[b];
        for (size_t s : block.next) block.out.AddAll(blocks_[s].in);
        RegisterSet live = block.out;
        for (size_t i = block.end; i-- > block.begin;) {
          if (skip_[i]) continue;
          EachWrite(p_.code[i], [&](int32_t r) { live.remove(r); });
          EachRead(p_.code[i], [&](int32_t r, bool*) { live.add(r); });
        }
        if (live == block.in) continue;
        block.in = live;
        changed = true;
      }
    }
    for (Block& block : blocks_) {
      RegisterSet held = block.out;
      // A jump reads its condition and leaves it in place.
      EachRead(p_.code[block.end - 1], [&](int32_t r, bool* take) {
        if (!take) held.add(r);
      });
      for (size_t s : block.next) {
        held.ForEachNotIn(blocks_[s].in,
                          [&](int32_t r) { blocks_[s].drop.add(r); });
      }
    }
  }

  // ---- The new code ----

  void Rewrite() {
    std::vector<VmInstr> code;
    std::vector<int32_t> moved(p_.code.size());
    auto drop = [&](int32_t r, int32_t loop) {
      VmInstr instr;
      instr.code = Do::kDrop;
      instr.a = r;
      instr.loop = loop;
      code.push_back(instr);
    };
    RegisterSet none(p_.num_registers());
    for (Block& block : blocks_) {
      moved[block.begin] = static_cast<int32_t>(code.size());
      block.drop.ForEachNotIn(
          none, [&](int32_t r) { drop(r, p_.code[block.begin].loop); });
      // Backwards to find live registers, then forwards to write.
      std::map<size_t, std::vector<int32_t>> dead_after;
      RegisterSet live = block.out;
      for (size_t i = block.end; i-- > block.begin;) {
        if (skip_[i]) continue;
        bool last = i + 1 == block.end;
        EachWrite(p_.code[i], [&](int32_t r) {
          if (!live.has(r)) dead_after[i].push_back(r);
          live.remove(r);
        });
        std::vector<std::pair<int32_t, bool*>> reads;
        EachRead(p_.code[i],
                 [&](int32_t r, bool* take) { reads.emplace_back(r, take); });
        for (size_t k = reads.size(); k-- > 0;) {
          auto [r, take] = reads[k];
          if (!live.has(r)) {
            if (take) {
              *take = true;
            } else if (!last || !IsJump(p_.code[i].code)) {
              dead_after[i].push_back(r);
            }
          }
          live.add(r);
        }
      }
      for (size_t i = block.begin; i < block.end; ++i) {
        if (skip_[i]) continue;
        code.push_back(p_.code[i]);
        for (int32_t r : dead_after[i]) drop(r, p_.code[i].loop);
      }
    }
    for (VmInstr& instr : code) {
      if (IsJump(instr.code) && instr.code != Do::kChoose &&
          instr.code != Do::kChooseArray) {
        instr.to = moved[static_cast<size_t>(instr.to)];
      }
    }
    for (VmChoice& choice : p_.choices) {
      for (int32_t& t : choice.targets) t = moved[static_cast<size_t>(t)];
    }
    p_.code = std::move(code);
  }

  VmProcedure& p_;
  std::vector<bool> skip_;
  std::vector<size_t> block_at_;
  std::vector<Block> blocks_;
};

}  // namespace

void EmptyDeadRegisters(VmProcedure& procedure) { Liveness(procedure).Run(); }

}  // namespace sluice
