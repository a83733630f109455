/// The version of all helpers, which is that of `cuff`.
public let helperVersion = "0.2.0"
