/** `kubeloom simulate FILE...`: applies the files one after another to an empty world in memory; nothing real is created. */
import type { Command } from 'commander';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { RunEvent } from '#contracts/records.ts';
import { documentName, isManifest, kindOf } from '#domain/documents/validate-documents.ts';
import { errorClasses } from '#domain/errors.ts';
import { withoutLog } from '#domain/failure-lines.ts';
import { draftOfDocument } from '#domain/manifest/groups/groups-as-manifest.ts';
import { referenceName, referencesIn } from '#domain/manifest/references-in.ts';
import { stageNames } from '#domain/plan.ts';
import { type CliClient, cliClient, type ManifestName } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { commonExitCode } from '../follow/exit-of-failure.ts';
import { exitCodeOfRun, type FollowedApi, follow } from '../follow/watch.ts';
import { whenInterrupted } from '../interrupt.ts';
import { jsonOption } from '../options.ts';
import { clusterFailureLines, describeManifest } from '../print/describe-manifest.ts';
import { note, paint, paintStatus, print, printJson } from '../print/output.ts';
import { duration } from '../print/times.ts';
import { readableDocuments } from '../submission/documents.ts';
import type { FileDocument } from '../submission/placed-in.ts';

interface SimulateOptions {
  readonly fail?: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly stageMs: string;
}

export interface SimulatedFault {
  readonly stage: (typeof stageNames)[number];
  readonly class: (typeof errorClasses)[number];
  readonly times: number;
}

interface Step {
  readonly file: string;
  readonly manifest: string;
  readonly status: string;
  readonly asItShould: boolean;
  /** Exit code of its run. */
  readonly code: number;
  readonly elapsedMs: number;
  readonly clusters: readonly {
    readonly cluster: string;
    readonly status: string;
    readonly nodes: number;
    readonly failure?: string;
  }[];
}

export function registerSimulate(program: Command): void {
  program
    .command('simulate <file...>')
    .description(
      'apply the files one after another to an empty world in memory with the sim runner; nothing real is created',
    )
    .option(
      '--fail <stage[:class[:times]]>',
      `make a stage fail (${stageNames.join(', ')}); class is one of ${errorClasses.join(', ')} (default user), times defaults to 1`,
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option('--stage-ms <ms>', 'how long each stage takes', '0')
    .option('--verbose', 'print every event')
    .addOption(jsonOption())
    .addHelpText('after', '\nExits 0 when every file ends Done; with --fail, when the last one does.')
    .action(async (files: string[], options: SimulateOptions) => {
      process.exitCode = await simulate(files, options);
    });
}

async function simulate(files: readonly string[], options: SimulateOptions): Promise<number> {
  const injected = (options.fail ?? []).map(parseFault);
  const documents = await readableDocuments(files);
  process.env.KUBELOOM_LOG = 'none';
  // In a simulated world nothing improves by waiting.
  process.env.KUBELOOM_STAGE_RETRY_SECONDS ??= '0';
  process.env.KUBELOOM_BACK_OFF_SECONDS ??= '0';
  process.env.KUBELOOM_SIM_STAGE_MS = options.stageMs;
  process.env.KUBELOOM_SIM_FAULTS = JSON.stringify(injected);
  const { startPlatform } = await import('#local/platform.ts');
  const platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0 });
  const forget = whenInterrupted(() => platform.stop());
  try {
    const api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
    await storeReferences(api, documents);
    const steps: Step[] = [];
    for (const item of documents.filter(({ document }) => isManifest(document))) {
      steps.push(await applyOne(api, item, options, injected.length > 0));
    }
    return report(steps, options);
  } finally {
    forget();
    await platform.stop();
  }
}

/** `kubernetes:transient:2` → two transient failures of that stage. */
export function parseFault(text: string): SimulatedFault {
  const [stageText, classText = 'user', timesText = '1'] = text.split(':');
  const stage = stageNames.find((name) => name === stageText);
  const errorClass = errorClasses.find((name) => name === classText);
  const times = Number(timesText);
  if (!stage || !errorClass || !Number.isInteger(times) || times < 1) {
    throw new CliError(
      `--fail ${text}: write STAGE[:CLASS[:TIMES]] with a stage of ${stageNames.join(', ')} and a class of ${errorClasses.join(', ')}`,
      exitCodes.usage,
    );
  }
  return { stage, class: errorClass, times };
}

