/** Where the manifests for tests are, and builders for documents. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocuments } from '#documents/parse-documents.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const shared = join(repository, '..', 'shared', 'inputs');

/** Real manifests of others, if they are next to this checkout: an addition, no test needs them. */
export const realInputs = existsSync(shared) ? shared : undefined;

/** Sequences of manifests that are applied one after another: one folder each. */
const sequencesFolder = join(repository, 'test/manifests/sequences');
export const sequenceNames: readonly string[] = readdirSync(sequencesFolder).toSorted();

/** The files of a sequence in their order, its templates first. */
export function filesOfSequence(name: string): readonly string[] {
  const folder = join(sequencesFolder, name);
  const place = (file: string): number => Number.parseInt(file, 10) || 0;
  return readdirSync(folder)
    .toSorted((left, right) => place(left) - place(right))
    .map((file) => join(folder, file));
}

/** Three manifests that start in one Azure subscription and continue in two, and a Secret with a slip. */
export const azureFolder = join(repository, 'test/manifests/azure');

export const invalidFolder = join(repository, 'test/manifests/invalid');
export const validFolder = join(repository, 'test/manifests/valid');
export const examplesFolder = join(repository, 'examples');

/** Files below a folder, sorted. */
export function filesIn(folder: string, pattern: string): string[] {
  return globSync(join(folder, pattern)).sort();
}

/** File and folder name: `test-set1/1.yaml`. */
export function shortName(file: string): string {
  return `${basename(dirname(file))}/${basename(file)}`;
}

/** The documents of a real input, each endpoint that its owner left open given an address of its own. */
export function readRealInput(file: string): readonly unknown[] {
  let last = 9;
  const text = readFileSync(file, 'utf8').replaceAll('replace-me', () => {
    last += 1;
    return `203.0.113.${last}`;
  });
  return parseDocuments(text).documents;
}

/** A sound manifest of one cluster and one load balancer without any warning, changed as a test needs it. */
export function manifestWith(changes: (spec: InputManifest['spec']) => void = () => {}): InputManifest {
  const manifest = InputManifest.parse({
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'built' },
    spec: {
      providers: [{ name: 'sim-1', providerType: 'sim' }],
      nodePools: {
        dynamic: ['control', 'compute', 'balancer'].map((name) => ({
          name,
          providerSpec: { name: 'sim-1', region: 'here' },
          count: 3,
          serverType: 'small',
          image: 'linux',
          storageDiskSize: 0,
        })),
      },
      kubernetes: {
        clusters: [
          {
            name: 'one',
            version: '1.35.0',
            network: '192.168.2.0/24',
            pools: { control: ['control'], compute: ['compute'] },
          },
        ],
      },
      loadBalancers: {
        roles: [{ name: 'api', protocol: 'tcp', port: 6443, targetPort: 6443, targetPools: ['control'] }],
        clusters: [
          {
            name: 'front',
            roles: ['api'],
            dns: { dnsZone: 'example.com', provider: 'sim-1' },
            targetedK8s: 'one',
            pools: ['balancer'],
          },
        ],
      },
    },
  });
  changes(manifest.spec);
  return manifest;
}
