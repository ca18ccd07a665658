/** `kubeloom provider check` of a provider type from elsewhere. */
import { expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { wantedCheck } from '#domain/manifest/provider-check.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { runCheck } from '#runner/provider-check/check-request.ts';
import { InMemorySecrets } from '#test/fakes/in-memory-artifacts.ts';

it('credentials of a type from elsewhere are neither right nor wrong: no one here can try them', async () => {
  const plugin = { name: 'acme', url: 'git.example.com/acme/providers', version: 'v1' };
  const { manifest } = validateManifest(
    {
      apiVersion: 'kubeloom.dev/v1',
      kind: 'InputManifest',
      metadata: { name: 'shop' },
      spec: { providers: [{ name: 'acme-1', providerType: 'plugin', plugin }] },
    },
    { readObjects },
  );
  const wanted = manifest && wantedCheck(manifest, 'acme-1');
  expect(wanted).toMatchObject({ provider: 'acme-1', type: 'acme' });
  if (wanted === undefined) return;
  const around = { secrets: new InMemorySecrets(), installation: 'i', templatesDirectory: '' };
  expect(await runCheck(wanted, around)).toMatchObject([{ about: 'identity', name: 'acme', ok: null }]);
});
