// sl::LoopReport: what loops did and kept for their gradients.
#pragma once

#include "sluice/session/loop_report.h"
