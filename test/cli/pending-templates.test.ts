/** Waiting for the commit of a private template repository, as `apply`, `plan` and `rollback` do. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { cliClient } from '#cli/connection/api-client.ts';
import { onceTemplatesKnown } from '#client/api-client.ts';
import { ProblemAnswer } from '#client/faults.ts';
import { errorNames } from '#domain/errors.ts';

const detail = 'a runner is asking the private repository github.com/team/ours for the commit of "main"';
const problemOf = (code: keyof typeof errorNames) =>
  ({ type: `urn:kubeloom:error:${code}`, title: errorNames[code], status: 409, detail, instance: 'r1', code }) as const;
const output = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
afterEach(() => output.mockClear());

it('a request is repeated until a runner has found the commit, and the wait is reported once', async () => {
  const answers = [problemOf('TemplatesPending'), problemOf('TemplatesPending'), undefined];
  const ask = vi.fn(async () => {
    const problem = answers.shift();
    if (problem) throw new ProblemAnswer(problem);
    return 'accepted';
  });
  const onWait = vi.fn();
  expect(await onceTemplatesKnown(ask, { everyMs: 1, onWait })).toBe('accepted');
  expect(ask).toHaveBeenCalledTimes(3);
  expect(onWait.mock.calls).toEqual([[detail]]);
});

it('a request that is refused for another reason is not repeated', async () => {
  const ask = vi.fn(() => Promise.reject(new ProblemAnswer(problemOf('VersionConflict'))));
  await expect(onceTemplatesKnown(ask, { everyMs: 1 })).rejects.toMatchObject({ problem: { code: 'VersionConflict' } });
  expect(ask).toHaveBeenCalledTimes(1);
});

it('a request for pending templates fails after the time limit, with the words of the API', async () => {
  const ask = () => Promise.reject(new ProblemAnswer(problemOf('TemplatesPending')));
  await expect(onceTemplatesKnown(ask, { everyMs: 1, limitMs: 20 })).rejects.toThrow(detail);
});

it('apply, plan and rollback wait for the commit of the templates', async () => {
  const asked: string[] = [];
  const server = createServer(({ method, url }, response: ServerResponse) => {
    asked.push(`${method} ${url}`);
    const first = asked.filter((line) => line === `${method} ${url}`).length === 1;
    const problem = problemOf(first ? 'TemplatesPending' : 'Protected');
    response.writeHead(409, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const api = cliClient({ apiUrl: `http://127.0.0.1:${port}`, token: 'a-token' }, { everyMs: 1 });
  const key = { namespace: 'team', name: 'shop' };
  for (const call of [
    () => api.putManifest(key, {}),
    () => api.planManifest(key, { document: {} }),
    () => api.rollbackManifest(key),
  ])
    await expect(call()).rejects.toMatchObject({ problem: { code: 'Protected' } });
  expect(output.mock.calls).toEqual(Array(3).fill([`${detail}; waiting for it\n`]));
  const path = '/v1/manifests/team/shop';
  expect(asked).toEqual([`PUT ${path}`, `POST ${path}/plan`, `POST ${path}/rollback`].flatMap((one) => [one, one]));
});
