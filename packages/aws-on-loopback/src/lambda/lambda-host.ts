/** Lambda functions in this process: JSON in, JSON out, errors under the names that state machines see. */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import pLimit from 'p-limit';
import { lambdaArn, toKebabCase } from '../names.ts';

export type LambdaFunction = (event: unknown, context: Context) => unknown;

/** A function that answers requests of the API. */
export interface ServedFunction {
  readonly operation: string;
  readonly handler: (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;
}

/** A function failed; `name` is its error type, `message` the JSON that AWS puts into `Cause`. */
class LambdaFault extends Error {
  readonly errorMessage: string;

  constructor(thrown: unknown) {
    const errorType = thrown instanceof Error ? thrown.name : 'Error';
    const errorMessage = thrown instanceof Error ? thrown.message : String(thrown);
    super(JSON.stringify({ errorType, errorMessage }));
    this.name = errorType;
    this.errorMessage = errorMessage;
  }
}

export interface LambdaHost {
  /** Runs a function by file name or by state name without spaces; `begins` is called when it gets its turn. Throws `LambdaFault`. */
  invoke(name: string, payload: unknown, begins?: () => void): Promise<unknown>;
  has(name: string): boolean;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
}

/** As an account's concurrency: further calls wait, so that hundreds of executions leave the API its share. */
const concurrency = 6;

/** `heard` gets what each function returns. */
export function lambdaHost(
  functions: Readonly<Record<string, LambdaFunction>>,
  heard: (output: unknown) => void = () => {},
): LambdaHost {
  const running = new Set<Promise<unknown>>();
  const turn = pLimit(concurrency);
  const run = async (name: string, payload: unknown): Promise<unknown> => {
    const work = functions[name];
    try {
      if (!work) throw new Error(`there is no function ${name}`);
      const output = copyAsJson(await work(copyAsJson(payload ?? null), contextOf(name, 900_000)));
      heard(output);
      return output;
    } catch (error) {
      throw new LambdaFault(error);
    }
  };
  return {
    has: (name) => toKebabCase(name) in functions,
    invoke(name, payload, begins = () => {}) {
      const invocation = turn(() => {
        begins();
        return run(toKebabCase(name), payload);
      });
      const settled = invocation.catch(() => {}).finally(() => running.delete(settled));
      running.add(settled);
      return invocation;
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Imports every file of a directory; its `handler` export is the function, the file name its name. */
export async function loadFunctions(directory: string): Promise<Readonly<Record<string, LambdaFunction>>> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
  const found = await Promise.all(
    files.map(async (file) => {
      const module = (await import(pathToFileURL(join(directory, file)).href)) as { handler?: LambdaFunction };
      return [file.slice(0, -'.ts'.length), module.handler] as const;
    }),
  );
  return Object.fromEntries(found.filter((pair): pair is [string, LambdaFunction] => typeof pair[1] === 'function'));
}

/** The context that Lambda passes to a handler. */
export function contextOf(name: string, timeoutMs: number): Context {
  const deadline = Date.now() + timeoutMs;
  const ignore = (): void => {};
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: lambdaArn(name),
    memoryLimitInMB: '1024',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: ignore,
    fail: ignore,
    succeed: ignore,
  };
}

/** Nothing but JSON passes between caller and function: neither side can change what the other holds. */
export const copyAsJson = (value: unknown): unknown => {
  const text = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
};
