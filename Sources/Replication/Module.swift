// The module Replication; see docs/MODULES.md.
