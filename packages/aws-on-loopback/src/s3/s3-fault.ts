/** Refusals of S3: the code and the HTTP status that clients act on. */

const statuses = {
  AccessDenied: 403,
  BadDigest: 400,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  InvalidArgument: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MethodNotAllowed: 405,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
} as const;
type S3FaultCode = keyof typeof statuses;

export class S3Fault extends Error {
  readonly code: S3FaultCode;
  readonly status: number;

  constructor(code: S3FaultCode, message: string) {
    super(message);
    this.name = 'S3Fault';
    this.code = code;
    this.status = statuses[code];
  }
}
