/** Templates out of a git repository on real hosts: a pool is made with them, replaced when they change, and goes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliClient } from '#cli/connection/api-client.ts';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { allowGitServer, type GitServer, startGitServer } from '#test/templates/git-server.ts';
import { clusterOf, Installation, nodesOf } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const local = fileURLToPath(new URL('../../templates/terraform/local', import.meta.url));
const name = 'own-templates';
const reference = { namespace: 'default', name: 'ours' };

let server: GitServer;
let installation: Installation;
let forget: () => void;

/** The modules that come with Kubeloom, under another path. */
function modules(): Record<string, string> {
  const files = readdirSync(local, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [`terraform/local/${relative(local, path)}`, readFileSync(path, 'utf8')];
    }),
  );
}

/** Its compute pool is made by an instance with templates of its own. */
function manifest(): unknown {
  const document = smallManifest({ name, compute: { work: { provider: 'local-2', region: 'there' } } }) as {
    spec: { providers: { name: string }[] };
  };
  const templatesRef = { name: reference.name };
  const providers = document.spec.providers.map((one) => (one.name === 'local-2' ? { ...one, templatesRef } : one));
  return { ...document, spec: { ...document.spec, providers } };
}

beforeAll(async () => {
  server = await startGitServer();
  server.commit(modules());
  forget = allowGitServer(server);
  installation = await Installation.open();
  const api = cliClient({ apiUrl: installation.platform.apiUrl, token: installation.platform.token });
  await api.putTemplate(reference, {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'TemplateGitReference',
    metadata: reference,
    spec: {
      endpoint: { url: server.url, protocol: 'https' },
      commit: 'main',
      paths: { terraformer: 'terraform' },
    },
  });
});

afterAll(async () => {
  await installation?.close();
  await server?.close();
  forget?.();
});

describe('templates of a git repository', () => {
  let made: ManifestDescription;
  const nodesIn = (shown: ManifestDescription, pool: string) => nodesOf(shown).filter((node) => node.startsWith(pool));

  it('templates of a git repository create the machines of their provider instance', async () => {
    made = await installation.apply(name, manifest());
    expect(made.status, JSON.stringify(clusterOf(made).failure)).toBe('Done');
    expect(await installation.hosts()).toEqual(nodesOf(made));
    expect(await installation.regions(clusterOf(made).cluster)).toEqual([
      'local-1/here',
      expect.stringMatching(/^local-2-[0-9a-f]{4}\/there$/),
    ]);
  });

  it('unchanged templates change nothing', async () => {
    const again = await installation.apply(name, manifest());
    expect(again.generation).toBe(made.generation);
    expect(nodesOf(again)).toEqual(nodesOf(made));
  });

  it('changed templates replace the machines made with them, and no others', async () => {
    server.commit({
      'terraform/local/nodepool/main.tf': `${modules()['terraform/local/nodepool/main.tf']}\n# newer\n`,
    });
    const replaced = await installation.apply(name, manifest());
    expect(replaced.status, JSON.stringify(clusterOf(replaced).failure)).toBe('Done');
    expect(nodesIn(replaced, 'control')).toEqual(nodesIn(made, 'control'));
    expect(nodesIn(replaced, 'work')).not.toEqual(nodesIn(made, 'work'));
    expect(await installation.hosts()).toEqual(nodesOf(replaced));
    made = replaced;
  });

  it('a deletion leaves nothing behind, even if the repository no longer exists', async () => {
    await server.close();
    await installation.remove(name);
    expect(await installation.leftovers()).toEqual([]);
  });
});
