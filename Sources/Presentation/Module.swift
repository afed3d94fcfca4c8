// The module Presentation; see docs/MODULES.md.
