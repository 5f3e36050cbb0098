// Facts about the place that output goes to. Asks the system and the
// environment; safe from any thread.
#pragma once

#include <cstdio>

namespace sluice::report {

// A terminal on which a line can be drawn over (TERM is not "dumb").
bool IsTerminal(std::FILE* out);
// How many characters fit into a line; 80 when nobody says.
int TerminalColumns(std::FILE* out);
// Colours are welcome: NO_COLOR is not set, or empty.
bool WantsColor();
// The locale's characters are UTF-8.
bool WantsUtf8();

}  // namespace sluice::report