/** Stores the Secrets and template references of the files, and simulated Secrets for those that they only name. */
async function storeReferences(api: CliClient, documents: readonly FileDocument[]): Promise<void> {
  const named = new Map<string, ManifestName>();
  for (const { document } of documents) {
    const key = documentName(document);
    if (kindOf(document) === 'TemplateGitReference') await api.putTemplate(key, document);
    if (kindOf(document) === 'Secret') await api.putSecret(key, document);
    if (!isManifest(document)) continue;
    for (const reference of referencesIn(draftOfDocument(document), key.namespace))
      if (reference.field === 'secretRef') named.set(referenceName(reference), reference);
  }
  for (const { document } of documents)
    if (kindOf(document) === 'Secret') named.delete(referenceName(documentName(document)));
  const stringData = { simulated: 'made up by kubeloom simulate' };
  for (const { namespace, name } of named.values())
    await api.putSecret(
      { namespace, name },
      { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, stringData },
    );
}

async function applyOne(api: CliClient, item: FileDocument, options: SimulateOptions, failing: boolean): Promise<Step> {
  const key = documentName(item.document);
  const accepted = await api.putManifest(key, item.document);
  const quiet = options.json === true;
  // What failed is shown below, in the same lines.
  const shows = ({ level, kind }: RunEvent) => kind !== 'ClusterFailed' && (options.verbose || level !== 'info');
  const followed = await follow(eventsWithoutLogs(api), key, { runId: accepted.runId, quiet, shows });
  const manifest = followed.manifest && withoutLogs(followed.manifest);
  const step: Step = {
    file: item.file,
    manifest: `${key.namespace}/${key.name}`,
    status: manifest?.status ?? 'Gone',
    asItShould: manifest?.status === 'Done' || failing,
    code: exitCodeOfRun(followed, { deleting: false, unchanged: false }),
    elapsedMs: followed.elapsedMs,
    clusters: (manifest?.clusters ?? []).map((cluster) => ({
      cluster: cluster.name ?? cluster.cluster,
      status: cluster.status,
      nodes: cluster.nodes.length,
      ...(cluster.failure ? { failure: `${cluster.failure.code}: ${cluster.failure.outcome}` } : {}),
    })),
  };
  if (!options.json) show(step, manifest, options.verbose === true);
  return step;
}

/** Its events without commands that show logs. */
const eventsWithoutLogs = (api: CliClient): FollowedApi => ({
  getManifest: (key) => api.getManifest(key),
  listEvents: async (key, query) => {
    const page = await api.listEvents(key, query);
    return { ...page, items: page.items.map((event) => ({ ...event, message: withoutLog(event.message) })) };
  },
});

/** The platform does not answer any more once it has ended. */
function withoutLogs(manifest: ManifestDescription): ManifestDescription {
  const clusters = manifest.clusters.map((cluster) => {
    if (!cluster.failure) return cluster;
    const { logCommand: _command, logPath: _path, lines: _lines, ...failure } = cluster.failure;
    return { ...cluster, failure };
  });
  return { ...manifest, clusters };
}

function show(step: Step, manifest: ManifestDescription | undefined, verbose: boolean): void {
  print(`${step.file}  ${step.manifest}  ${paintStatus(step.status)}  ${paint('dim', duration(step.elapsedMs))}`);
  if (verbose && manifest) {
    print(describeManifest(manifest));
    return;
  }
  for (const cluster of step.clusters)
    print(`  ${cluster.cluster}  ${paintStatus(cluster.status)}  ${cluster.nodes} nodes`);
  for (const cluster of manifest?.clusters ?? []) {
    if (cluster.failure) for (const line of clusterFailureLines(cluster.failure, cluster.name)) print(line);
  }
}

function report(steps: readonly Step[], options: SimulateOptions): number {
  const good = steps.every((step) => step.asItShould) && steps.at(-1)?.status === 'Done';
  if (options.json) printJson({ simulated: true, ok: good, steps: steps.map(({ code: _, ...step }) => step) });
  else note('simulated: no machine, network or cluster was created');
  const counted = steps.filter((step, at) => !step.asItShould || at === steps.length - 1);
  return good ? exitCodes.ok : commonExitCode(counted.map(({ code }) => code)) || exitCodes.runFailed;
}
