#include "sluice/passes/simplify_arithmetic.h"

#include "sluice/passes/dead_code.h"
#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

// Followed by dead code elimination, so that unread constants are removed.
Result<bool> Simplify(Graph& graph) {
  SL_ASSIGN_OR_RETURN(bool changed, SimplifyArithmetic(graph));
  SL_ASSIGN_OR_RETURN(bool removed, RemoveDeadCode(graph));
  return changed || removed;
}

// One expression of x (and z, of x's type) becomes another.
void ExpectBecomes(const std::string& type, const std::string& from,
                   const std::string& to) {
  SCOPED_TRACE(type + ": " + from);
  std::string head = "graph g(%x: " + type + ", %z: " + type + ") ";
  auto body = [&](const std::string& e) {
    if (e[0] != '%') return head + "-> (%y) { %y = " + e + " }";
    if (e.find('=') == e.npos) return head + "-> (" + e + ") { }";
    return head + "-> (%y) { " + e + " }";
  };
  ExpectRewrite(Simplify, body(from), body(to));
}

void ExpectStays(const std::string& type, const std::string& expression) {
  ExpectBecomes(type, expression, expression);
}

TEST(SimplifyArithmetic, NeutralElements) {
  for (const char* type : {"f32[2]", "f64[?]", "f16[...]", "bf16[]"}) {
    ExpectBecomes(type, "Sub(%x, 0)", "%x");
    ExpectBecomes(type, "Mul(%x, 1)", "%x");
    ExpectBecomes(type, "Mul(1, %x)", "%x");
    ExpectBecomes(type, "Div(%x, 1)", "%x");
    ExpectBecomes(type, "Add(%x, -0.0)", "%x");
    ExpectBecomes(type, "Add(-0.0, %x)", "%x");
    // -0.0 + 0.0 is 0.0, and -0.0 - -0.0 too.
    ExpectStays(type, "Add(%x, 0.0)");
    ExpectStays(type, "Sub(%x, -0.0)");
    ExpectStays(type, "Sub(0, %x)");
    ExpectStays(type, "Div(1, %x)");
    ExpectStays(type, "Mul(%x, 0)");
    ExpectStays(type, "Mul(%x, -1)");
  }
  for (const char* type : {"i32[2]", "u8[?]", "i64[...]"}) {
    ExpectBecomes(type, "Add(%x, 0)", "%x");
    ExpectBecomes(type, "Add(0, %x)", "%x");
    ExpectBecomes(type, "Sub(%x, 0)", "%x");
    ExpectBecomes(type, "Mul(%x, 1)", "%x");
    ExpectBecomes(type, "Div(%x, 1)", "%x");
    ExpectStays(type, "Sub(0, %x)");
  }
  // (inf + 0i) * 1 has a NaN in it.
  ExpectStays("complex64[2]", "Mul(%x, 1)");
}

TEST(SimplifyArithmetic, BroadcastingThatChangesTheShapeStays) {
  auto with = [](const std::string& constant) {
    return "%c = Const [value = " + constant + "] %y = Mul(%x, %c)";
  };
  ExpectBecomes("f32[3,2]", with("[1 1] : f32[2]"), "%x");
  ExpectBecomes("f32[3,?]", with("[1] : f32[1,1]"), "%x");
  ExpectBecomes("f32[3,2]", with("[1 1 1] : f32[3,1]"), "%x");
  ExpectStays("f32[3,?]", with("[1 1] : f32[2]"));  // ? may be 1
  ExpectStays("f32[2]", with("[1] : f32[1,1]"));    // the rank grows
  ExpectStays("f32[...]", with("[1] : f32[1]"));    // x may be a scalar
  ExpectStays("f32[1]", with("[1 1] : f32[2]"));
  ExpectStays("f32[2]", with("[1 2] : f32[2]"));
}

TEST(SimplifyArithmetic, TimesZeroForIntegersOfKnownShape) {
  ExpectBecomes("i32[2]", "Mul(%x, 0)", "%y = Const [value = [0 0] : i32[2]]");
  ExpectBecomes("u8[]", "Mul(0, %x)", "%y = Const [value = 0 : u8[]]");
  ExpectStays("i32[?]", "Mul(%x, 0)");
  ExpectStays("f32[2]", "Mul(%x, 0)");
}

TEST(SimplifyArithmetic, Powers) {
  ExpectBecomes("f32[?]", "Pow(%x, 2)", "Square(%x)");
  ExpectBecomes("i64[?]", "Pow(%x, 2)", "Square(%x)");
  ExpectStays("f32[?]", "Pow(%x, 3)");
  ExpectStays("f32[?]", "Pow(2, %x)");
}

TEST(SimplifyArithmetic, OpsThatUndoThemselves) {
  ExpectBecomes("f32[?]", "%a = Neg(%x) %y = Neg(%a)", "%x");
  ExpectBecomes("f32[?]", "%a = Neg(%x) %b = Neg(%a) %y = Neg(%b)",
                "%y = Neg(%x)");
  ExpectBecomes("bool[?]", "%a = LogicalNot(%x) %y = LogicalNot(%a)", "%x");
  ExpectBecomes("f32[2,3]", "%a = Transpose(%x) %y = Transpose(%a)", "%x");
  ExpectBecomes("f32[...]", "%a = Transpose(%x) %y = Transpose(%a)", "%x");
  ExpectBecomes("f32[2,3,4]",
                "%a = Transpose(%x) [perm = {1, 2, 0}] "
                "%y = Transpose(%a) [perm = {2, 0, 1}]",
                "%x");
  ExpectStays("f32[2,3,4]",
              "%a = Transpose(%x) [perm = {1, 2, 0}] "
              "%y = Transpose(%a) [perm = {1, 2, 0}]");
  ExpectStays("f32[2,3,4]",
              "%a = Transpose(%x) %y = Transpose(%a) [perm = {1, 2, 0}]");
}

