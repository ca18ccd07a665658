/** Everything that the API says about a run, as files of a bundle. */
import type { ShownEvent } from '#contracts/api-bodies.ts';
import { type CliClient, itemsOf, type ManifestName } from '../connection/api-client.ts';
import { isNotFound } from '../connection/api-problem.ts';
import type { Check } from '../doctor/check.ts';
import { phaseTimes } from '../print/phase-times.ts';
import { readmeOf } from './readme.ts';
import type { Shareable } from './shareable.ts';
import type { ArchivedText } from './tar.ts';

export interface RunToCollect {
  readonly api: CliClient;
  readonly key: ManifestName;
  readonly run: string;
  /** Versions of this program, and what this machine has if that is known. */
  readonly here: { readonly versions: object; readonly checks: readonly Check[] | undefined };
  readonly shareable: Shareable;
}

/** The files, `README.txt` first. Throws what the API says where there is no such run. */
export async function collectRun(wanted: RunToCollect): Promise<readonly ArchivedText[]> {
  const { api, key, run, here, shareable } = wanted;
  const path = { ...key, run };
  const found = await api.getRun(path);
  const [plan, installation, manifest, events] = await Promise.all([
    api.getRunPlan(path),
    api.getVersion(),
    api.getManifest(key).catch(undefinedIfMissing),
    eventsOf(wanted),
  ]);
  const logs = await logsOf(wanted);
  const json = (name: string, content: unknown): ArchivedText => ({
    path: name,
    text: `${JSON.stringify(shareable.answer(content), null, 2)}\n`,
  });
  const { document, ...description } = manifest ?? {};
  const files = [
    json('run.json', found),
    json('plan.json', plan),
    json('times.json', phaseTimes(events, run)),
    json('failures.json', failuresOf(manifest)),
    ...(manifest === undefined
      ? []
      : [json('description.json', description), json('manifest.json', shareable.manifest(document))]),
    { path: 'events.ndjson', text: events.map((event) => `${JSON.stringify(shareable.answer(event))}\n`).join('') },
    json('versions.json', { ...here.versions, installation: installation.version }),
    ...(here.checks === undefined ? [] : [json('doctor.json', here.checks)]),
    ...logs,
  ];
  return [{ path: 'README.txt', text: readmeOf({ run: found, files, isThere: manifest !== undefined }) }, ...files];
}

async function undefinedIfMissing(error: unknown): Promise<undefined> {
  if (!isNotFound(error)) throw error;
}

/** Those of the run, in their order; also of a manifest that is deleted. */
async function eventsOf({ api, key, run }: RunToCollect): Promise<readonly ShownEvent[]> {
  const events: ShownEvent[] = [];
  for await (const event of itemsOf((next) => api.listEvents(key, { next })))
    if (event.runId === run) events.push(event);
  return events;
}

async function logsOf({ api, key, run, shareable }: RunToCollect): Promise<readonly ArchivedText[]> {
  const { items } = await api.listLogs({ ...key, run });
  const logs: ArchivedText[] = [];
  for (const { cluster, waypoint, stage, mode, attempt, path } of items) {
    const name = `${stage}${mode === 'undo' ? '-undo' : ''}-${attempt}.txt`;
    logs.push({ path: `logs/${cluster}/${waypoint}/${name}`, text: shareable.text(await wholeLog(api, path)) });
  }
  return logs;
}

/** As far as it is written now. */
async function wholeLog(api: CliClient, path: string): Promise<string> {
  const pieces: string[] = [];
  for (let offset = 0; ; ) {
    const { text, next, ended } = await api.readLog(path, offset);
    pieces.push(text);
    if (ended || next === offset) return pieces.join('');
    offset = next;
  }
}

/** By cluster: what failed last, as `describe` shows it. */
function failuresOf(manifest: Awaited<ReturnType<CliClient['getManifest']>> | undefined): object {
  const clusters = manifest?.clusters ?? [];
  return Object.fromEntries(clusters.flatMap(({ name, failure }) => (failure === null ? [] : [[name, failure]])));
}
