/** Droplets that the runner names by their ids: each is read again, then stopped or deleted, and awaited. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { askDigitalOcean, bodyOfDigitalOcean, endDigitalOceanHook } from './api.ts';

interface HookInput {
  readonly cluster: string;
  readonly machines: readonly { readonly id: string }[];
}

const pauseMs = Number(process.env.KUBELOOM_HOOK_PAUSE_MS || 3000);

export async function eachDroplet(act: (id: string) => Promise<void>): Promise<void> {
  const { cluster, machines }: HookInput = JSON.parse(readFileSync(0, 'utf8'));
  await Promise.all(
    machines.map(async ({ id }) => {
      const droplet = await read(id);
      if (droplet?.tags?.includes(`kubeloom-cluster:${cluster}`)) return act(id);
      process.stderr.write(`droplet ${id} is gone, or has lost the tag of the cluster: nothing is done\n`);
    }),
  );
}

export async function stopDroplet(id: string): Promise<void> {
  if ((await read(id))?.status === 'off') return;
  await action(id, 'shutdown');
  if (await becomes(id, 'off', 40)) return;
  // It does not listen to its power button.
  await action(id, 'power_off');
  if (!(await becomes(id, 'off', 40))) endDigitalOceanHook(4, `droplet ${id} was not off within some minutes`);
}

export async function removeDroplet(id: string): Promise<void> {
  const answer = await askDigitalOcean(pathOf(id), { method: 'DELETE' });
  if (answer.status !== 404) bodyOfDigitalOcean(answer, `deletion of droplet ${id}`);
  if (!(await becomes(id, undefined, 80))) endDigitalOceanHook(4, `droplet ${id} was not deleted within some minutes`);
}

async function action(id: string, type: 'shutdown' | 'power_off'): Promise<void> {
  bodyOfDigitalOcean(
    await askDigitalOcean(`${pathOf(id)}/actions`, { method: 'POST', body: { type } }),
    `${type} of droplet ${id}`,
  );
}

/** Undefined: it does not exist. */
async function becomes(id: string, status: string | undefined, looks: number): Promise<boolean> {
  for (let look = 0; look < looks; look += 1) {
    if (look > 0) await pause(pauseMs);
    if ((await read(id))?.status === status) return true;
  }
  return false;
}

async function read(id: string): Promise<{ readonly status: string; readonly tags?: readonly string[] } | undefined> {
  const answer = await askDigitalOcean(pathOf(id));
  if (answer.status === 404) return undefined;
  const { droplet } = bodyOfDigitalOcean(answer, `droplet ${id}`) as { droplet?: { status: string } };
  return typeof droplet?.status === 'string'
    ? droplet
    : endDigitalOceanHook(4, `droplet ${id} was answered in another form`);
}

function pathOf(id: string): string {
  return `droplets/${encodeURIComponent(id)}`;
}
