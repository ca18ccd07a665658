/** Failures as the Kubernetes API reports them: a `Status` object with reason and HTTP code. */
import type { JsonObject } from './json.ts';

const codes = {
  BadRequest: 400,
  Unauthorized: 401,
  NotFound: 404,
  MethodNotAllowed: 405,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  UnsupportedMediaType: 415,
  Invalid: 422,
  InternalError: 500,
  ServiceUnavailable: 503,
} as const;
export type Reason = keyof typeof codes;

export class ApiFailure extends Error {
  readonly reason: Reason;
  readonly code: number;

  constructor(reason: Reason, message: string) {
    super(message);
    this.name = 'ApiFailure';
    this.reason = reason;
    this.code = codes[reason];
  }

  status(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      code: this.code,
    };
  }
}

export function success(details: JsonObject): JsonObject {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
