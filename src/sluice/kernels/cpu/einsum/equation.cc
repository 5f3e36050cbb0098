#include "sluice/kernels/cpu/einsum/equation.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

// A term of the equation: its letters, and the position of "..." among them.
struct Written {
  int letters = 0;
  int8_t label[kMaxRank];
  int ellipsis = -1;
};

int LabelOf(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return 26 + c - 'a';
  return -1;
}
std::string Letter(int label) {
  return std::string(
      1, static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26));
}

Result<Written> ReadTerm(std::string_view text) {
  Written term;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == ' ') continue;
    if (c == '.') {
      if (text.substr(i, 3) != "..." || term.ellipsis >= 0) {
        return InvalidArgument(
            StrCat("equation has a misplaced '.' in \"", text,
                   "\"; wanted letters and at most one \"...\" in each term"));
      }
      term.ellipsis = term.letters;
      i += 2;
      continue;
    }
    int label = LabelOf(c);
    if (label < 0) {
      // The character is not shown: it may be anything.
      return InvalidArgument(
          "equation has a character that is no letter; wanted terms of "
          "letters and \"...\" separated by ',', then \"->\" and the result's");
    }
    if (term.letters == kMaxRank) {
      return InvalidArgument(StrCat("equation has a term of more than ",
                                    kMaxRank, " letters; wanted at most ",
                                    kMaxRank));
    }
    term.label[term.letters++] = static_cast<int8_t>(label);
  }
  return term;
}

// The letters with the axes of "..." between them.
Result<EinsumTerm> Spread(const Written& written, int axes) {
  EinsumTerm term;
  if (written.letters + axes > kMaxRank) {
    return InvalidArgument(StrCat("the result would have rank ",
                                  written.letters + axes, "; wanted at most ",
                                  kMaxRank));
  }
  for (int i = 0; i <= written.letters; ++i) {
    if (i == written.ellipsis) {
      for (int k = axes - 1; k >= 0; --k) {
        term.label[term.rank++] = static_cast<int8_t>(kEinsumEllipsis + k);
      }
    }
    if (i < written.letters) term.label[term.rank++] = written.label[i];
  }
  return term;
}

// The number of axes that "..." represents in operand number `i`; 0 for an
// unknown rank.
Result<int> AxesOf(const Written& term, int i, int rank) {
  if (rank < 0) return 0;
  int axes = rank - term.letters;
  if (axes < 0 || (axes > 0 && term.ellipsis < 0)) {
    return InvalidArgument(StrCat("operand ", i, " has rank ", rank,
                                  ", its term ", term.letters, " letters",
                                  term.ellipsis >= 0 ? " and \"...\"" : "",
                                  "; wanted a letter for each axis"));
  }
  return axes;
}

// A summary of the terms of all operands.
struct OperandTerms {
  int seen[kEinsumEllipsis] = {};  // how often, by label
  int most_axes = 0;               // under "..."
  bool any_ellipsis = false;
};

// Reads the term after "->".
Result<Written> ReadResult(std::string_view text, const OperandTerms& in) {
  SL_ASSIGN_OR_RETURN(Written out, ReadTerm(text));
  for (int i = 0; i < out.letters; ++i) {
    if (in.seen[out.label[i]] == 0) {
      return InvalidArgument(StrCat("the result's label '",
                                    Letter(out.label[i]),
                                    "' is in no operand's term"));
    }
    for (int k = 0; k < i; ++k) {
      if (out.label[k] == out.label[i]) {
        return InvalidArgument(StrCat("the result's label '",
                                      Letter(out.label[i]),
                                      "' stands there twice; wanted once"));
      }
    }
  }
  if (out.ellipsis < 0 && in.most_axes > 0) {
    return InvalidArgument(
        "operands have axes under \"...\", the result's term has none; "
        "wanted \"...\" there too");
  }
  if (out.ellipsis >= 0 && !in.any_ellipsis) {
    return InvalidArgument(
        "the result's term has \"...\", no operand's has; wanted it in both");
  }
  return out;
}

// The result if none is written: "..." and then the labels that occur once, in
// order.
Result<Written> ResultOfOperands(const OperandTerms& in) {
  Written out;
  out.ellipsis = 0;
  for (int l = 0; l < kEinsumEllipsis; ++l) {
    if (in.seen[l] != 1) continue;
    if (out.letters == kMaxRank) {
      return InvalidArgument(StrCat("the result would have rank above ",
                                    kMaxRank, "; wanted at most ", kMaxRank));
    }
    out.label[out.letters++] = static_cast<int8_t>(l);
  }
  return out;
}

// Error: not a term for each operand, or too many of them.
Status CheckCount(std::string_view inputs, int operands) {
  const auto terms =
      static_cast<int64_t>(std::count(inputs.begin(), inputs.end(), ',') + 1);
  if (terms != operands) {
    return InvalidArgument(StrCat("equation has ", terms, " terms for the ",
                                  operands, " operands; wanted one for each"));
  }
  if (operands > kMaxEinsumOperands) {
    return InvalidArgument(StrCat("there are ", operands,
                                  " operands; wanted at most ",
                                  kMaxEinsumOperands));
  }
  return OkStatus();
}

}  // namespace

Result<EinsumEquation> EinsumEquation::Parse(std::string_view text,
                                             const int* ranks, int operands) {
  EinsumEquation eq;
  std::string_view inputs = text.substr(0, text.find("->"));
  const bool written_out = inputs.size() < text.size();
  SL_RETURN_IF_ERROR(CheckCount(inputs, operands));
  OperandTerms in;
  eq.operands_ = operands;
  std::string_view rest = inputs;
  for (int i = 0; i < operands; ++i) {
    size_t comma = std::min(rest.find(','), rest.size());
    SL_ASSIGN_OR_RETURN(Written w, ReadTerm(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    SL_ASSIGN_OR_RETURN(int axes, AxesOf(w, i, ranks[i]));
    if (ranks[i] < 0 && w.ellipsis >= 0) eq.rank_known_ = false;
    in.any_ellipsis = in.any_ellipsis || w.ellipsis >= 0;
    in.most_axes = std::max(in.most_axes, axes);
    for (int k = 0; k < w.letters; ++k) ++in.seen[w.label[k]];
    SL_ASSIGN_OR_RETURN(eq.in_[i], Spread(w, axes));
  }
  SL_ASSIGN_OR_RETURN(
      Written out, written_out ? ReadResult(text.substr(inputs.size() + 2), in)
                               : ResultOfOperands(in));
  SL_ASSIGN_OR_RETURN(eq.out_, Spread(out, in.most_axes));
  return eq;
}

}  // namespace sluice
