#include "sluice/vm/llvm/ir_writer.h"

#include <map>
#include <utility>

#include "sluice/op/step_context.h"
#include "sluice/vm/llvm/scalar_ir.h"

namespace sluice {

namespace {

// The interval, in iterations of a loop, between checks for cancellation: a
// call in each would cost as much as the shortest bodies.
constexpr uint64_t kAskEvery = 256;

uint64_t TagOfIteration(uint64_t parent, uint64_t key, uint64_t iteration) {
  return IterationTag(parent, key, iteration);
}

class FunctionWriter {
 public:
  FunctionWriter(LLVMModuleRef module, const std::string& name,
                 const NativeProcedure& procedure, const LiveCells& live)
      : p_(procedure),
        live_(live),
        context_(LLVMGetModuleContext(module)),
        build_(LLVMCreateBuilderInContext(context_)),
        i1_(LLVMInt1TypeInContext(context_)),
        i8_(LLVMInt8TypeInContext(context_)),
        i32_(LLVMInt32TypeInContext(context_)),
        i64_(LLVMInt64TypeInContext(context_)),
        pointer_(LLVMPointerTypeInContext(context_, 0)) {
    LLVMTypeRef args[] = {pointer_, pointer_};
    function_ = LLVMAddFunction(module, name.c_str(),
                                LLVMFunctionType(i32_, args, 2, false));
  }
  ~FunctionWriter() { LLVMDisposeBuilder(build_); }

  void Write(const NativeEntry& entry) {
    LLVMBasicBlockRef first = NewBlock("entry");
    for (int32_t at : entry.does) blocks_[at] = NewBlock("");
    FindDirty(entry.at);
    LLVMPositionBuilderAtEnd(build_, first);
    LoadCells();
    LLVMBuildBr(build_, blocks_.at(entry.at));
    for (const auto& [at, block] : blocks_) {
      LLVMPositionBuilderAtEnd(build_, block);
      Instruction(at);
    }
    for (const auto& [at, block] : exits_) {
      LLVMPositionBuilderAtEnd(build_, block);
      Leave(at, at);
    }
    for (const auto& [at, block] : errors_) {
      LLVMPositionBuilderAtEnd(build_, block);
      Leave(at, ~at);
    }
  }

 private:
  // ---- Written cells ----

  // By instruction: cells that may have been written when it is reached.
  void FindDirty(int32_t entry) {
    dirty_[entry].resize(p_.cells.size());
    std::vector<int32_t> todo{entry};
    while (!todo.empty()) {
      int32_t at = todo.back();
      todo.pop_back();
      if (!blocks_.count(at)) continue;
      std::vector<bool> after = dirty_.at(at);
      int32_t written = NativeWrites(At(at));
      if (written >= 0) after[static_cast<size_t>(written)] = true;
      for (int32_t next : NativeNext(At(at), at)) {
        auto [it, fresh] = dirty_.emplace(next, after);
        bool more = fresh;
        for (size_t c = 0; !fresh && c < after.size(); ++c) {
          if (!after[c] || it->second[c]) continue;
          it->second[c] = more = true;
        }
        if (more) todo.push_back(next);
      }
    }
  }

  // ---- Cells ----

  LLVMTypeRef TypeOf(CellType type) const {
    switch (type) {
      case CellType::kI32:
        return i32_;
      case CellType::kF32:
        return LLVMFloatTypeInContext(context_);
      case CellType::kF64:
        return LLVMDoubleTypeInContext(context_);
      case CellType::kBool:
        return i1_;
      case CellType::kI64:
      case CellType::kBits:
        break;
    }
    return i64_;
  }
  LLVMValueRef Number(LLVMTypeRef type, uint64_t value) const {
    return LLVMConstInt(type, value, false);
  }
  CellType CellTypeAt(int32_t cell) const {
    return p_.cells[static_cast<size_t>(cell)];
  }
  LLVMValueRef Place(size_t cell) {
    LLVMValueRef offset = Number(i64_, cell * sizeof(VmCell));
    return LLVMBuildInBoundsGEP2(build_, i8_, LLVMGetParam(function_, 0),
                                 &offset, 1, "");
  }
  LLVMValueRef LoadFrom(CellType type, LLVMValueRef from) {
    if (type != CellType::kBool) {
      return LLVMBuildLoad2(build_, TypeOf(type), from, "");
    }
    LLVMValueRef byte = LLVMBuildLoad2(build_, i8_, from, "");
    return LLVMBuildICmp(build_, LLVMIntNE, byte, Number(i8_, 0), "");
  }
  void StoreTo(CellType type, LLVMValueRef value, LLVMValueRef to) {
    if (type == CellType::kBool) {
      value = LLVMBuildZExt(build_, value, i8_, "");
    }
    LLVMBuildStore(build_, value, to);
  }

