#include "sluice/report/progress_line.h"

#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/formats/utf8.h"
#include "sluice/report/number.h"

namespace sluice::report {

namespace {

constexpr int kBarMost = 32, kBarLeast = 8;
constexpr char kGreen[] = "\x1b[32m", kRed[] = "\x1b[31m", kDim[] = "\x1b[2m",
               kPlain[] = "\x1b[0m";

// Part of a line; those of the highest number go first where room is short.
struct Piece {
  std::string text;
  int drop = 0;  // 0: never
  const char* color = "";
};

std::string Percent(const ProgressState& s) {
  // Rounded down: 100% is for work that is done.
  double part = static_cast<double>(s.step) / static_cast<double>(s.total);
  return StrCat(static_cast<int64_t>(std::clamp(part, 0.0, 1.0) * 100), "%");
}

std::string Rate(const ProgressState& s) {
  if (std::isnan(s.rate) || !s.counts) return "";
  // Slower than one in a second is easier to read turned round.
  if (s.rate > 0 && s.rate < 0.95) {
    return StrCat(ShortNumber(1 / s.rate, 3), " s/", s.unit);
  }
  return StrCat(ShortCount(s.rate), " ", s.unit, "/s");
}

// A label is one line, whatever was put into it.
std::string OneLine(const std::string& text) {
  std::string out = ValidUtf8(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return out;
}

Piece NumberPiece(const std::string& name, double value, int drop) {
  return {StrCat(OneLine(name), " ", ShortNumber(value)), drop,
          std::isfinite(value) ? "" : kRed};
}

std::string Bar(const ProgressState& s, int length, const LineStyle& style) {
  double part = static_cast<double>(s.step) / static_cast<double>(s.total);
  auto full = static_cast<int>(std::clamp(part, 0.0, 1.0) * length);
  std::string done, left;
  for (int i = 0; i < length; ++i) {
    std::string& to = i < full ? done : left;
    if (style.utf8) {
      to += i < full || style.color ? "\u2501" : "\u2500";
    } else {
      to += i + 1 == full && full < length ? ">" : i < full ? "=" : ".";
    }
  }
  if (style.color) {
    done = done.empty() ? "" : kGreen + done + kPlain;
    left = left.empty() ? "" : kDim + left + kPlain;
  }
  return style.utf8 ? done + left : "[" + done + left + "]";
}

size_t Width(const std::vector<Piece>& pieces) {
  size_t width = 0;
  for (const Piece& p : pieces) width += Utf8Columns(p.text) + 2;
  return width;
}

// Takes out the piece that can best be spared; false when none can.
bool DropOne(std::vector<Piece>& pieces) {
  auto last = std::max_element(
      pieces.begin(), pieces.end(),
      [](const Piece& a, const Piece& b) { return a.drop < b.drop; });
  if (last == pieces.end() || last->drop == 0) return false;
  pieces.erase(last);
  return true;
}

// What stands behind the bar.
std::vector<Piece> Pieces(const ProgressState& s) {
  std::vector<Piece> pieces;
  if (!s.loss_name.empty()) {
    pieces.push_back(NumberPiece(s.loss_name, s.loss, 0));
  }
  int drop = 10;
  for (const auto& [name, value] : s.metrics) {
    pieces.push_back(NumberPiece(name, value, drop++));
  }
  if (std::string rate = Rate(s); !rate.empty()) {
    pieces.push_back({std::move(rate), 3});
  }
  return pieces;
}

}  // namespace

std::string BarLine(const ProgressState& s, const LineStyle& style) {
  std::vector<Piece> front, pieces = Pieces(s);
  if (!s.label.empty()) front.push_back({OneLine(s.label), 4});
  if (s.total > 0) {
    std::string percent = Percent(s);
    front.push_back({std::string(4 - percent.size(), ' ') + percent, 0});
    if (s.counts) {
      pieces.insert(pieces.begin(), {StrCat(s.step, "/", s.total), 2});
    }
  } else if (s.counts) {
    pieces.insert(pieces.begin(), {StrCat(s.step, " steps"), 0});
  }
  if (s.finished) {
    pieces.push_back({StrCat("in ", ClockTime(s.elapsed)), 1});
  } else if (!std::isnan(s.remaining)) {
    pieces.push_back({StrCat("eta ", ClockTime(s.remaining)), 1});
  } else if (s.total == 0) {
    pieces.push_back({ClockTime(s.elapsed), 1});
  }

  // The last column stays free: some terminals go to the next line at it.
  auto room = static_cast<size_t>(std::max(style.columns - 1, 1));
  size_t brackets = style.utf8 ? 0 : 2;
  // Two blanks between pieces, one before the bar.
  auto fits = [&] {
    size_t taken = Width(front) + Width(pieces);
    return s.total > 0 ? taken + kBarLeast + brackets <= room + 1
                       : taken <= room + 2;
  };
  while (!fits() && (DropOne(pieces) || DropOne(front))) continue;
  std::string line;
  auto put = [&](const Piece& piece) {
    if (!line.empty()) line += "  ";
    bool color = style.color && *piece.color;
    line += color ? piece.color + piece.text + kPlain : piece.text;
  };
  for (const Piece& piece : front) put(piece);
  if (s.total > 0 && fits()) {
    size_t free = room + 1 - Width(front) - Width(pieces) - brackets;
    line += " " + Bar(s, std::min(static_cast<int>(free), kBarMost), style);
  }
  for (const Piece& piece : pieces) put(piece);
  // A very narrow terminal: what fits, without colours that could be cut.
  if (Width(front) + Width(pieces) > room + 2) {
    std::string narrow;
    for (const auto* part : {&front, &pieces}) {
      for (const Piece& piece : *part) {
        narrow += (narrow.empty() ? "" : "  ") + piece.text;
      }
    }
    size_t bytes = narrow.size();
    while (Utf8Columns(Utf8Prefix(narrow, bytes)) > room) --bytes;
    return std::string(Utf8Prefix(narrow, bytes));
  }
  return line;
}

std::string PlainLine(const ProgressState& s) {
  std::vector<std::string> parts;
  if (!s.label.empty()) parts.push_back(OneLine(s.label));
  if (s.total > 0) {
    std::string percent = Percent(s);
    parts.push_back(s.counts ? StrCat(s.step, "/", s.total, " (", percent, ")")
                             : percent);
  } else if (s.counts) {
    parts.push_back(StrCat(s.step, " steps"));
  }
  for (const Piece& piece : Pieces(s)) parts.push_back(piece.text);
  std::string time = ClockTime(s.elapsed) + " gone";
  bool done = s.finished || (s.total > 0 && s.step >= s.total);
  if (!done && !std::isnan(s.remaining)) {
    time += StrCat(", ", ClockTime(s.remaining), " left");
  }
  parts.push_back(time);
  return Join(parts, "  ");
}

}  // namespace sluice::report
