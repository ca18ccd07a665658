/**
 * The images of the runners, built by buildah from the Dockerfile and run: what is missing in one is found here, not by the first
 * deployment. Stand-ins (test/conformance/images/stand-ins.ts) are the base images and what the build downloads.
 */
import { chmodSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StageResult, waypointKeys } from '#contracts/stage.ts';
import { noPlace } from '#functions/rights/job-rights.ts';
import { type RunnerTool, runnerTools } from '#functions/rights/runner-rights.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { sessionOfGrant } from '#test/fakes/session-of.ts';
import { inSession } from '#test/local/clients.ts';
import { startFixtureProviders } from '#test/providers/plugin/fixture-providers.ts';
import { providerCases } from '#test/providers/provider-cases.ts';
import { controlPool, twoProviderState } from '#test/rendering/states.ts';
import { aDocument, prefix } from '#test/runner/stage-world.ts';
import { type InContainer, lackingForImages, type Ran } from './images/buildah.ts';
import { type BuiltImages, imagesDirectory, prepareImages, socketVariable, source } from './images/built-images.ts';
import { defaultRegistryHost } from './images/registry-host.ts';

const lacking = lackingForImages(imagesDirectory);
const reason = `the images were not built: this machine lacks ${lacking.join(', ')}`;
if (lacking.length > 0) process.stderr.write(`${reason}\n`);
const minutes = 60_000;

