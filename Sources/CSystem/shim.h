#pragma once
#include "files.h"
#if __has_include("events.h")
#include "events.h"
#endif