TEST(SimplifyArithmetic, CopiesCastsAndReshapes) {
  ExpectBecomes("string[?]", "Identity(%x)", "%x");
  ExpectStays("f32[?]", "Identity(%x) on \"/gpu:0\"");
  ExpectBecomes("i8[?]", "Cast(%x) [dtype = i8]", "%x");
  ExpectStays("i8[?]", "Cast(%x) [dtype = u8]");
  const std::string to = "%s = Const [value = [3 2] : i64[2]] ";
  ExpectBecomes("f32[3,2]", to + "%y = Reshape(%x, %s)", "%x");
  ExpectBecomes("f32[3,2]", to + "%y = SumTo(%x, %s)", "%x");
  ExpectBecomes("f32[3,2]", to + "%y = BroadcastTo(%x, %s)", "%x");
  ExpectStays("f32[4,3,2]", to + "%y = SumTo(%x, %s)");
  ExpectStays("f32[?,2]", to + "%y = SumTo(%x, %s)");
  ExpectStays("f32[1,2]", to + "%y = BroadcastTo(%x, %s)");
  ExpectStays("f32[2,3]", to + "%y = Reshape(%x, %s)");
  ExpectStays("f32[?,2]", to + "%y = Reshape(%x, %s)");
  ExpectBecomes("f32[?,2]",
                "%f = Const [value = [-1] : i64[1]] %a = Reshape(%x, %f) " +
                    to + "%y = Reshape(%a, %s)",
                to + "%y = Reshape(%x, %s)");
  // Two steps in one sweep: there and back again.
  ExpectBecomes("f32[3,2]",
                "%f = Const [value = [-1] : i64[1]] %a = Reshape(%x, %f) " +
                    to + "%y = Reshape(%a, %s)",
                "%x");
}

TEST(SimplifyArithmetic, SumsAndChoices) {
  ExpectBecomes("f32[?]", "AddN(%x)", "%x");
  ExpectBecomes("f32[2]", "AddN(%x, %z)", "Add(%x, %z)");
  ExpectStays("f32[?]", "AddN(%x, %z)");
  ExpectStays("f32[2]", "AddN(%x, %z, %x)");
  ExpectBecomes("f32[2]", "Select(true, %x, %z)", "%x");
  ExpectBecomes("f32[2]", "Select(false, %x, %z)", "%z");
  ExpectStays("f32[?]", "Select(true, %x, %z)");  // z may broadcast x
}

TEST(SimplifyArithmetic, ControlEdges) {
  // A node that waits stays; one that is waited for passes its controls on.
  ExpectUnchanged(SimplifyArithmetic, R"(graph g(%x: f32[]) -> (%y) {
    %i = TestNoOp()
    %y = Identity(%x) after %i
  })");
  ExpectRewrite(SimplifyArithmetic,
                R"(graph g(%x: f32[]) run %t {
    %s = TestSay(%x)
    %a = Identity(%s)
    %b = Identity(%a)
    %c = Identity(%x)
    %t = TestNoOp() after %b, %c
  })",
                R"(graph g(%x: f32[]) run %t {
    %s = TestSay(%x)
    %t = TestNoOp() after %s
  })");
  ExpectUnchanged(SimplifyArithmetic, R"(graph g(%x: i32[]) run %t {
    %s = TestSay(%x)
    %k = Const [value = 0]
    %a = Mul(%s, %k)
    %t = TestNoOp() after %a
  })");
  ExpectUnchanged(SimplifyArithmetic,
                  "graph g(%x: f32[]) run %t { %t = Identity(%x) }");
}

TEST(SimplifyArithmetic, InsideRegions) {
  ExpectRewrite(SimplifyArithmetic,
                R"(graph g(%p: bool[], %x: f32[]) -> (%y) {
    %a = Identity(%x)
    %y = TestIf(%p) [dtype = f32] {
      then() { %b = Neg(%a) %c = Neg(%b) %d = Exp(%c) yield %d }
      else() { yield %a } }
  })",
                R"(graph g(%p: bool[], %x: f32[]) -> (%y) {
    %y = TestIf(%p) [dtype = f32] {
      then() { %b = Neg(%x) %d = Exp(%x) yield %d } else() { yield %x } }
  })");
}

// Values of an untaken branch are dead; a constant, or a value from outside of
// the branch, would be alive.
TEST(SimplifyArithmetic, DeadValuesStayDead) {
  ExpectRewrite(SimplifyArithmetic,
                R"(graph g(%p: bool[], %n: i32[], %x: i32[]) -> (%m, %z) {
    %one = Const [value = 1]
    %zero = Const [value = 0]
    %s = Switch(%x, %p)
    %pivot = Identity(%s) on "/cpu:0"
    %inside = Const [value = 1] after %pivot
    %a = Mul(%s, %zero)
    %b = Mul(%n, %inside)
    %c = Mul(%s:1, %one)
    %m = Merge(%a, %b, %c)
    %z = Mul(%n, %one)
  })",
                R"(graph g(%p: bool[], %n: i32[], %x: i32[]) -> (%m, %n) {
    %one = Const [value = 1]
    %zero = Const [value = 0]
    %s = Switch(%x, %p)
    %pivot = Identity(%s) on "/cpu:0"
    %inside = Const [value = 1] after %pivot
    %a = Mul(%s, %zero)
    %b = Mul(%n, %inside)
    %m = Merge(%a, %b, %s:1)
  })");
}

}  // namespace
}  // namespace sluice
