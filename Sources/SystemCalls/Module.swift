// The module SystemCalls; see docs/MODULES.md.
