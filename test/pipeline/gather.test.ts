/** What a submission reads and asks, and in which order: a document with faults costs no read, and a build starts last. */
import { describe, expect, it } from 'vitest';
import { PipelineError } from '#domain/errors.ts';
import type { AdmittedCaller } from '#functions/caller.ts';
import { gather } from '#functions/pipeline/submission/gather.ts';
import { aManifest, aTemplateReference, key } from '#test/api/documents.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';

const caller = { name: 'user:olga', may: () => true } as unknown as AdmittedCaller;
const branch = (change: object = {}) => {
  const reference = aTemplateReference('own');
  const auth = { secretRef: { namespace: 'team', name: 'token' } };
  return { ...reference, spec: { ...reference.spec, commit: 'main', auth, ...change } };
};
const withTemplates = () => {
  const document = structuredClone(aManifest());
  Object.assign(document.spec.providers[0] ?? {}, { templatesRef: { name: 'own' } });
  return document;
};

const values = new Set(['config', 'clock', 'ids']);

/** The ports that are asked, in order, as `clusters.list`. */
function watched(deps: FakeDeps): { readonly deps: FakeDeps; readonly calls: string[] } {
  const calls: string[] = [];
  const port = <Port extends object>(name: string, of: Port): Port =>
    new Proxy(of, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          calls.push(`${name}.${String(method)}`);
          return value.apply(target, given);
        };
      },
    });
  const ports = Object.entries(deps).map(([name, of]) => [
    name,
    typeof of === 'object' && of !== null && !values.has(name) ? port(name, of) : of,
  ]);
  return { deps: Object.fromEntries(ports), calls };
}

async function privateTemplates(): Promise<FakeDeps> {
  const deps = fakeDeps({ KUBELOOM_TEMPLATE_SOURCES: 'git' });
  await deps.templateReferences.put('team', 'own', branch());
  return deps;
}

describe('gather', () => {
  it('a document without references costs three reads, however many plans follow from it', async () => {
    const { deps, calls } = watched(fakeDeps());
    const { existing } = await gather(deps, key, { document: aManifest(), stored: undefined, caller });
    expect(calls).toEqual(['clusters.list', 'demands.list', 'inventory.list']);
    expect(existing).toMatchObject({ clusters: [], demands: [], templates: { templates: {}, faults: [] } });
  });

  it('a document with a faulty form is not asked about, and nothing that exists is read', async () => {
    const { deps, calls } = watched(await privateTemplates());
    const document = { ...withTemplates(), metadata: { namespace: 'team', name: 'other' } };
    const known = await gather(deps, key, { document, stored: undefined, caller });
    expect(known.form.faults).toMatchObject([{ path: 'metadata.name' }]);
    expect(known.existing).toBeUndefined();
    expect(calls).toEqual(['templateReferences.get']);
  });

  it('a runner is asked only once everything else is read', async () => {
    const { deps, calls } = watched(await privateTemplates());
    await expect(gather(deps, key, { document: withTemplates(), stored: undefined, caller })).rejects.toMatchObject({
      name: 'TemplatesPending',
    });
    expect(calls.indexOf('workflows.askRunner')).toBeGreaterThan(calls.lastIndexOf('inventory.list'));
  });

  it('no build is started for a manifest whose clusters cannot be read', async () => {
    const deps = await privateTemplates();
    deps.clusters.list = async () => {
      throw new PipelineError('Unreadable', 'a newer version wrote it');
    };
    await expect(gather(deps, key, { document: withTemplates(), stored: undefined, caller })).rejects.toMatchObject({
      name: 'Unreadable',
    });
    expect(deps.workflows.builds.started).toEqual([]);
  });

  it('a document that goes back to what was pinned asks no one', async () => {
    const { deps, calls } = watched(await privateTemplates());
    const pinned = { templates: { 'sim-1': 'git:github.com/team/templates@1#t' }, templateSecrets: {} };
    const known = await gather(deps, key, { document: withTemplates(), stored: undefined, caller, pinned });
    expect(known.existing?.templates).toEqual({ ...pinned, faults: [] });
    expect(calls).not.toContain('workflows.askRunner');
  });
});
