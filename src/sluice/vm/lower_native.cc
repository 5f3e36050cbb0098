#include "sluice/vm/lower_native.h"

#include <algorithm>
#include <string_view>

#include "sluice/graph/graph.h"
#include "sluice/vm/cell_types.h"

namespace sluice {

namespace {

// Compile time grows faster than linearly, and is spent once per entry.
constexpr size_t kMaxInstructions = 4000;
constexpr int kMaxEntries = 32;

CellType TypeOfDType(DType dtype) {
  switch (dtype) {
    case DType::kI32:
      return CellType::kI32;
    case DType::kI64:
      return CellType::kI64;
    case DType::kF32:
      return CellType::kF32;
    case DType::kF64:
      return CellType::kF64;
    case DType::kBool:
      return CellType::kBool;
    default:
      return CellType::kBits;
  }
}

bool IsNative(Do code) {
  switch (code) {
    case Do::kBox:
    case Do::kUnbox:
    case Do::kBoxRow:
    case Do::kUnboxRow:
    case Do::kMove:
    case Do::kDrop:
    case Do::kLaunch:
    case Do::kTape:
    case Do::kUnlessArray:
    case Do::kChooseArray:
    case Do::kCall:
    case Do::kReturn:
    case Do::kNative:
      return false;
    default:
      return true;
  }
}

class Lowering {
 public:
  Lowering(const VmProcedure& from, NativeSource& source, int min_stretch)
      : from_(from),
        source_(source),
        min_stretch_(min_stretch),
        types_(from.cells.size()) {}

  NativeProcedure Run() {
    if (from_.code.size() > kMaxInstructions) return {};
    for (const VmInstr& i : from_.code) to_.code.push_back(Copied(i));
    ChooseEntries();
    if (to_.entries.empty()) return {};
    for (const VmInstr& i : from_.code) SayTypes(i);
    for (size_t c = 0; c < from_.cells.size(); ++c) {
      to_.cells.push_back(types_.Of(c));
    }
    std::vector<bool> reached(to_.code.size(), false);
    for (const NativeEntry& entry : to_.entries) {
      for (int32_t i : entry.does) reached[static_cast<size_t>(i)] = true;
    }
    source_.num_native +=
        static_cast<int>(std::count(reached.begin(), reached.end(), true));
    source_.num_entries += static_cast<int>(to_.entries.size());
    return std::move(to_);
  }

 private:
  NativeInstr Copied(const VmInstr& i) {
    NativeInstr n;
    n.code = i.code;
    n.native = IsNative(i.code);
    n.to = i.to;
    FindReads(i, n.reads);
    if (i.code == Do::kChoose || i.code == Do::kChooseArray) {
      n.targets = from_.choices[static_cast<size_t>(i.b)].targets;
    }
    if (!n.native) return n;
    n.a = i.a, n.b = i.b, n.c = i.c;
    n.fn = i.fn;
    if (i.params) {
      source_.params.push_back(std::make_unique<BlockParams>(*i.params));
      n.params = source_.params.back().get();
    }
    if (i.code == Do::kTag || i.code == Do::kAtMost) {
      const VmLoop& loop = from_.loops[static_cast<size_t>(i.b)];
      n.counter = loop.counter;
      n.key = loop.node->key();
      n.maximum = loop.maximum;
    }
    if (i.code == Do::kChoose) {
      const VmChoice& choice = from_.choices[static_cast<size_t>(i.b)];
      n.type = TypeOfDType(choice.node->input(0).dtype());
    }
    return n;
  }