  void LoadCells() {
    for (CellType type : p_.cells) {
      variables_.push_back(LLVMBuildAlloca(build_, TypeOf(type), ""));
    }
    for (size_t c = 0; c < p_.cells.size(); ++c) {
      LLVMBuildStore(build_, LoadFrom(p_.cells[c], Place(c)), variables_[c]);
    }
    // Operands of block functions, which must be in memory.
    LLVMTypeRef slots = LLVMArrayType2(i64_, kMaxBlockInputs + 1);
    LLVMTypeRef pointers = LLVMArrayType2(pointer_, kMaxBlockInputs);
    slots_ = LLVMBuildAlloca(build_, slots, "");
    inputs_ = LLVMBuildAlloca(build_, pointers, "");
    for (unsigned k = 0; k < kMaxBlockInputs; ++k) {
      LLVMValueRef offset = Number(i64_, k);
      LLVMBuildStore(
          build_, Slot(k),
          LLVMBuildInBoundsGEP2(build_, pointer_, inputs_, &offset, 1, ""));
    }
  }
  LLVMValueRef Slot(unsigned k) {
    LLVMValueRef offset = Number(i64_, k);
    return LLVMBuildInBoundsGEP2(build_, i64_, slots_, &offset, 1, "");
  }

  LLVMValueRef Raw(int32_t cell) {
    return LLVMBuildLoad2(build_, TypeOf(CellTypeAt(cell)),
                          variables_[static_cast<size_t>(cell)], "");
  }
  void SetRaw(int32_t cell, LLVMValueRef value) {
    LLVMBuildStore(build_, value, variables_[static_cast<size_t>(cell)]);
  }
  // The cell as that type, whatever else it may hold at other times.
  LLVMValueRef Get(int32_t cell, CellType type) {
    LLVMValueRef value = Raw(cell);
    if (CellTypeAt(cell) == type || type == CellType::kI64) return value;
    switch (type) {
      case CellType::kI32:
        return LLVMBuildTrunc(build_, value, i32_, "");
      case CellType::kF32:
        value = LLVMBuildTrunc(build_, value, i32_, "");
        return LLVMBuildBitCast(build_, value, TypeOf(type), "");
      case CellType::kF64:
        return LLVMBuildBitCast(build_, value, TypeOf(type), "");
      case CellType::kBool:
        value = LLVMBuildTrunc(build_, value, i8_, "");
        return LLVMBuildICmp(build_, LLVMIntNE, value, Number(i8_, 0), "");
      default:
        return value;
    }
  }
  void Set(int32_t cell, CellType type, LLVMValueRef value) {
    if (CellTypeAt(cell) != type) {
      if (type == CellType::kF32) {
        value = LLVMBuildBitCast(build_, value, i32_, "");
      }
      value = type == CellType::kF64 ? LLVMBuildBitCast(build_, value, i64_, "")
                                     : LLVMBuildZExt(build_, value, i64_, "");
    }
    SetRaw(cell, value);
  }

  // ---- Instructions ----

