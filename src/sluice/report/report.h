// The output of a training run: progress lines, metrics as CSV and JSON lines,
// TensorBoard events, pictures, tables.
#pragma once

#include "sluice/report/confusion.h"
#include "sluice/report/event_writer.h"
#include "sluice/report/metrics_log.h"
#include "sluice/report/plot.h"
#include "sluice/report/png.h"
#include "sluice/report/progress.h"
#include "sluice/report/table.h"
