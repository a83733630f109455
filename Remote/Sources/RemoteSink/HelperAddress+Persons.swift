extension HelperAddress {
    /// A setting of the address that differs between persons.
    public enum ByPerson: Sendable, Equatable {
        /// `KEY=VALUE`.
        case everybody(String)
        /// `KEY.NAME=VALUE`, `KEY.CUFF:SLOT=VALUE`, `KEY.SLOT=VALUE`, with 0 for readings without a slot.
        case persons([String: String])
    }

    /// The setting `word`; `nil` if the address does not have it. `key` is the form in which names are compared.
    public func byPerson(_ word: String, key: (String) -> String) throws(ConfigurationFault) -> ByPerson? {
        var persons: [String: String] = [:]
        for item in items where item.key.hasPrefix(word + ".") {
            let text = String(item.key.dropFirst(word.count + 1))
            guard !text.isEmpty, Int(text).map({ $0 >= 0 && "\($0)" == text }) ?? true, !item.value.isEmpty else {
                throw ConfigurationFault(
                    "`\(item.key)` is not a person with a value; write \(word).NAME=…, \(word).1=… for a user slot, or \(word).0=… for readings "
                        + "without one")
            }
            guard persons.updateValue(item.value, forKey: key(text)) == nil else {
                throw ConfigurationFault("`\(item.key)` is given twice")
            }
        }
        let everybody = items.filter { $0.key == word }
        guard let one = everybody.first else { return persons.isEmpty ? nil : .persons(persons) }
        guard everybody.count == 1, persons.isEmpty, !one.value.isEmpty else {
            throw ConfigurationFault("use either \(word)=, once, or \(word).NAME=… for each person, not both")
        }
        return .everybody(one.value)
    }
}
