// The module Storage; see docs/MODULES.md.
