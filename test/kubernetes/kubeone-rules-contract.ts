/** KubeOne reads every manifest that we render and every golden, and refuses and accepts what our own check of kubeone.yaml does. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubeoneReleases } from '#domain/kubernetes-versions.ts';
import { parseManifest } from '#local/kubeone/manifest.ts';
import { outcome, type Speaker } from './kubeone-contract.ts';
import { acceptedChanges, changed, refusedManifests } from './kubeone-manifests.ts';
import { renderedManifests } from './rendered-manifests.ts';

const goldenDirectory = join(import.meta.dirname, '../rendering/golden');
/** Manifests of KubeOne among all goldens. */
export const goldenManifests = readdirSync(goldenDirectory)
  .filter((name) => /^kubeone.*\.yaml$/.test(name))
  .map((name) => [name, readFileSync(join(goldenDirectory, name), 'utf8')] as const);

/** `release`: what it says as its version. */
export function kubeoneRulesContract({ name, program, env = {} }: Speaker, release: string): void {
  const row = kubeoneReleases.find((entry) => `${release}.`.startsWith(`${entry.release}.`));
  if (row === undefined) throw new Error(`the table of Kubernetes versions has no KubeOne ${release}`);
  // A version that each release builds, where the version is not what is tried.
  const inWindow = (content: string) =>
    content.replaceAll(/kubernetes: v?1\.3\d\.\d+/g, `kubernetes: ${row.minors[0]}.2`);

  describe(`${name} and our check of its manifest`, () => {
    let directory: string;
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'kubeloom-rules-'));
    });
    afterAll(() => rmSync(directory, { recursive: true }));

    /** What it says of a manifest; '' = accepted. This command reads and checks the manifest and asks no host. */
    const refusal = async (content: string): Promise<string> => {
      // The directory of add-ons has to exist.
      const manifest = content.replace(/path: \S+addons\S+/, `path: ${directory}`);
      writeFileSync(join(directory, 'kubeone.yaml'), manifest);
      const place = { directory, env };
      const { code, stderr } = await outcome(program, ['config', 'machinedeployments', '-m', 'kubeone.yaml'], place);
      return code === 0 ? '' : stderr;
    };

    test.each(goldenManifests)(`${name} reads the golden manifest %s`, async (_, content) => {
      expect(await refusal(inWindow(content))).toBe('');
    });

    test.each(renderedManifests())(`${name} accepts what is rendered for $name`, async ({ manifest }) => {
      expect(await refusal(inWindow(manifest))).toBe('');
    });

    test.each(refusedManifests.filter(({ change }) => !change[0].includes('1.34')))(
      `${name} refuses a manifest with $name, as our check does`,
      async ({ change, refusal: words }) => expect(await refusal(inWindow(changed(change)))).toContain(words),
    );

    test.each(acceptedChanges)(`${name} accepts a manifest with %s, as our check does`, async (_, change) => {
      expect(await refusal(inWindow(changed(change)))).toBe('');
    });

    test(`${name} builds the Kubernetes versions of our table and no others`, async () => {
      for (const minor of ['1.31', '1.32', '1.33', '1.34', '1.35', '1.36', '1.37']) {
        const content = changed(['1.34.2', `${minor}.2`]);
        expect([minor, (await refusal(content)) === '']).toEqual([minor, !('refusal' in parseManifest(content, row))]);
      }
    });
  });
}
