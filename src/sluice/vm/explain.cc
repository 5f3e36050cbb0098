#include "sluice/vm/explain.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

class Text {
 public:
  Text(const VmProgram& program, const VmProcedure& p)
      : program_(program), p_(p) {}

  std::string Run() {
    auto kept = static_cast<size_t>(
        std::count(p_.sticky.begin(), p_.sticky.end(), false));
    StrAppend(out_, "    ", p_.name, ": ", p_.code.size(), " instructions, ",
              p_.cells.size(), " cells, ", kept, " registers\n");
    for (size_t i = 0; i < p_.code.size(); ++i) {
      int depth = 0;
      for (int32_t l = p_.code[i].loop; l >= 0;
           l = p_.loops[static_cast<size_t>(l)].around) {
        ++depth;
      }
      StrAppend(out_, "    ", i, ": ", std::string(2 * depth, ' '),
                Line(p_.code[i]), "\n");
      if (p_.code[i].code == Do::kTape) {
        const Tape& tape = *p_.tapes[static_cast<size_t>(p_.code[i].a)].tape;
        out_ += tape.Explain();
      }
    }
    return std::move(out_);
  }

 private:
  static std::string Operand(int32_t index, bool move = false) {
    if (index < 0) return StrCat("const", ~index);
    return StrCat(move ? "take r" : "r", index);
  }
  static std::string Operands(const std::vector<VmOperand>& list) {
    std::string out;
    for (const VmOperand& o : list) {
      StrAppend(out, out.empty() ? "" : ", ", Operand(o.index, o.move));
    }
    return out;
  }
  static std::string Cells(const std::vector<int32_t>& list) {
    std::string out;
    for (int32_t c : list) StrAppend(out, out.empty() ? " c" : ", c", c);
    return out;
  }
  static std::string Registers(const std::vector<int32_t>& list) {
    std::string out;
    for (int32_t r : list) StrAppend(out, out.empty() ? "r" : ", r", r);
    return list.empty() ? out : out + " = ";
  }

  std::string Line(const VmInstr& i) const {
    auto a = static_cast<size_t>(i.a), b = static_cast<size_t>(i.b);
    if (i.code == Do::kWant) return StrCat("want c", i.a);
    if (i.node && i.code != Do::kUnbox && i.code != Do::kUnboxRow) {
      return Scalar(i);
    }
    switch (i.code) {
      case Do::kMoveCell:
        return StrCat("c", i.to, " = c", i.a);
      case Do::kBox:
        return StrCat("r", i.to, " = array of c", i.a);
      case Do::kUnbox:
        return StrCat("c", i.to, " = element of ", Operand(i.a));
      case Do::kBoxRow:
        return StrCat("r", i.to, " = array of", Cells(p_.rows[a].cells));
      case Do::kUnboxRow:
        return StrCat("elements of ", Operand(i.a), " into",
                      Cells(p_.rows[b].cells));
      case Do::kMove:
        return StrCat("r", i.to, " = ", Operand(i.a, i.move));
      case Do::kDrop:
        return StrCat("drop r", i.a);
      case Do::kLaunch: {
        const VmLaunch& l = p_.launches[a];
        return StrCat(
            Registers(l.out), l.once ? "once " : "", l.call.node->op().name,
            " \"", l.call.node->name(), "\" ", Operands(l.in),
            l.why.empty() ? "" : StrCat("  (not on a tape: ", l.why, ")"));
      }
      case Do::kTape: {
        const VmTape& t = p_.tapes[a];
        return StrCat(Registers(t.out), "tape of ", t.tape->num_nodes(),
                      " nodes ", Operands(t.in));
      }
      case Do::kJump:
        return StrCat("go to ", i.to);
      case Do::kUnless:
        return StrCat("unless c", i.a, " go to ", i.to);
      case Do::kUnlessArray:
        return StrCat("unless ", Operand(i.a), " go to ", i.to);
      case Do::kChoose:
      case Do::kChooseArray: {
        std::string targets;
        for (int32_t t : p_.choices[b].targets) {
          StrAppend(targets, targets.empty() ? "" : ", ", t);
        }
        return StrCat("by ",
                      i.code == Do::kChoose ? StrCat("c", i.a) : Operand(i.a),
                      " go to one of ", targets);
      }
      case Do::kTag:
        return StrCat("c", i.to, " = tag of this iteration");
      case Do::kAtMost:
        return StrCat("after ", p_.loops[b].maximum, " iterations go to ",
                      i.to);
      case Do::kBack:
        return StrCat("next iteration of \"", p_.loops[b].node->name(),
                      "\" at ", i.to);
      case Do::kCall: {
        const VmCall& c = p_.calls[a];
        std::string cells;
        for (const auto& pair : c.cells) StrAppend(cells, " c", pair.from);
        std::vector<VmOperand> given;
        for (const auto& r : c.registers) given.push_back(r.from);
        return StrCat(
            Registers(c.register_results), "call ",
            program_.procedures[static_cast<size_t>(c.procedure)]->name, cells,
            given.empty() ? "" : " ", Operands(given));
      }
      case Do::kReturn:
        return StrCat("return ", Operands(p_.register_results));
      default:
        return "?";
    }
  }
  // An op on cells: "c5 = Add c3, c4".
  static std::string Scalar(const VmInstr& i) {
    bool jump = i.code > Do::kJump;
    std::string out = StrCat("c", jump ? i.c : i.to, " = ", i.node->op().name);
    if (ScalarFor(*i.node).swap) out += " swapped";
    const int32_t cells[] = {i.a, i.b, i.c};
    for (int k = 0; k < CellsRead(i.code); ++k) {
      StrAppend(out, k ? ", c" : " c", cells[k]);
    }
    return jump ? StrCat(out, ", unless so go to ", i.to) : out;
  }

  const VmProgram& program_;
  const VmProcedure& p_;
  std::string out_;
};

}  // namespace

std::string ExplainBytecode(const VmProgram& program) {
  std::string out;
  for (const auto& procedure : program.procedures) {
    out += Text(program, *procedure).Run();
  }
  return out;
}

}  // namespace sluice