  void FindReads(const VmInstr& i, std::vector<int32_t>& reads) const {
    const int32_t operands[] = {i.a, i.b, i.c};
    reads.assign(operands, operands + CellsRead(i.code));
    for (int32_t l = i.loop; l >= 0;) {
      const VmLoop& loop = from_.loops[static_cast<size_t>(l)];
      reads.push_back(loop.counter);
      l = loop.around;
    }
    auto a = static_cast<size_t>(i.a);
    switch (i.code) {
      case Do::kBoxRow:
        reads.insert(reads.end(), from_.rows[a].cells.begin(),
                     from_.rows[a].cells.end());
        break;
      case Do::kLaunch:
        reads.push_back(from_.launches[a].tag);
        break;
      case Do::kTape:
        reads.push_back(from_.tapes[a].tag);
        break;
      case Do::kCall:
        for (const auto& c : from_.calls[a].cells) reads.push_back(c.from);
        reads.push_back(from_.calls[a].tag);
        break;
      case Do::kReturn:
        reads.insert(reads.end(), from_.cell_results.begin(),
                     from_.cell_results.end());
        break;
      case Do::kTag:
        reads.push_back(from_.loops[static_cast<size_t>(i.b)].counter);
        break;
      case Do::kAtMost:
      case Do::kBack:
        reads.push_back(i.a);
        break;
      default:
        break;
    }
  }

  void SayTypes(const VmInstr& i) {
    CellType operand = OperandType(i.code);
    switch (i.code) {
      case Do::kBlock1:
      case Do::kBlock2:
      case Do::kBlock3: {
        const int32_t in[] = {i.a, i.b, i.c};
        for (int k = 0; k < i.node->num_inputs(); ++k) {
          types_.Say(in[k], TypeOfDType(i.node->input(k).dtype()));
        }
        types_.Say(i.to, TypeOfDType(i.node->output_type(0).dtype));
        break;
      }
      case Do::kNot:
        types_.Say(i.a, CellType::kBool);
        types_.Say(i.to, CellType::kBool);
        break;
      case Do::kSelect:
        types_.Say(i.a, CellType::kBool);
        types_.Same(i.to, i.b);
        types_.Same(i.to, i.c);
        break;
      case Do::kMoveCell:
        types_.Same(i.to, i.a);
        break;
      case Do::kUnless:
      case Do::kWant:
        types_.Say(i.a, CellType::kBool);
        break;
      case Do::kChoose: {
        const VmChoice& choice = from_.choices[static_cast<size_t>(i.b)];
        types_.Say(i.a, TypeOfDType(choice.node->input(0).dtype()));
        break;
      }
      case Do::kTag:
        types_.Say(i.to, CellType::kI64);
        types_.Say(i.a, CellType::kI64);
        break;
      case Do::kAtMost:
      case Do::kBack:
        types_.Say(i.a, CellType::kI64);
        break;
      default:
        if (operand == CellType::kBits) break;
        types_.Say(i.a, operand);
        if (!IsUnary(i.code)) types_.Say(i.b, operand);
        types_.Say(IsUnlessComparison(i.code) ? i.c : i.to, ResultType(i.code));
        break;
    }
  }

  const NativeInstr& At(int32_t i) const {
    return to_.code[static_cast<size_t>(i)];
  }

  // A loop without instructions that need the machine.
  bool IsWhole(int32_t top, int32_t back) const {
    for (int32_t i = top; i <= back; ++i) {
      if (!At(i).native) return false;
    }
    return true;
  }

  bool HasRoom() const {
    auto entries = static_cast<int>(to_.entries.size());
    return source_.num_entries + entries < kMaxEntries;
  }

