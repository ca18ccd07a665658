/** Hooks `stop` and `remove` of clouds, against clouds of loopback that refuse what the documents of their APIs refuse. No account was asked. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type CloudAnswer,
  type CloudRequest,
  type FakeCloud,
  fakeCloud,
  type Routes,
} from '#test/provider-check/fake-cloud.ts';

const cluster = 'shop-1234567';
const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});

/** One machine with the id 7, and another one with the same name and the id 8. */
interface Machine {
  status: string;
  ours: boolean;
  /** Ends without being asked twice. */
  listens: boolean;
  refusal?: CloudAnswer;
  exists: boolean;
}

interface Cloud {
  readonly environment: (url: string) => NodeJS.ProcessEnv;
  readonly running: string;
  readonly routes: (machine: Machine) => Routes;
  /** Refusals to exit codes. */
  readonly refusals: readonly (readonly [what: string, answer: CloudAnswer, code: number])[];
}

const authorised =
  (answer: (request: CloudRequest) => CloudAnswer) =>
  (request: CloudRequest): CloudAnswer =>
    request.headers.authorization === 'Bearer planted-token' ? answer(request) : { status: 401, body: {} };
const coded = (status: number, code: string): CloudAnswer => ({ status, body: { error: { code, message: 'm' } } });

const clouds: Readonly<Record<'hetzner' | 'digitalocean', Cloud>> = {
  hetzner: {
    environment: (url) => ({ HCLOUD_ENDPOINT: `${url}/v1`, HCLOUD_TOKEN: 'planted-token' }),
    running: 'running',
    refusals: [
      ['it is protected', coded(403, 'protected'), 8],
      ['another action runs', coded(423, 'locked'), 5],
      ['the token may only read', coded(403, 'forbidden'), 7],
      ['it is out of order', coded(503, 'unavailable'), 4],
    ],
    routes: (machine) => {
      const act = (effect: () => void) =>
        authorised(() => {
          if (machine.refusal) return machine.refusal;
          effect();
          return { status: 201, body: { action: { id: 1, status: 'running' } } };
        });
      return {
        'GET /v1/servers/7': authorised(() => {
          if (!machine.exists) return coded(404, 'not_found');
          const labels = { 'kubeloom-cluster': machine.ours ? cluster : 'shop-7654321' };
          return { body: { server: { id: 7, name: 'x', status: machine.status, labels } } };
        }),
        'POST /v1/servers/7/actions/shutdown': act(() => {
          if (machine.listens) machine.status = 'off';
        }),
        'POST /v1/servers/7/actions/poweroff': act(() => {
          machine.status = 'off';
        }),
        'DELETE /v1/servers/7': act(() => {
          machine.exists = false;
        }),
      };
    },
  },
  digitalocean: {
    environment: (url) => ({ DIGITALOCEAN_API_URL: url, DIGITALOCEAN_TOKEN: 'planted-token' }),
    running: 'active',
    refusals: [
      ['an event is pending', { status: 422, body: { id: 'unprocessable_entity' } }, 5],
      ['the token lacks a scope', { status: 403, body: { id: 'forbidden' } }, 7],
      ['it is out of order', { status: 503, body: {} }, 4],
    ],
    routes: (machine) => {
      const act = (effect: (type: string) => void, done: number) =>
        authorised(({ body }) => {
          if (machine.refusal) return machine.refusal;
          effect(body === '' ? '' : JSON.parse(body).type);
          return { status: done, body: {} };
        });
      return {
        'GET /v2/droplets/7': authorised(() => {
          if (!machine.exists) return { status: 404, body: { id: 'not_found' } };
          const tags = ['kubeloom', `kubeloom-cluster:${machine.ours ? cluster : 'shop-7654321'}`];
          return { body: { droplet: { id: 7, name: 'x', status: machine.status, tags } } };
        }),
        'POST /v2/droplets/7/actions': act((type) => {
          if (type === 'power_off' || (type === 'shutdown' && machine.listens)) machine.status = 'off';
        }, 201),
        'DELETE /v2/droplets/7': act(() => {
          machine.exists = false;
        }, 204),
      };
    },
  },
};

describe.each(Object.entries(clouds))('%s', (type, { environment, running, routes, refusals }) => {
  async function run(hook: 'stop' | 'remove', change: Partial<Machine> = {}) {
    const machine: Machine = { status: running, ours: true, listens: true, exists: true, ...change };
    const cloud = await fakeCloud(routes(machine));
    open.push(cloud);
    const path = fileURLToPath(new URL(`../../templates/terraform/${type}/${hook}.ts`, import.meta.url));
    const env = { ...environment(cloud.url), KUBELOOM_HOOK_PAUSE_MS: '1' };
    const asked = promisify(execFile)(process.execPath, [path], { env });
    asked.child.stdin?.end(JSON.stringify({ cluster, machines: [{ id: '7', name: 'x' }] }));
    const ended = await asked.then(
      ({ stderr }) => ({ code: 0, said: stderr }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
    );
    const acts = cloud.asked.flatMap(({ method, path: where, body }) =>
      method === 'GET' ? [] : [`${method} ${where.replace(/^\/v\d/, '')}${body}`],
    );
    return { ...ended, machine, acts };
  }

  it(`a machine of ${type} is shut down by its id, and kept`, async () => {
    const { code, said, machine, acts } = await run('stop');
    expect(code, said).toBe(0);
    expect(machine).toMatchObject({ status: 'off', exists: true });
    expect(acts).toHaveLength(1);
    expect(acts[0]).toContain('shutdown');
  });

  it(`a machine of ${type} that does not listen is switched off`, async () => {
    const { code, machine, acts } = await run('stop', { listens: false });
    expect({ code, status: machine.status }).toEqual({ code: 0, status: 'off' });
    expect(acts.at(-1)).toMatch(/power_?off/);
  });

  it(`a machine of ${type} is deleted by its id`, async () => {
    const { code, said, machine, acts } = await run('remove', { status: 'off' });
    expect(code, said).toBe(0);
    expect(machine.exists).toBe(false);
    expect(acts).toEqual([expect.stringMatching(/^DELETE .*\/7$/)]);
  });

  it(`nothing is done to a machine of ${type} that has lost the mark of the cluster, is gone, or is off already`, async () => {
    const others = [
      await run('remove', { ours: false }),
      await run('stop', { ours: false }),
      await run('remove', { exists: false }),
      await run('stop', { status: 'off' }),
    ];
    expect(others.map(({ code, acts }) => [code, acts])).toEqual(others.map(() => [0, []]));
  });

  it.each(refusals)(`an act that ${type} refuses since %s ends with its exit code`, async (_why, refusal, code) => {
    for (const hook of ['stop', 'remove'] as const) {
      const ended = await run(hook, { refusal });
      expect(ended).toMatchObject({ code, machine: { status: running, exists: true } });
      expect(ended.said).not.toContain('planted-token');
    }
  });
});
