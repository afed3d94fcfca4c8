// Made by Tools/embed-config from Config/; do not edit.
// swift-format-ignore-file

/// A file that the executable carries with it.
package struct ShippedFile: Sendable {
  /// Relative to Config/ of the repository, and for schemas to the configuration of a store.
  package let path: String
  package let text: String
}

/// The shipped configuration, schemas and samples.
package enum ShippedFiles {
  package static let all: [ShippedFile] = [
    configuration,
    gitAttributes,
    bookSchema1,
    bookSchema2,
    hostSchema1,
    hostSchema2,
    syncthingIgnore,
    userUnit,
  ]

  /// What a new store gets beside its configuration.
  package static let schemas: [ShippedFile] = [
    bookSchema1,
    bookSchema2,
    hostSchema1,
    hostSchema2,
  ]

  package static let configuration = ShippedFile(
    path: "config.default.json",
    text: #"""
{
  "format": 1,
  "documents": {
    "hosts": {
      "file": "hosts.json",
      "dialect": "json",
      "collections": [ { "name": "items", "at": "/items", "kind": "array", "id": "/id" } ],
      "groups": { "endpoint": ["/hostname", "/port"] },
      "sets": ["/tags"], "keyed": { "/tunnels": "/name" },
      "volatile": ["/lastSeen"], "local": [], "derived": [], "secrets": [],
      "monotonic": ["/schemaVersion"], "marker": null,
      "massDelete": { "minimum": 3, "fraction": 0.5 },
      "clients": ["hosts-1", "hosts-2"]
    },
    "library": {
      "file": "library.json",
      "dialect": "json",
      "collections": [ { "name": "items", "at": "/items", "kind": "array", "id": "/id" } ],
      "groups": {},
      "sets": ["/tags"], "keyed": {},
      "volatile": [], "local": [], "derived": [], "secrets": [],
      "monotonic": ["/schemaVersion"], "marker": null,
      "massDelete": { "minimum": 3, "fraction": 0.5 },
      "clients": ["book-1", "book-2"]
    }
  },
  "clients": {
    "current": { "understands": "everything" },
    "hosts-1": { "schemas": { "hosts:items": "schemas/host.v1.schema.json" }, "numbers": "exact", "strings": "exact", "omitsNull": false, "dropsUndecodable": false, "always": [] },
    "hosts-2": { "schemas": { "hosts:items": "schemas/host.v2.schema.json" } },
    "book-1": { "schemas": { "library:items": "schemas/book.v1.schema.json" } },
    "book-2": { "schemas": { "library:items": "schemas/book.v2.schema.json" } }
  },
  "backups": { "keep": 10 }, "generations": { "keep": 32, "days": 7 }, "quarantine": { "keep": 100, "bytes": 268435456 }, "history": { "days": null }
}

"""#)

  package static let gitAttributes = ShippedFile(
    path: "gitattributes.sample",
    text: #"""
# For stores in git: copy to STORE/.gitattributes. Logs are append-only; git must not touch their
# line ends, and must not merge them as text with conflict marks.
/.replicator/nodes/** -text -merge linguist-generated
*.json -text

"""#)

  package static let bookSchema1 = ShippedFile(
    path: "schemas/book.v1.schema.json",
    text: #"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://replicator.invalid/schemas/book.v1.schema.json",
  "title": "Book, release 1",
  "description": "What a program of release 1 knows of one book; it drops every other member.",
  "type": "object",
  "required": ["id"],
  "properties": {
    "id": { "type": ["string", "integer"] },
    "title": { "type": "string" },
    "authors": { "type": "array", "items": { "type": "string" } },
    "isbn": { "type": "string" },
    "year": { "type": "integer" },
    "status": { "enum": ["unread", "reading", "read"], "default": "unread" },
    "tags": { "type": "array", "items": { "type": "string" } },
    "notes": { "type": "string" },
    "createdAt": { "type": "string", "format": "date-time" },
    "updatedAt": { "type": "string", "format": "date-time" }
  }
}

"""#)

  package static let bookSchema2 = ShippedFile(
    path: "schemas/book.v2.schema.json",
    text: #"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://replicator.invalid/schemas/book.v2.schema.json",
  "title": "Book, release 2",
  "description": "What a program of release 2 knows of one book; it drops every other member.",
  "type": "object",
  "required": ["id"],
  "properties": {
    "id": { "type": ["string", "integer"] },
    "title": { "type": "string" },
    "authors": { "type": "array", "items": { "type": "string" } },
    "isbn": { "type": "string" },
    "year": { "type": "integer" },
    "status": { "enum": ["unread", "reading", "read", "lent"], "default": "unread" },
    "tags": { "type": "array", "items": { "type": "string" } },
    "notes": { "type": "string" },
    "createdAt": { "type": "string", "format": "date-time" },
    "updatedAt": { "type": "string", "format": "date-time" },
    "series": { "type": "object", "description": "Name and position in a series" }
  }
}

"""#)

  package static let hostSchema1 = ShippedFile(
    path: "schemas/host.v1.schema.json",
    text: #"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://replicator.invalid/schemas/host.v1.schema.json",
  "title": "Host, release 1",
  "description": "What a program of release 1 knows of one host; it drops every other member.",
  "type": "object",
  "required": ["id"],
  "properties": {
    "id": { "type": ["string", "integer"] },
    "name": { "type": "string" },
    "hostname": { "type": "string" },
    "port": { "type": "integer" },
    "username": { "type": "string" },
    "connectionMethod": { "enum": ["ssh", "mosh"], "default": "ssh" },
    "identity": { "description": "A key file or the name of an identity" },
    "jump": { "description": "The host to jump through" },
    "tags": { "type": "array", "items": { "type": "string" } },
    "options": { "type": "object" },
    "createdAt": { "type": "string", "format": "date-time" },
    "updatedAt": { "type": "string", "format": "date-time" }
  }
}

"""#)

  package static let hostSchema2 = ShippedFile(
    path: "schemas/host.v2.schema.json",
    text: #"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://replicator.invalid/schemas/host.v2.schema.json",
  "title": "Host, release 2",
  "description": "What a program of release 2 knows of one host; it drops every other member.",
  "type": "object",
  "required": ["id"],
  "properties": {
    "id": { "type": ["string", "integer"] },
    "name": { "type": "string" },
    "hostname": { "type": "string" },
    "port": { "type": "integer" },
    "username": { "type": "string" },
    "connectionMethod": { "enum": ["ssh", "mosh", "et"], "default": "ssh" },
    "identity": { "description": "A key file or the name of an identity" },
    "jump": { "description": "The host to jump through" },
    "tags": { "type": "array", "items": { "type": "string" } },
    "options": { "type": "object" },
    "createdAt": { "type": "string", "format": "date-time" },
    "updatedAt": { "type": "string", "format": "date-time" },
    "tunnels": { "type": "array", "description": "Port forwards, each with a name" }
  }
}

"""#)

  package static let syncthingIgnore = ShippedFile(
    path: "stignore.sample",
    text: #"""
// For Syncthing: copy to STORE/.stignore. Only .replicator/nodes travels; documents are made from it
// on each machine, and what is below local belongs to one machine.
!/.replicator/nodes
// Everything else stays here, conflict copies of Syncthing's own making included.
*

"""#)

  package static let userUnit = ShippedFile(
    path: "systemd/replicator@.service",
    text: #"""
# A user unit. Copy it to ~/.config/systemd/user/replicator@.service, then for a store in ~/lists:
#   systemctl --user enable --now replicator@lists
[Unit]
Description=Merge JSON files of %h/%i that several programs rewrite
Documentation=man:replicator(1)

[Service]
Type=simple
ExecStart=replicator watch --store %h/%i
# SIGTERM lets the running pass end; watch ends with 0 after at most five seconds.
TimeoutStopSec=10
Restart=on-failure
RestartSec=5
UMask=0077

[Install]
WantedBy=default.target

"""#)
}
