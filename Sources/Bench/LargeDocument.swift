import SystemCalls

/// A document of many records of about 385 bytes, the same for every run.
enum LargeDocument {
  static func write(records: Int) throws {
    try StandardStream.output.write("{\n  \"schemaVersion\": 1,\n  \"items\": [\n")
    var text = ""
    for number in 0..<records {
      text += record(number)
      text += number + 1 < records ? ",\n" : "\n"
      if text.utf8.count > 1 << 20 {
        try StandardStream.output.write(text)
        text = ""
      }
    }
    try StandardStream.output.write(text + "  ]\n}\n")
  }

  private static func record(_ number: Int) -> String {
    """
        {"id": "host-\(number)", "name": "Machine number \(number)", \
    "hostname": "host-\(number).rack-\(number % 97).example.org", "port": \(1024 + number % 50000), \
    "username": "user\(number % 1000)", "connectionMethod": "ssh", \
    "tags": ["rack-\(number % 97)", "row-\(number % 13)", "production"], \
    "options": {"ServerAliveInterval": "\(number % 60)", "Compression": "yes"}, \
    "notes": "Placed in row \(number % 13) of hall \(number % 5), serviced every \(number % 12) months", \
    "createdAt": "2026-01-01T00:00:00Z"}
    """
  }
}
