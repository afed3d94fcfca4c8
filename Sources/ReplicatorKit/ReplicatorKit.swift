// What an application names comes with `import ReplicatorKit` alone. It is the one re-export of the
// package, and hands on only what is public: the typed records.
@_exported public import Records
