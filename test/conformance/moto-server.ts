/** A moto server in a process of its own: services of AWS in memory, written by others. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '#test/free-port.ts';

const installed = fileURLToPath(new URL('../../.kubeloom/conformance/venv/bin/python', import.meta.url));

const launcher = fileURLToPath(new URL('moto_server.py', import.meta.url));

/** The Python that has moto and schemathesis. Throws a sentence when there is no such Python. */
export function conformancePython(): string {
  const python = process.env.KUBELOOM_CONFORMANCE_PYTHON ?? installed;
  if (!existsSync(python)) throw new Error(`${python} is not there; run npm run conformance, which installs it`);
  return python;
}

export interface MotoServer {
  readonly url: string;
  /** Forgets everything. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

const motoAccount = '000000000000';

/** `calls`: port of 127.0.0.1 that moto's Step Functions sends its calls of other services to. @default moto itself */
export async function startMoto({ calls }: { readonly calls?: number } = {}): Promise<MotoServer> {
  const port = await freePort();
  const child = spawn(conformancePython(), [launcher, '-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      MOTO_ACCOUNT_ID: motoAccount,
      ...(calls !== undefined && { MOTO_PORT: String(calls) }),
    },
  });
  const output: string[] = [];
  child.stderr.on('data', (piece: Buffer) => output.push(piece.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const configure = (): Promise<Response> =>
    fetch(`${url}/moto-api/config`, {
      method: 'POST',
      body: JSON.stringify({ stepfunctions: { execute_state_machine: true } }),
    });
  for (let tries = 0; ; tries += 1) {
    if (await configure().catch(() => undefined)) break;
    if (child.exitCode !== null || tries > 1000)
      throw new Error(`moto does not start: ${output.join('').slice(-2000)}`);
    await pause(100);
  }
  return {
    url,
    async reset() {
      await fetch(`${url}/moto-api/reset`, { method: 'POST' });
      await configure();
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
