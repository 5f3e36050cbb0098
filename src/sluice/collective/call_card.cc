#include "sluice/collective/call_card.h"

#include <algorithm>
#include <cstring>

#include "sluice/base/strings.h"

namespace sluice::collective {

namespace {

std::string Called(const CallCard& card) {
  std::string text = StrCat(card.name, "(", card.type);
  if (!card.reduction.empty()) StrAppend(text, ", ", card.reduction);
  if (card.root >= 0) {
    StrAppend(text, card.message ? ", rank " : ", root ", card.root);
  }
  return text + ")";
}

// The text that must be the same on all ranks.
std::string Compared(const CallCard& card) {
  return card.message ? StrCat("message(", card.type, ")") : Called(card);
}

std::string TextOf(const CallCard::Wire& wire) {
  return std::string(wire.text, strnlen(wire.text, sizeof(wire.text)));
}

}  // namespace

std::string CallCard::Text() const {
  std::string text = Called(*this);
  if (line.known()) StrAppend(text, " at ", line);
  return text;
}

CallCard::Wire CallCard::ToWire() const {
  Wire wire{};
  wire.sequence = sequence;
  uint64_t h = 14695981039346656037u;
  for (char c : Compared(*this)) {
    h = (h ^ static_cast<uint8_t>(c)) * 1099511628211u;
  }
  wire.fingerprint = h;
  std::string text = Text();
  std::memcpy(wire.text, text.data(),
              std::min(text.size(), sizeof(wire.text) - 1));
  return wire;
}

Status CompareCards(const CallCard::Wire& a, const std::string& a_name,
                    const CallCard::Wire& b, const std::string& b_name) {
  if (a.sequence == b.sequence && a.fingerprint == b.fingerprint) {
    return OkStatus();
  }
  return FailedPrecondition(StrCat(
      "ranks call different collectives: ", a_name, " calls #", a.sequence, " ",
      TextOf(a), ", ", b_name, " calls #", b.sequence, " ", TextOf(b),
      "; wanted the same on every rank, in the same "
      "order"));
}

}  // namespace sluice::collective
