// The module UseCases; see docs/MODULES.md.
