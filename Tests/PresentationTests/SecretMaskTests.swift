import LosslessJSON
import Testing

@testable import Presentation

struct SecretMaskTests {
  @Test(arguments: [
    (#"{"user":"a","password":"p"}"#, "", #"{"user":"a","password":"***"}"#),
    (#"{"a":[{"token" : {"x":1}}, {"b":2}]}"#, "", #"{"a":[{"token" : "***"}, {"b":2}]}"#),
    (#"{"Password":1,"privateKey":"k"}"#, "", #"{"Password":"***","privateKey":"***"}"#),
    (#""p""#, "/password", #""***""#),
    (#"{"a":1}"#, "/secret/inner", #""***""#),
    (#"{"a":1}"#, "/public", #"{"a":1}"#),
    (
      #"{"/login/password":"p","/login/name":"n"}"#, "",
      #"{"/login/password":"***","/login/name":"n"}"#
    ),
    (#"{"pin":1,"other":{"pin":2}}"#, "", #"{"pin":"***","other":{"pin":2}}"#),
    (#"{"cards":[{"number":"1","name":"x"}]}"#, "", #"{"cards":[{"number":"***","name":"x"}]}"#),
    (#""1""#, "/cards/3/number", #""***""#),
    (#"{"p\u0061ssword":"p"}"#, "", #"{"p\u0061ssword":"***"}"#),
    ("12", "", "12"),
  ])
  func `secrets are hidden by name and by place`(value: String, path: String, shown: String) throws
  {
    let mask = SecretMask(pointers: [JSONPointer(["pin"]), JSONPointer(["cards", "number"])])
    let text = JSONText(unchecked: Array(value.utf8))
    let masked = mask.masked(text, at: try JSONPointer(parsing: path))
    #expect(masked.description == shown)
  }

  @Test func `show-secrets shows them`() {
    let text = JSONText(unchecked: Array(#"{"password":"p"}"#.utf8))
    #expect(SecretMask.off.masked(text, at: .root) == text)
  }
}