  // At the tops of loops that are entirely native, each for that loop only:
  // enclosing code has its own entry. The machine may switch to compiled code
  // in the middle of a run. Also at sufficiently long straight-line sequences.
  void ChooseEntries() {
    auto n = static_cast<int32_t>(to_.code.size());
    std::vector<bool> tops(to_.code.size(), false);
    for (int32_t back = n; back-- > 0;) {
      if (At(back).code != Do::kBack || !At(back).native) continue;
      int32_t top = At(back).to;
      if (!HasRoom() || !IsWhole(top, back)) continue;
      NativeEntry entry{top, {}};
      for (int32_t i = top; i <= back; ++i) entry.does.push_back(i);
      to_.entries.push_back(std::move(entry));
      tops[static_cast<size_t>(top)] = true;
    }
    std::vector<bool> comes = WhereTheMachineComes();
    for (int32_t i = 0; i < n; ++i) {
      if (!HasRoom()) break;
      if (!comes[static_cast<size_t>(i)] || tops[static_cast<size_t>(i)]) {
        continue;
      }
      NativeEntry entry = Stretch(i, tops);
      auto computes = [&](int32_t k) {
        return At(k).code != Do::kJump && At(k).code != Do::kMoveCell;
      };
      auto count =
          std::count_if(entry.does.begin(), entry.does.end(), computes);
      if (count >= min_stretch_) to_.entries.push_back(std::move(entry));
    }
  }

  // The start, successors and jump targets of instructions that need the
  // machine, and the tops of loops.
  std::vector<bool> WhereTheMachineComes() const {
    std::vector<bool> comes(to_.code.size() + 1, false);
    auto come = [&](int32_t i) { comes[static_cast<size_t>(i)] = true; };
    come(0);
    for (size_t i = 0; i < to_.code.size(); ++i) {
      const VmInstr& instr = from_.code[i];
      if (instr.code == Do::kBack) come(instr.to);
      if (to_.code[i].native) continue;
      comes[i + 1] = true;
      if (instr.code == Do::kUnlessArray) come(instr.to);
      if (instr.code == Do::kChooseArray) {
        const VmChoice& c = from_.choices[static_cast<size_t>(instr.b)];
        for (int32_t target : c.targets) come(target);
      }
    }
    return comes;
  }

  // All instructions that native code executes from there on, except loops with
  // their own entries.
  NativeEntry Stretch(int32_t from, const std::vector<bool>& tops) const {
    std::vector<bool> reached(to_.code.size(), false);
    std::vector<int32_t> todo{from};
    while (!todo.empty()) {
      int32_t i = todo.back();
      todo.pop_back();
      auto k = static_cast<size_t>(i);
      if (!At(i).native || reached[k] || tops[k]) continue;
      reached[k] = true;
      for (int32_t next : NativeNext(At(i), i)) todo.push_back(next);
    }
    NativeEntry entry{from, {}};
    for (size_t i = 0; i < reached.size(); ++i) {
      if (reached[i]) entry.does.push_back(static_cast<int32_t>(i));
    }
    return entry;
  }

  const VmProcedure& from_;
  NativeSource& source_;
  const int min_stretch_;
  NativeProcedure to_;
  CellTypes types_;
};

template <class T>
void Append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

NativeSource MakeNativeSource(const VmProgram& program, int min_stretch) {
  NativeSource source;
  for (const auto& procedure : program.procedures) {
    source.procedures.push_back(
        Lowering(*procedure, source, min_stretch).Run());
    source.num_instructions += static_cast<int>(procedure->code.size());
  }
  return source;
}

std::string NativeSource::Key() const {
  std::string key;
  for (const NativeProcedure& p : procedures) {
    Append(key, p.code.size());
    Append(key, p.entries.size());
    for (const NativeEntry& entry : p.entries) {
      Append(key, entry.at);
      Append(key, entry.does.size());
      for (int32_t i : entry.does) Append(key, i);
    }
    for (CellType type : p.cells) Append(key, type);
    for (const NativeInstr& i : p.code) {
      Append(key, i.code);
      Append(key, i.reads.size());
      for (int32_t c : i.reads) Append(key, c);
      for (int32_t target : i.targets) Append(key, target);
      Append(key, i.to);
      if (!i.native) continue;
      for (int32_t field : {i.a, i.b, i.c, i.counter}) Append(key, field);
      Append(key, i.type);
      Append(key, i.fn);
      Append(key, i.key);
      Append(key, i.maximum);
      if (i.params) Append(key, i.params->p);
    }
  }
  return key;
}

}  // namespace sluice
