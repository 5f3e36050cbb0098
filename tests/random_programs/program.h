// Random programs over the public C++ face: a list of statements that an
// interpreter runs as a user's code would, on tensors that compute at once or
// on those of a graph. The same seed gives the same program on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace sluice {

// Locals t0, t1, ... are f64[n, 3]; t0 is the argument. The state s0, s1 is
// f64[3] and lives around the code.
struct Statement {
  enum class Kind {
    kUnary,      // t = which(a)
    kBinary,     // t = which(a, b)
    kScale,      // t = a * number + number
    kWithState,  // t = a * s
    kAlias,      // t = a, the same tensor
    kDetach,     // t = a.detach()
    kQuiet,      // t = a * number, with gradients off
    kAddInto,    // a += b
    kScaleInto,  // a *= number
    kCopyInto,   // a.copy_(b)
    kRowInto,    // a[0] += number, through a view
    kState,      // s += mean(a) * number, with gradients off
    kCond,       // t = sum(a) > number ? body : other
    kWhile,      // t = a; while (sum(abs(t)) > number) t = body
    kFor,        // t = a; so often: t = body
  };
  Kind kind;
  int to = 0, a = 0, b = 0, which = 0;
  double number = 0;
  std::vector<Statement> body{}, other{};  // the last one's `to` is the value
};

struct RandomProgram {
  std::vector<Statement> statements;
  int locals = 1;
  bool pure = true;  // writes nothing, reads no state

  // `writes`: with writes in place, aliases and state.
  static RandomProgram Of(uint64_t seed, bool writes);
  // As C++ would have it, for messages.
  std::string ToString() const;
};

}  // namespace sluice
