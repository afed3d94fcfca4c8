#pragma once
#include <inotifytools/inotify.h>
#include <inotifytools/inotifytools.h>
