/** The console in front of an API that notes what it gets; its users sign in with two tokens. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayListener } from 'aws-on-loopback/api-gateway/gateway-listener.ts';
import type { Logger } from 'aws-on-loopback/logger.ts';
import { onTestFinished } from 'vitest';
import { authorizer } from '#local/access/authorizer.ts';
import { ownGateway } from '#local/api-gateway/start-gateway.ts';
import { withConsole } from '#local/console/console-door.ts';
import { consoleSessions } from '#local/console/sessions.ts';
import { listening } from '#test/local/clients.ts';
import { send } from './raw-http.ts';

export const ownerToken = 'correct-horse-battery-staple';

export const otherToken = 'tea-kettle-rain-umbrella';

export async function consoleUnderTest() {
  const directory = await mkdtemp(join(tmpdir(), 'kubeloom-console-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'index.html'), '<!doctype html><title>Kubeloom</title>');
  await writeFile(join(directory, 'secret.key'), 'not a file of the console');
  const clock = { now: 1_000_000 };
  const seen: unknown[] = [];
  const logged: string[] = [];
  const line: Logger['info'] = (message, fields) => void logged.push(JSON.stringify({ message, ...fields }));
  const logger = { info: line, warn: line, error: line };
  const routes = [
    {
      method: 'ANY',
      path: '/v1/{all+}',
      operation: 'test',
      handler: async (event: unknown) => {
        seen.push(event);
        if (JSON.stringify(event).includes('/v1/broken')) throw new Error('it broke');
        return { statusCode: 200, body: 'in' };
      },
    },
  ];
  const owner = authorizer({ token: ownerToken, logger });
  const other = authorizer({ token: otherToken, logger });
  const authorize = (given: string | undefined) => (given?.endsWith(otherToken) ? other(given) : owner(given));
  const api = gatewayListener({ ...ownGateway, routes, authorize, logger });
  const sessions = consoleSessions(() => clock.now);
  const build = async () => directory;
  const { url } = await listening(withConsole(api, { authorize, build, find: build, logger, sessions }));
  const host = new URL(url).host;
  const bearer = { authorization: `Bearer ${ownerToken}` };
  const codeOf = async (of = ownerToken): Promise<string> => {
    const headers = { authorization: `Bearer ${of}` };
    const { text } = await send(url, 'POST', '/console/codes', { headers });
    return (JSON.parse(text) as { code: string }).code;
  };
  const signIn = async (code: string, more: Readonly<Record<string, string>> = {}) => {
    const headers = { origin: `http://${host}`, ...more };
    const answer = await send(url, 'POST', '/console/session', { headers, body: code });
    const [cookie = ''] = answer.headers['set-cookie']?.[0]?.split(';') ?? [];
    const { key = '' } = answer.status === 201 ? (JSON.parse(answer.text) as { key: string }) : {};
    return { ...answer, cookie, key, both: { cookie, 'kubeloom-console-key': key } };
  };
  const call = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    send(url, method, path, { headers });
  return { url, host, clock, seen, logged, bearer, codeOf, signIn, call };
}
