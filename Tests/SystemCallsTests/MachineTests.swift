import SystemCalls
import Testing

struct MachineTests {
  @Test func `machine, boot, host and user have names`() {
    #expect(!Machine.machineID.isEmpty)
    #expect(Machine.bootID.utf8.count == 36)
    #expect(!Machine.hostName.isEmpty)
    #expect(!Machine.userName.isEmpty)
    #expect(Machine.groupID(named: "root") == 0)
    #expect(Machine.groupID(named: "17") == 17)
  }

  @Test func `the process knows its mask, memory and directory`() throws {
    #expect(ThisProcess.umask <= 0o777)
    #expect(try #require(ThisProcess.residentBytes) > 1 << 20)
    #expect(try ThisProcess.currentDirectory().isAbsolute)
    #expect(ThisProcess.environment("PATH") != nil)
  }

  @Test func `a signal arrives in the inbox and the next one finds it empty`() throws {
    let inbox = try SignalInbox()
    #expect(inbox.next() == nil)
    SignalInbox.Signal.hangUp.raise()
    #expect(inbox.wait(milliseconds: 5000) == .hangUp)
    #expect(inbox.next() == nil)
  }

  @Test func `threads count under the guard without losing one`() async {
    let count = Guarded(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<1000 { count.withLock { $0 += 1 } } }
      }
    }
    #expect(count.withLock { $0 } == 8000)
  }

  @Test func `a seed gives the same numbers again`() {
    let (one, two) = (SeededEntropy(seed: 7), SeededEntropy(seed: 7))
    #expect((0..<9).map { _ in one.random64() } == (0..<9).map { _ in two.random64() })
    #expect(one.random64() != one.random64())
  }
}
