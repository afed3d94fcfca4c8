// The module Merging; see docs/MODULES.md.
