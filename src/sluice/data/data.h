// Input pipelines: sources, the stages that change and order their elements,
// and the loaders that remember where they stand.
#pragma once

#include "sluice/data/csv.h"
#include "sluice/data/dataset.h"
#include "sluice/data/example.h"
#include "sluice/data/file_reader.h"
#include "sluice/data/find_file.h"
#include "sluice/data/idx.h"
#include "sluice/data/loader.h"
#include "sluice/data/mnist.h"
#include "sluice/data/numpy_files.h"
#include "sluice/data/queue_runner.h"
#include "sluice/data/record_files.h"
#include "sluice/data/sources.h"
