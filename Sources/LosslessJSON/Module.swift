// The module LosslessJSON; see docs/MODULES.md.
