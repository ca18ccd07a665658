/** The KubeOne that is built from its module reads every golden as its official release does. Skipped, with the reason, where that release cannot be had. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { builtKubeone, builtKubeones } from '#local/kubernetes/available.ts';
import { goldenManifests } from '#test/kubernetes/kubeone-rules-contract.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubeloom-kubeone-release-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** By the script of the image, against the checksums of the release. */
function official(release: string): { readonly program: string; readonly fault?: string } {
  const script = join(import.meta.dirname, '../../runner-images/kubeone/fetch-releases.sh');
  const env = { ...process.env, KUBEONE_RELEASES: release, TARGETARCH: process.arch === 'arm64' ? 'arm64' : 'amd64' };
  const { status, stderr } = spawnSync('sh', [script, directory], { cwd: directory, env, encoding: 'utf8' });
  const program = join(directory, `kubeone-${release}`);
  return status === 0 && existsSync(program) ? { program } : { program, fault: stderr.trim() };
}

const releases = builtKubeones();
if (releases.length === 0) test.skip('nothing to compare: npm run kubernetes:build has built no KubeOne here');

describe.each(releases)('KubeOne %s', (release) => {
  const { program, fault } = official(release);
  const commands = [
    ['config', 'machinedeployments'],
    ['config', 'images', 'list'],
    ['config', 'dump'],
  ] as const;

  test.skipIf(fault !== undefined).each(goldenManifests)(
    `the built program reads %s as the official release does${fault === undefined ? '' : ` (not compared, the release cannot be had: ${fault})`}`,
    (_, golden) => {
      const file = join(directory, 'kubeone.yaml');
      writeFileSync(file, golden.replace(/path: \S+addons\S+/, `path: ${directory}`));
      for (const command of commands) {
        const read = (one: string) => {
          const { status, stdout, stderr } = spawnSync(one, [...command, '-m', file], { encoding: 'utf8' });
          return { command, status, stdout, stderr };
        };
        expect(read(builtKubeone(release))).toEqual(read(program));
      }
    },
  );

  test('its commands print something to compare', () => {
    const help = execFileSync(builtKubeone(release), ['config', '--help'], { encoding: 'utf8' });
    for (const [, name] of commands) expect(help).toContain(name);
  });
});
