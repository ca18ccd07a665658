/** The API of a platform that lasts: whatever its functions do with a body, only the sender of that body waits for it. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGatewayThread } from '#local/api-gateway/start-gateway.ts';

const module = new URL('../../packages/aws-on-loopback/test/endless-routes.ts', import.meta.url).href;
/** For what must be answered, however busy the machine is. */
const patient = 120_000;

describe('the API of a platform that lasts', () => {
  async function api(timeoutMs: number) {
    const token = randomUUID() + randomUUID();
    const gateway = await startGatewayThread({
      routesModule: module,
      access: { token },
      port: 0,
      timeoutMs,
      logger: silentLogger,
      environment: {},
    });
    onTestFinished(() => gateway.close());
    return (path: string, body?: string) =>
      fetch(`${gateway.url}/v1/${path}`, {
        ...(body !== undefined && { method: 'POST', body }),
        headers: { authorization: `Bearer ${token}` },
      });
  }

  it('others, and requests for the health of the platform, are answered while bodies are read without end', async () => {
    const send = await api(patient);
    void Promise.allSettled([send('loop', 'x'), send('expression', 'x')]);
    for (const [path, body] of [['health'], ['echo', 'x'], ['health']] as const)
      expect((await send(path, body)).status).toBe(200);
  });

  it('an answer of 504 says what to do to the sender of a body whose reading takes too long', async () => {
    const response = await (await api(500))('loop', 'x');
    expect([response.status, response.headers.get('content-type')]).toEqual([504, 'application/problem+json']);
    const { code, detail } = (await response.json()) as { readonly code: string; readonly detail: string };
    expect(code).toBe('Timeout');
    expect(detail).toMatch(
      /^loop: it took longer than [\d.]+ s; it was stopped; look at what is stored before you send/,
    );
  });

  it('no thread is left of an API that did not start or was closed: its process ends', async () => {
    const script = new URL('./gateway-process.ts', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: patient });
    expect(JSON.parse(stdout)).toEqual({
      refused: expect.stringContaining('port PORT of 127.0.0.1 is taken'),
      status: 504,
    });
  });
});
