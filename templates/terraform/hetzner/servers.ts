/** Servers that the runner names by their ids: each is read again, then stopped or deleted, and awaited. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { askHetzner, bodyOfHetzner, endHetznerHook } from './api.ts';

interface HookInput {
  readonly cluster: string;
  readonly machines: readonly { readonly id: string }[];
}

const pauseMs = Number(process.env.KUBELOOM_HOOK_PAUSE_MS || 3000);

export async function eachServer(act: (id: string) => Promise<void>): Promise<void> {
  const { cluster, machines }: HookInput = JSON.parse(readFileSync(0, 'utf8'));
  await Promise.all(
    machines.map(async ({ id }) => {
      const server = await read(id);
      const isOurs = server?.labels?.['kubeloom-cluster'] === cluster;
      if (isOurs) return act(id);
      process.stderr.write(`server ${id} is gone, or has lost the label of the cluster: nothing is done\n`);
    }),
  );
}

export async function stopServer(id: string): Promise<void> {
  if ((await read(id))?.status === 'off') return;
  await action(id, 'shutdown');
  if (await becomes(id, 'off', 40)) return;
  // It does not listen to its power button.
  await action(id, 'poweroff');
  if (!(await becomes(id, 'off', 40))) endHetznerHook(4, `server ${id} was not off within some minutes`);
}

export async function removeServer(id: string): Promise<void> {
  const answer = await askHetzner(pathOf(id), 'DELETE');
  if (answer.status !== 404) bodyOfHetzner(answer, `deletion of server ${id}`);
  if (!(await becomes(id, undefined, 80))) endHetznerHook(4, `server ${id} was not deleted within some minutes`);
}

async function action(id: string, name: 'shutdown' | 'poweroff'): Promise<void> {
  bodyOfHetzner(await askHetzner(`${pathOf(id)}/actions/${name}`, 'POST'), `${name} of server ${id}`);
}

/** Undefined: it does not exist. */
async function becomes(id: string, status: string | undefined, looks: number): Promise<boolean> {
  for (let look = 0; look < looks; look += 1) {
    if (look > 0) await pause(pauseMs);
    if ((await read(id))?.status === status) return true;
  }
  return false;
}

async function read(
  id: string,
): Promise<{ readonly status: string; readonly labels?: Readonly<Record<string, string>> } | undefined> {
  const answer = await askHetzner(pathOf(id));
  if (answer.status === 404) return undefined;
  const { server } = bodyOfHetzner(answer, `server ${id}`) as { server?: { status: string } };
  return typeof server?.status === 'string' ? server : endHetznerHook(4, `server ${id} was answered in another form`);
}

function pathOf(id: string): string {
  return `/servers/${encodeURIComponent(id)}`;
}
