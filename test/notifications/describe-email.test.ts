/** `kubeloom notifications describe` says whether the recipient of e-mail confirmed, and what to do if not. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NotificationDescription } from '#contracts/notifications.ts';
import { kubeloom } from '#test/cli/kubeloom.ts';

const status = { state: 'Waiting', delivered: 0, dropped: 0, attempts: 0 } as const;
const description: NotificationDescription = {
  namespace: 'team',
  name: 'alerts',
  by: 'local:olga',
  at: '2026-06-01T12:00:00.000Z',
  to: 'email',
  address: 'ann@example.com',
  events: ['failures'],
  namespaces: ['team'],
  status,
  document: {},
};

let server: Server;
let recipient: NotificationDescription['status']['recipient'];
beforeAll(async () => {
  server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...description, status: { ...status, recipient } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

it.each([
  [undefined, 'is asked to confirm within 5 minutes'],
  ['unconfirmed', 'has not confirmed yet'],
  ['unsubscribed', 'kubeloom notifications test team/alerts'],
  ['confirmed', ''],
] as const)('a recipient who is %s is described so: %s', async (state, words) => {
  recipient = state;
  const { port } = server.address() as AddressInfo;
  const environment = { KUBELOOM_API_URL: `http://127.0.0.1:${port}`, KUBELOOM_TOKEN: 'token' };
  const { code, stdout, stderr } = await kubeloom(['notifications', 'describe', 'team/alerts'], { environment });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('email to ann@example.com');
  expect(stderr).toContain(words);
  if (words === '') expect(stderr).not.toContain('recipient');
});