  const NativeInstr& At(int32_t at) const {
    return p_.code[static_cast<size_t>(at)];
  }
  LLVMBasicBlockRef NewBlock(const char* name) {
    return LLVMAppendBasicBlockInContext(context_, function_, name);
  }
  // The code for instruction `at`: compiled, or executed by the machine.
  LLVMBasicBlockRef GoTo(int32_t at) {
    auto it = blocks_.find(at);
    return it != blocks_.end() ? it->second : Exit(at);
  }
  LLVMBasicBlockRef Exit(int32_t at) {
    auto [it, fresh] = exits_.emplace(at, nullptr);
    if (fresh) it->second = NewBlock("exit");
    return it->second;
  }
  // The exit of compiled instruction `at` with an error.
  LLVMBasicBlockRef Error(int32_t at) {
    LLVMBasicBlockRef& block = errors_[at];
    if (!block) block = NewBlock("error");
    return block;
  }
  void Leave(int32_t at, int32_t answer) {
    const std::vector<bool>& dirty = dirty_.at(at);
    for (size_t c = 0; c < dirty.size(); ++c) {
      if (!dirty[c] || !live_.at(at, c)) continue;
      StoreTo(p_.cells[c], Raw(static_cast<int32_t>(c)), Place(c));
    }
    LLVMBuildRet(build_, Number(i32_, static_cast<uint32_t>(answer)));
  }
  void Branch(LLVMValueRef condition, int32_t yes, int32_t no) {
    LLVMBuildCondBr(build_, condition, GoTo(yes), GoTo(no));
  }
  LLVMValueRef Address(const void* address) {
    return LLVMBuildIntToPtr(build_,
                             Number(i64_, reinterpret_cast<uint64_t>(address)),
                             pointer_, "");
  }

  void Instruction(int32_t at) {
    const NativeInstr& i = At(at);
    switch (i.code) {
      case Do::kBlock1:
      case Do::kBlock2:
      case Do::kBlock3:
        Block(i);
        break;
      case Do::kNot:
        Set(i.to, CellType::kBool,
            LLVMBuildNot(build_, Get(i.a, CellType::kBool), ""));
        break;
      case Do::kSelect:
        SetRaw(i.to, LLVMBuildSelect(build_, Get(i.a, CellType::kBool),
                                     Raw(i.b), Raw(i.c), ""));
        break;
      case Do::kMoveCell:
        SetRaw(i.to, Raw(i.a));
        break;
      case Do::kJump:
        LLVMBuildBr(build_, GoTo(i.to));
        return;
      case Do::kWant:
        LLVMBuildCondBr(build_, Get(i.a, CellType::kBool), GoTo(at + 1),
                        Error(at));
        return;
      case Do::kUnless:
        return Branch(Get(i.a, CellType::kBool), at + 1, i.to);
      case Do::kChoose:
        return Choose(i, at);
      case Do::kTag:
        Tag(i);
        break;
      case Do::kAtMost: {
        LLVMValueRef most = Number(i64_, static_cast<uint64_t>(i.maximum));
        LLVMValueRef had = LLVMBuildICmp(build_, LLVMIntEQ,
                                         Get(i.a, CellType::kI64), most, "");
        return Branch(had, i.to, at + 1);
      }
      case Do::kBack:
        return Back(i, at);
      default: {
        LLVMValueRef result = Scalar(i, at);
        if (!IsUnlessComparison(i.code)) {
          Set(i.to, ResultType(i.code), result);
          break;
        }
        Set(i.c, CellType::kBool, result);
        return Branch(result, at + 1, i.to);
      }
    }
    LLVMBuildBr(build_, GoTo(at + 1));
  }

  void Block(const NativeInstr& i) {
    const int32_t in[] = {i.a, i.b, i.c};
    int n = static_cast<int>(i.code) - static_cast<int>(Do::kBlock1) + 1;
    for (int k = 0; k < n; ++k) {
      StoreTo(CellTypeAt(in[k]), Raw(in[k]), Slot(static_cast<unsigned>(k)));
    }
    LLVMValueRef out = Slot(kMaxBlockInputs);
    CellType type = CellTypeAt(i.to);
    // The function writes as many bytes as its type has.
    if (type == CellType::kBits) LLVMBuildStore(build_, Number(i64_, 0), out);
    LLVMTypeRef types[] = {pointer_, pointer_, i64_, pointer_};
    LLVMTypeRef signature =
        LLVMFunctionType(LLVMVoidTypeInContext(context_), types, 4, false);
    LLVMValueRef args[] = {out, inputs_, Number(i64_, 1), Address(i.params)};
    LLVMBuildCall2(build_, signature,
                   Address(reinterpret_cast<const void*>(i.fn)), args, 4, "");
    SetRaw(i.to, LoadFrom(type, out));
  }

