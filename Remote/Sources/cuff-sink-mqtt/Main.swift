import CMosquitto
import RemoteSink

@main
struct Main {
    static func main() {
        let conversation = Conversation()
        conversation.answer(.ready)
    }
}