describe.skipIf(lacking.length > 0)('the images of the runners', { timeout: 20 * minutes }, () => {
  let images: BuiltImages;
  const containers = new Map<RunnerTool, string>();

  beforeAll(async () => {
    images = await prepareImages(defaultRegistryHost());
    // One after the other: they share layers.
    for (const tool of runnerTools)
      containers.set(tool, await images.buildah.must('from', '--pull-never', await images.image(tool)));
  }, 60 * minutes);
  afterAll(async () => {
    await images?.close();
  });

  const inside = (tool: RunnerTool, command: readonly string[], options?: InContainer): Promise<Ran> =>
    images.buildah.inside(containers.get(tool) ?? '', command, options);
  const output = async (tool: RunnerTool, ...command: string[]): Promise<string> => {
    const { code, stdout, stderr } = await inside(tool, command);
    if (code !== 0) throw new Error(`${command.join(' ')} in ${tool}: ${stdout}${stderr}`);
    return stdout + stderr;
  };

  test.each(runnerTools)(
    'the image %s starts its runner as the user of builds, which refuses to work without a job',
    async (tool) => {
      const { code, stderr } = await inside(tool, ['kubeloom-runner']);
      expect(stderr).toContain('KUBELOOM_JOB');
      expect(stderr).not.toMatch(/Cannot find|ENOENT|EACCES/);
      expect(code).toBe(1);
      expect(await output(tool, 'git', '--version')).toContain('git version');
      expect(await output(tool, '/usr/bin/curl', '--version')).toContain('https');
    },
  );

  test.each(runnerTools)('the user of Lambda compute has a name in the image %s', async (tool) => {
    expect((await inside(tool, ['id', '-un'], { user: '993' })).stdout.trim()).toBe('lambda-compute');
  });

  test('an image has the programs that its stage starts', async () => {
    expect(await output('terraform', 'terraform', 'version')).toContain('Terraform v');
    expect(await output('ansible', 'ansible', 'localhost', '-m', 'ping')).toContain('"ping": "pong"');
    expect(await output('ansible', 'ssh', '-V')).toContain('OpenSSH');
    for (const tool of ['kubeone', 'kubectl', 'drift'] as const)
      expect(await output(tool, 'kubectl', 'version', '--client')).toMatch(/Client Version|GitVersion/);
    expect(await output('kubeone', 'ssh', '-V')).toContain('OpenSSH');
    const releases = (await output('kubeone', 'ls', '/usr/local/bin')).match(/kubeone-\d+\.\d+\.\d+/g) ?? [];
    expect(releases).toHaveLength(3);
    for (const release of releases) expect(await output('kubeone', release, 'version')).toContain('gitVersion');
    // A check asks machines with ssh: Lambda compute starts no Ansible.
    expect(await output('drift', 'ssh', '-V')).toContain('OpenSSH');
    expect((await inside('drift', ['sh', '-c', 'command -v ansible'])).code).not.toBe(0);
    expect(await output('drift', 'terraform', 'version')).toContain('Terraform v');
  });

  test('every playbook is understood by the Ansible of the image', async () => {
    const folder = new URL('../../templates/ansible/', import.meta.url);
    const playbooks = readdirSync(folder).filter((name) => name.endsWith('.yml') || name.endsWith('.yaml'));
    expect(playbooks.length).toBeGreaterThan(0);
    for (const name of playbooks)
      await output('ansible', 'ansible-playbook', '--syntax-check', `/opt/kubeloom/templates/ansible/${name}`);
  });

  test('the documents and the program of the agent are where the nodes stage looks for them', async () => {
    for (const tool of ['kubectl', 'drift'] as const) {
      const files = await output(tool, 'ls', '/opt/kubeloom/templates/kubernetes/upstream');
      expect(files).toContain('agent.mjs');
      expect(files).toMatch(/longhorn-.*\.yaml/);
    }
  });

  describe('a real stage', () => {
    let platform: Platform;
    beforeAll(async () => {
      platform = await startPlatform({ apiPort: 0, runner: 'sim', inMemory: true });
    });
    afterAll(() => platform.stop());

    test('the infrastructure stage creates machines with the Terraform, the templates and the plugin of its image', async () => {
      const { wire } = await import('#functions/wire.ts');
      const { artifacts, secrets } = wire();
      const target = twoProviderState({
        pools: [controlPool],
        loadBalancers: [],
        apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-01' },
      });
      const work = { workspaces: [{ kind: 'machines' as const, name: 'hz-prod', destroy: false }] };
      const document = aDocument([{ stage: 'infrastructure', reasons: ['pools are new'], work }], { target });
      await artifacts.putText(waypointKeys.document(prefix), JSON.stringify(document));
      await secrets.put('user/team/hetzner-token', { credentials: 'x'.repeat(64) });
      const cloud = await startFixtureProviders(providerCases.find(({ type }) => type === 'hetzner')?.fixtures ?? []);
      try {
        const reattach = JSON.parse(cloud.environment.TF_REATTACH_PROVIDERS ?? '{}');
        const socket: string = reattach[source].Addr.String;
        chmodSync(dirname(socket), 0o755);
        chmodSync(socket, 0o777);
        const asked = images.registry.asked.length;
        const ran = await inside('terraform', ['kubeloom-runner'], {
          environment: {
            ...environmentOfBuild('terraform'),
            KUBELOOM_JOB: `${prefix}/infrastructure/do/1`,
            [socketVariable]: '/run/plugin/0.sock',
            // The stand-in of the plugin hands on to a process that speaks without TLS.
            TF_DISABLE_PLUGIN_TLS: '1',
          },
          volumes: [`${dirname(socket)}:/run/plugin`],
        });
        const text = await artifacts.getText(
          waypointKeys.result(waypointKeys.attempt(prefix, 'infrastructure', 'do', 1)),
        );
        expect(text && StageResult.parse(JSON.parse(text)), ran.stdout + ran.stderr).toMatchObject({
          ok: true,
          summary: { hostsCreated: 2 },
        });
        expect(images.registry.asked.slice(asked)).toEqual([]);
      } finally {
        await cloud.stop();
      }
    });
  });
});

/** As a build of this platform gets it, held to the bounds of its runner. */
function environmentOfBuild(tool: RunnerTool): Readonly<Record<string, string>> {
  const names = Object.keys(process.env).filter((name) => /^AWS_|^KUBELOOM_(?!HOST|KUBE|CONFORMANCE)/.test(name));
  const given = Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
  const [, namespace = '', manifest = '', run = '', cluster = '', waypoint = ''] = prefix.split('/');
  const place = { ...noPlace, namespace, manifest, run, cluster, waypoint, attempt: 'infrastructure/1' };
  const session = sessionOfGrant({ tool, place, secrets: ['team/hetzner-token'], copies: [] });
  const { accessKeyId, sessionToken } = inSession(process.env.AWS_ACCESS_KEY_ID ?? '', session).credentials;
  // No build of CodeBuild, so no one gives it credentials: it has them from the start.
  return { ...given, KUBELOOM_CREDENTIALS_URL: '', AWS_ACCESS_KEY_ID: accessKeyId, AWS_SESSION_TOKEN: sessionToken };
}
