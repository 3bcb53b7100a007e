// How a cloud expects one request for a model of another vendor. Only the dialect of that vendor knows more than this.

export abstract class RequestHost {}
