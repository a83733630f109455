import CuffIngest

extension SourceFault: Hinted {
    var hint: String {
        switch self {
        case .notAProgram: "write e.g. --source \"exec:./csv-folder.py $HOME/readings\""
        case .noProgram: "name it with its path; a shell's own words need exec:sh -c '…'"
        case .sameName: "`cuff config example` shows such a section"
        case .once: "leave out --once"
        case .notDurable: "add --sink sqlite:bp.db"
        }
    }
}
