// The module Watching; see docs/MODULES.md.
