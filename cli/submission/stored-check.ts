/** A check of stored credentials: Kubeloom's own runner does it, since only it may read them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProviderCheck } from '#contracts/http-documents.ts';
import { type CheckFinding, questionLimitMs } from '#contracts/job.ts';
import { manifestOfDocument } from '#domain/manifest/groups/manifest-of-document.ts';
import type { CliClient, ManifestName } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { allManifests } from '../find/find-manifest.ts';
import { shortName } from '../manifest-name.ts';

export type CheckingApi = Pick<CliClient, 'listManifests' | 'getManifest' | 'checkProvider' | 'getProviderCheck'>;

export interface WantedInstance {
  readonly provider: string;
  readonly namespace: string;
  /** @default the one of the namespace that has it */
  readonly manifest?: string;
}

export interface CheckPatience {
  /** @default 1000 */
  readonly pollMs?: number;
  /** @default twice what a check may take: builds wait for their turn */
  readonly limitMs?: number;
}

/** Starts it and waits for its end. Throws `CliError` when there is no such instance, or its outcome is lost. */
export async function checkStored(
  api: CheckingApi,
  { provider, namespace, manifest }: WantedInstance,
  patience: CheckPatience = {},
): Promise<readonly CheckFinding[]> {
  const key = manifest === undefined ? await theManifest(api, namespace, provider) : { namespace, name: manifest };
  const { id } = await api.checkProvider({ ...key, provider });
  const check = await ended(api, { key, provider, id }, patience);
  if (check.status === 'done') return check.findings;
  const title = `check ${id} of provider ${provider} (manifest ${shortName(key)})`;
  if (check.status === 'running')
    throw new CliError(
      `${title} has not ended yet: build ${check.build} still runs or waits for its turn`,
      exitCodes.fault,
    );
  throw new CliError(`${title} ended without a result; the log of build ${check.build} says why`, exitCodes.fault);
}

/** The last answer when the time limit is reached. */
async function ended(
  api: CheckingApi,
  { key, provider, id }: { readonly key: ManifestName; readonly provider: string; readonly id: string },
  { pollMs = 1000, limitMs = 2 * questionLimitMs.credentials }: CheckPatience,
): Promise<ProviderCheck> {
  const started = Date.now();
  for (;;) {
    const check = await api.getProviderCheck({ ...key, provider, check: id });
    const waited = Date.now() - started;
    if (check.status !== 'running' || waited > limitMs) return check;
    // A short interval at first: quick checks are not delayed by polling.
    await sleep(waited < 3000 ? Math.min(pollMs, 100) : pollMs);
  }
}

/** The manifest of the namespace that has the instance. Throws unless exactly one manifest has it. */
async function theManifest(api: CheckingApi, namespace: string, provider: string): Promise<ManifestName> {
  const known = new Set<string>();
  const having: ManifestName[] = [];
  for (const { name } of await allManifests(api, namespace)) {
    const key = { namespace, name };
    const read = manifestOfDocument((await api.getManifest(key)).document);
    const names = 'manifest' in read ? read.manifest.spec.providers.map((one) => one.name) : [];
    for (const one of names) known.add(one);
    if (names.includes(provider)) having.push(key);
  }
  const [first, ...others] = having;
  if (first === undefined) {
    const choice = known.size === 0 ? 'no manifest there has any' : `there are ${[...known].join(', ')}`;
    throw new CliError(
      `no manifest of namespace ${namespace} has a provider "${provider}": ${choice}; check one that is not stored yet with -f`,
      exitCodes.notFound,
    );
  }
  if (others.length === 0) return first;
  const names = having.map(({ name }) => name).join(', ');
  throw new CliError(
    `several manifests have a provider "${provider}": say which with --manifest (${names})`,
    exitCodes.usage,
  );
}
