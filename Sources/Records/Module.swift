// The module Records; see docs/MODULES.md.
