/** Programs of official releases: a server of our own stands in for the publishers. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { availableReleases, fetchRelease, officialReleases } from '#local/kubernetes/build/official-programs.ts';
import { goParts } from '#local/kubernetes/parts.ts';

let directory: string;
let server: Server;
let url: string;
let archive: Buffer;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-official-'));
  mkdirSync(join(directory, 'tree', 'kubernetes', 'server', 'bin'), { recursive: true });
  for (const name of ['kubelet', 'kubeadm', 'kubelet.tar'])
    writeFileSync(join(directory, 'tree', 'kubernetes', 'server', 'bin', name), `the program ${name}`, { mode: 0o755 });
  execFileSync('tar', ['-czf', join(directory, 'a.tar.gz'), '-C', join(directory, 'tree'), '.']);
  archive = readFileSync(join(directory, 'a.tar.gz'));
  server = createServer((request, response) => {
    response.statusCode = request.url === '/a.tar.gz' ? 200 : 404;
    response.setHeader('content-length', archive.length);
    response.end(request.method === 'HEAD' ? undefined : archive);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.tar.gz`;
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true });
});

const programs = () => join(directory, 'programs');
const release = (checksum = `sha512:${createHash('sha512').update(archive).digest('hex')}`) => ({
  url,
  checksum,
  parts: { 'kubernetes-1.2.3': ['kubelet'], others: ['kubeadm'] },
});
const fetched = (checksum?: string) => fetchRelease(release(checksum), programs(), join(directory, 'work'));

describe('official releases', () => {
  it('programs of an archive with the pinned checksum go where built ones would be', async () => {
    await fetched();
    expect(readFileSync(join(programs(), 'kubernetes-1.2.3', 'kubelet'), 'utf8')).toBe('the program kubelet');
    expect(readdirSync(join(programs(), 'others'))).toEqual(['kubeadm']);
    expect(existsSync(join(directory, 'work'))).toBe(false);
  });

  it('an archive with another checksum is refused with both, and nothing of it is kept', async () => {
    const other = `sha512:${'0'.repeat(128)}`;
    await expect(fetched(other)).rejects.toThrow(`has the checksum ${release().checksum}, not ${other}`);
    expect(existsSync(programs())).toBe(false);
    expect(existsSync(join(directory, 'work'))).toBe(false);
  });

  it('a release is available with its size when its server answers and its programs lack', async () => {
    expect(await availableReleases([release()], programs())).toEqual([{ ...release(), bytes: archive.length }]);
    await fetched();
    expect(await availableReleases([release()], programs())).toEqual([]);
    rmSync(programs(), { recursive: true });
    expect(await availableReleases([{ ...release(), url: `${url}.gone` }], programs())).toEqual([]);
    expect(await availableReleases([{ ...release(), url: 'http://127.0.0.1:9/' }], programs())).toEqual([]);
  });

  it('every official program is one that would be built otherwise', () => {
    const built = new Map(goParts.map(({ name, programs: own }) => [name, Object.values(own)]));
    built.set('crictl', ['crictl']);
    for (const { parts, checksum } of officialReleases()) {
      expect(checksum).toMatch(/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/);
      for (const [part, names] of Object.entries(parts))
        expect(built.get(part)).toEqual(expect.arrayContaining([...names]));
    }
  });

  it('every Kubernetes version of the table has an official release', () =>
    expect(officialReleases().flatMap(({ parts }) => Object.keys(parts))).toEqual(
      expect.arrayContaining(goParts.map(({ name }) => name).filter((name) => /^(kubernetes|etcd)/.test(name))),
    ));
});
