// The training loop and what belongs to it.
#pragma once

#include "sluice/train/classify.h"
#include "sluice/train/stop_signals.h"
#include "sluice/train/trainer.h"
