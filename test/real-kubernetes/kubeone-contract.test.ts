/** What KubeOne refuses and accepts before it asks a host, for each release that was built here, and for an official one in KUBELOOM_KUBEONE. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { builtKubeone, builtKubeones } from '#local/kubernetes/available.ts';
import { kubeoneVersions } from '#local/kubernetes/parts.ts';
import { kubeoneContract } from '#test/kubernetes/kubeone-contract.ts';
import { kubeoneRulesContract } from '#test/kubernetes/kubeone-rules-contract.ts';

const releaseOf = (program: string): string =>
  JSON.parse(execFileSync(program, ['version'], { encoding: 'utf8' })).kubeone.gitVersion;

const official = process.env.KUBELOOM_KUBEONE;
const programs = official ? [official] : builtKubeones().map(builtKubeone);

for (const program of programs) {
  const release = releaseOf(program);
  const speaker = { name: `KubeOne ${release}`, program, patient: true } as const;
  kubeoneContract(speaker);
  kubeoneRulesContract(speaker, release);
}

test.skipIf(official)('each KubeOne that was built says its own release', () => {
  expect(builtKubeones()).toEqual(expect.arrayContaining(kubeoneVersions.slice(0, 2)));
  for (const version of builtKubeones()) expect(releaseOf(builtKubeone(version))).toBe(version);
});
