/**
 * Checks of the credentials of a provider instance: a runner does them, since nobody else may read Secrets. They are
 * numbered, and there is one at a time for each instance.
 */
import type { ProviderCheck } from '#contracts/http-checks.ts';
import { CheckBuild, CheckRequest, CheckResult, checkKeys, checkLimitMs } from '#contracts/provider-check.ts';
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { wantedCheck } from '#domain/manifest/provider-check.ts';
import type { Using } from '../../ports.ts';
import { manifestOf } from '../manifests/stored-document.ts';
import { projectOf } from '../stages/stage-requests.ts';

/** Whose check it is. */
export interface CheckedInstance extends ManifestKey {
  readonly provider: string;
}

type Ports = Using<
  'artifacts.getText' | 'artifacts.list' | 'artifacts.putText' | 'builds.start' | 'builds.status' | 'builds.stop'
>;

/** A runner ends by itself long before; what has not even begun by then is not waited for any longer. */
const abandonedAfterMs = 2 * checkLimitMs;

/** Starts one and returns its id. Throws `NotFound` without such an instance, `VersionConflict` while another one runs. */
export async function startProviderCheck(
  deps: Ports & Using<'clock' | 'config'>,
  manifest: ManifestRecord,
  provider: string,
): Promise<string> {
  const request = requestOf(manifest, provider);
  const instance = { namespace: manifest.namespace, name: manifest.name, provider };
  const now = deps.clock.now();
  const id = await nextId(deps, instance, now);
  const prefix = prefixOf(instance, id);
  const { artifacts } = deps;
  await artifacts.putText(checkKeys.request(prefix), JSON.stringify(request), 'application/json');
  // Two who ask at the same moment write the same request, and get the same build.
  // The runner that may read the credentials of clouds, and become their roles.
  const project = projectOf('infrastructure', deps.config.KUBELOOM_RUNNER_PROJECTS);
  const buildId = await deps.builds.start(project, { KUBELOOM_CHECK: prefix });
  const build: CheckBuild = { schema: 1, buildId, startedAt: now.toISOString() };
  await artifacts.putText(checkKeys.build(prefix), JSON.stringify(build), 'application/json');
  return id;
}

/** Throws `NotFound`. */
export async function readProviderCheck(deps: Ports, instance: CheckedInstance, id: string): Promise<ProviderCheck> {
  const found = await findCheck(deps, instance, id);
  if (found) return found;
  throw new PipelineError(
    'NotFound',
    `provider "${instance.provider}" of manifest "${instance.name}" has no check ${id}`,
  );
}

/** Undefined when it was never started. */
async function findCheck(deps: Ports, instance: CheckedInstance, id: string): Promise<ProviderCheck | undefined> {
  const prefix = prefixOf(instance, id);
  const { artifacts, builds } = deps;
  const result = async (): Promise<CheckResult | undefined> => {
    const text = await artifacts.getText(checkKeys.result(prefix));
    return text === undefined ? undefined : CheckResult.parse(JSON.parse(text));
  };
  const [text, early] = await Promise.all([artifacts.getText(checkKeys.build(prefix)), result()]);
  if (text === undefined) return undefined;
  const { buildId, startedAt } = CheckBuild.parse(JSON.parse(text));
  const { namespace, name, provider } = instance;
  const about = { namespace, name, provider, id, build: buildId };
  if (early === undefined && (await builds.status(buildId)) === 'running')
    return { ...about, status: 'running', startedAt, endedAt: null, findings: [] };
  // It may have ended between the two looks.
  const found = early ?? (await result());
  if (found === undefined) return { ...about, status: 'lost', startedAt, endedAt: null, findings: [] };
  return { ...about, status: 'done', startedAt, endedAt: found.endedAt, findings: found.findings };
}

/** The number after the newest one; that of the newest one when nobody knows whether its build was ever started. */
async function nextId(deps: Ports, instance: CheckedInstance, now: Date): Promise<string> {
  const folder = checkKeys.instance(instance, instance.provider);
  const keys = await deps.artifacts.list(folder);
  const last = Math.max(0, ...keys.map(({ key }) => Number(key.slice(folder.length).split('/')[0])));
  if (last === 0) return '1';
  const newest = await findCheck(deps, instance, String(last));
  if (newest === undefined) return String(last);
  if (newest.status === 'running') {
    if (now.getTime() - Date.parse(newest.startedAt) < abandonedAfterMs) throw underWay(instance, last);
    await deps.builds.stop(newest.build);
  }
  return String(last + 1);
}

function underWay({ namespace, name, provider }: CheckedInstance, id: number): PipelineError {
  return new PipelineError(
    'VersionConflict',
    `provider "${provider}" of manifest "${namespace}/${name}" is being checked already (check ${id}): wait for its end`,
  );
}

function requestOf(manifest: ManifestRecord, provider: string): CheckRequest {
  const document = manifestOf(manifest);
  const wanted = wantedCheck(document, provider);
  if (wanted) return CheckRequest.parse(wanted);
  const known = document.spec.providers.map(({ name }) => name);
  throw new PipelineError(
    'NotFound',
    `manifest "${manifest.namespace}/${manifest.name}" has no provider "${provider}": ${known.length === 0 ? 'it has none' : `there are ${known.join(', ')}`}`,
  );
}

const prefixOf = (instance: CheckedInstance, id: string): string =>
  `${checkKeys.instance(instance, instance.provider)}${id}`;
