import CLinux
import Testing

@Suite struct ShimTests {
    @Test func pty_HasAPath() {
        var path = [CChar](repeating: 0, count: 64)
        let master = clinux_open_pty(&path, 64)
        #expect(master >= 0)
        #expect(path[0] == 0x2F)
    }
}
