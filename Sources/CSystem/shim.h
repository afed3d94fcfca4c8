#pragma once
#include "events.h"
#include "files.h"
#include "memory.h"
