/** The branch of a private repository, asked for by a real runner of a real platform; no machine is made. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allowGitServer, type GitServer, startGitServer } from '#test/templates/git-server.ts';
import { Installation } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const token = 'kl-planted-token-of-a-private-repository';
const key = { namespace: 'default', name: 'private-templates' };
let server: GitServer;
let installation: Installation;
let commit: string;
let forget: () => void;

function manifest(): unknown {
  const document = smallManifest({ name: key.name, compute: {} }) as { spec: { providers: object[] } };
  const templatesRef = { name: 'ours' };
  return {
    ...document,
    spec: { ...document.spec, providers: document.spec.providers.map((one) => ({ ...one, templatesRef })) },
  };
}

const secret = (value: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'git', namespace: 'default' },
  stringData: { token: value },
});

const useRevision = (revision: string) =>
  installation.api.putTemplate(
    { namespace: 'default', name: 'ours' },
    {
      apiVersion: 'kubeloom.dev/v1',
      kind: 'TemplateGitReference',
      metadata: { name: 'ours', namespace: 'default' },
      spec: {
        endpoint: { url: server.url, protocol: 'https' },
        auth: { secretRef: { name: 'git', namespace: 'default' } },
        commit: revision,
        paths: { terraformer: 'terraform' },
      },
    },
  );

beforeAll(async () => {
  server = await startGitServer({ token });
  commit = server.commit({ 'terraform/README.md': 'modules' });
  forget = allowGitServer(server);
  installation = await Installation.open();
  await installation.api.putSecret({ namespace: 'default', name: 'git' }, secret(token));
  await useRevision('main');
});

afterAll(async () => {
  await installation?.close();
  await server?.close();
  forget?.();
});

it('a branch of a private repository is planned with its current commit', async () => {
  const report = await installation.api.planManifest(key, { document: manifest() });
  expect(report.faults).toEqual([]);
  expect(JSON.stringify(report.clusters)).toContain(`git:${server.url}@${commit}#terraform`);
  expect(JSON.stringify(report)).not.toContain(token);
});

it('a refused token of a private repository is reported with the words of the repository', async () => {
  server.commit({ 'terraform/README.md': 'more' }, 'other');
  await installation.api.putSecret({ namespace: 'default', name: 'git' }, secret('not-this-one'));
  await useRevision('other');
  const { faults } = await installation.api.planManifest(key, { document: manifest() });
  expect(faults[0]).toMatchObject({
    path: 'spec.providers[0].templatesRef',
    reason: expect.stringContaining('denies access to the token'),
    fix: expect.stringContaining('put a token'),
  });
  expect(new Set(faults.map(({ reason }) => reason)).size).toBe(1);
});
