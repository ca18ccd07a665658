/** The AWS JSON protocol (1.0 and 1.1): one POST address, the operation in a header, errors with a `__type`. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { type Logger, messageOf } from '../logger.ts';
import { callerOf } from './callers.ts';

/** A refusal in the words of the emulated service; `code` is what SDK clients see as `error.name`. */
export class AwsFault extends Error {
  readonly code: string;
  readonly status: number;
  /** Fields of the answer in addition to code and message. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, status = 400, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'AwsFault';
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

export type AwsOperation = (input: unknown) => unknown;

/** Combines the schema of an operation's input with its work; a wrong input is a `ValidationException`. */
export function operation<Schema extends z.ZodType>(
  schema: Schema,
  work: (input: z.infer<Schema>) => unknown,
): AwsOperation {
  return (input) => {
    const parsed = schema.safeParse(input);
    if (parsed.success) return work(parsed.data);
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new AwsFault('ValidationException', faults.join('; '));
  };
}

const maxBodyBytes = 10 * 1024 * 1024;

/** Serves the operations by name; all others are refused as unknown, so that no call seems to have worked. */
export function awsJsonListener(
  service: string,
  version: '1.0' | '1.1',
  operations: Readonly<Record<string, AwsOperation>>,
  logger: Logger,
): RequestListener {
  const contentType = `application/x-amz-json-${version}`;
  const answer = (response: ServerResponse, status: number, body: unknown): void => {
    const text = JSON.stringify(body ?? {});
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(text),
      'x-amzn-requestid': randomUUID(),
    });
    response.end(text);
  };
  return async (request, response) => {
    const name = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    try {
      const work = Object.hasOwn(operations, name) ? operations[name] : undefined;
      const text = await readBody(request);
      if (!work)
        throw new AwsFault('UnknownOperationException', `the local ${service} does not emulate ${name || '(none)'}`);
      const input = parseJson(text);
      const denied = callerOf(request).denialOf(service, name, input);
      if (denied) throw new AwsFault('AccessDeniedException', denied);
      answer(response, 200, await work(input));
    } catch (error) {
      if (error instanceof AwsFault)
        return answer(response, error.status, { __type: error.code, message: error.message, ...error.details });
      logger.error('a local service failed', { service, operation: name, cause: messageOf(error) });
      answer(response, 500, { __type: 'InternalServerError', message: messageOf(error) });
    }
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maxBodyBytes) throw new AwsFault('RequestEntityTooLarge', 'the request is larger than 10 MB', 413);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw new AwsFault('SerializationException', `the request is not JSON: ${messageOf(error)}`);
  }
}