  void Tag(const NativeInstr& i) {
    LLVMTypeRef types[] = {i64_, i64_, i64_};
    LLVMTypeRef signature = LLVMFunctionType(i64_, types, 3, false);
    LLVMValueRef args[] = {Get(i.a, CellType::kI64), Number(i64_, i.key),
                           Get(i.counter, CellType::kI64)};
    LLVMValueRef tag = LLVMBuildCall2(
        build_, signature,
        Address(reinterpret_cast<const void*>(&TagOfIteration)), args, 3, "");
    Set(i.to, CellType::kI64, tag);
  }

  // If no region is chosen, the machine reports the error.
  void Choose(const NativeInstr& i, int32_t at) {
    LLVMValueRef chooser = Get(i.a, i.type);
    LLVMValueRef choice = LLVMBuildSwitch(
        build_, chooser, Error(at), static_cast<unsigned>(i.targets.size()));
    for (size_t k = 0; k < i.targets.size(); ++k) {
      LLVMAddCase(choice, Number(TypeOf(i.type), k), GoTo(i.targets[k]));
    }
  }

  // A cancelled step exits before the counter changes: the machine repeats this
  // instruction and reports it.
  void Back(const NativeInstr& i, int32_t at) {
    LLVMValueRef counter = Get(i.a, CellType::kI64);
    LLVMValueRef rest =
        LLVMBuildAnd(build_, counter, Number(i64_, kAskEvery - 1), "");
    LLVMBasicBlockRef ask = NewBlock("ask"), on = NewBlock("on");
    LLVMValueRef due =
        LLVMBuildICmp(build_, LLVMIntEQ, rest, Number(i64_, 0), "");
    LLVMBuildCondBr(build_, due, ask, on);

    LLVMPositionBuilderAtEnd(build_, ask);
    LLVMValueRef checks = LLVMGetParam(function_, 1);
    LLVMValueRef stopped = LLVMBuildLoad2(build_, pointer_, checks, "");
    LLVMValueRef offset = Number(i64_, offsetof(NativeChecks, asked));
    LLVMValueRef asked = LLVMBuildLoad2(
        build_, pointer_,
        LLVMBuildInBoundsGEP2(build_, i8_, checks, &offset, 1, ""), "");
    LLVMTypeRef signature = LLVMFunctionType(i8_, &pointer_, 1, false);
    LLVMValueRef answer =
        LLVMBuildCall2(build_, signature, stopped, &asked, 1, "");
    // A bool is returned in the lowest bit; the higher bits are undefined.
    LLVMBuildCondBr(build_, LLVMBuildTrunc(build_, answer, i1_, ""), Error(at),
                    on);

    LLVMPositionBuilderAtEnd(build_, on);
    Set(i.a, CellType::kI64,
        LLVMBuildAdd(build_, Get(i.a, CellType::kI64), Number(i64_, 1), ""));
    LLVMBuildBr(build_, GoTo(i.to));
  }

  LLVMValueRef Scalar(const NativeInstr& i, int32_t at) {
    CellType type = OperandType(i.code);
    ScalarIr ir{build_, i.code, type, TypeOf(ResultType(i.code))};
    LLVMValueRef a = Get(i.a, type);
    if (IsUnary(i.code)) return ir.Unary(a);
    LLVMValueRef b = Get(i.b, type);
    if (!IsDivision(i.code)) return ir.Binary(a, b);
    LLVMBasicBlockRef on = NewBlock("on");
    LLVMValueRef none =
        LLVMBuildICmp(build_, LLVMIntEQ, b, LLVMConstNull(LLVMTypeOf(b)), "");
    LLVMBuildCondBr(build_, none, Error(at), on);
    LLVMPositionBuilderAtEnd(build_, on);
    return ir.Division(a, b);
  }

  const NativeProcedure& p_;
  const LiveCells& live_;
  LLVMContextRef context_;
  LLVMBuilderRef build_;
  LLVMTypeRef i1_, i8_, i32_, i64_, pointer_;
  LLVMValueRef function_, slots_ = nullptr, inputs_ = nullptr;
  std::vector<LLVMValueRef> variables_;  // by cell
  std::map<int32_t, LLVMBasicBlockRef> blocks_, exits_, errors_;
  std::map<int32_t, std::vector<bool>> dirty_;
};

}  // namespace

void WriteFunction(LLVMModuleRef module, const std::string& name,
                   const NativeProcedure& procedure, const LiveCells& live,
                   const NativeEntry& entry) {
  FunctionWriter(module, name, procedure, live).Write(entry);
}

}  // namespace sluice
