/** Every server of the platform is on 127.0.0.1, and nowhere else: read from the kernel, not from our own words. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { down, up } from '#local/supervisor.ts';

/** Local addresses, as the kernel writes them, of the sockets on which a process listens. */
function listening(pid: number): readonly string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = '']) => inodes.has(inode) && (state === '0A' || kind.startsWith('udp')))
      .map(([, local = '']) => `${kind} ${local}`),
  );
}

it('a platform listens on 127.0.0.1 only, with all its servers', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kubeloom-listening-'));
  onTestFinished(async () => {
    await down(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });
  const { pid, apiUrl, metricsUrl = '', endpoints } = await up({ dataDir, apiPort: 0, runner: 'sim' });
  const found = listening(pid);
  expect(found.filter((address) => !address.startsWith('tcp 0100007F:'))).toEqual([]);
  const ports = found.map((address) => Number.parseInt(address.slice(-4), 16)).toSorted();
  const reported = [apiUrl, metricsUrl, ...Object.values(endpoints ?? {})]
    .map((url) => Number(new URL(url).port))
    .toSorted();
  expect(ports).toEqual(reported);
});
