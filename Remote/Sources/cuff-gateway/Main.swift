import CRabbitMQ
@main
struct Main { static func main() {} }
