/**
 * While Kubeloom is upgraded, executions continue with the definitions they started with, and functions change under them. So what
 * earlier versions put between states and into stores (recorded/, by scripts/record-state-inputs.ts) must still be understood.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BatchGetBuildsCommand, CodeBuildClient, ListBuildsForProjectCommand } from '@aws-sdk/client-codebuild';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { CodeBuildBuilds } from '#adapters/codebuild-builds.ts';
import { type CliClient, cliClient } from '#cli/connection/api-client.ts';
import { jobOf, questionKeys, readQuestionResult } from '#contracts/job.ts';
import { ClusterRecord, ManifestRecord, RunRecord } from '#contracts/records.ts';
import { StageResult, WaypointDocument, waypointKeys } from '#contracts/stage.ts';
import {
  AssessFailureInput,
  CollectResultInput,
  EndedRollOutInput,
  EndedRunInput,
  JudgeBatchInput,
  PlanManifestInput,
  ReconcileClusterInput,
  ReconcileManifestInput,
  RecordDriftInput,
  RecordHaltInput,
  RecordRollbackInput,
  RecordStandstillInput,
  RollOutInput,
  RunStageInput,
  SettleManifestInput,
  StartNextAttemptInput,
  SubmitClusterInput,
  TakeLeaseInput,
  WaypointInput,
} from '#contracts/state-inputs.ts';
import { ClusterFacts } from '#domain/cluster-state.ts';
import { decideStage } from '#functions/pipeline/stages/stage-decision.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { kubeloom } from '#local/product.ts';
import { answerQuestion } from '#runner/answer-question.ts';
import { simulatedAnswers } from '#runner/answers.ts';
import { forgetFaults } from '#runner/sim/injected-faults.ts';
import { runSimStage } from '#runner/sim/run-sim-stage.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aCheck } from '#test/runner/stage-world.ts';
import { benchManifest } from '../../bench/manifests.ts';

const recorded = new URL('recorded/', import.meta.url);
const versions = readdirSync(recorded);
type Recording = Readonly<Record<string, readonly unknown[]>>;
const read = (version: string, file: string): Recording => {
  const { version: _, ...rest } = JSON.parse(readFileSync(new URL(`${version}/${file}.json`, recorded), 'utf8'));
  return rest as Recording;
};

/** What each state's function takes. */
const stateInputs: Readonly<Record<string, z.ZodType>> = {
  'assess-failure': AssessFailureInput,
  'collect-result': CollectResultInput,
  'commit-waypoint': WaypointInput,
  'continue-roll-out': EndedRollOutInput,
  'judge-batch': JudgeBatchInput,
  'plan-batch': RollOutInput,
  'plan-cluster': ReconcileClusterInput,
  'plan-manifest': PlanManifestInput,
  'record-drift': RecordDriftInput,
  'record-halt': RecordHaltInput,
  'record-rollback': RecordRollbackInput,
  'record-standstill': RecordStandstillInput,
  'release-run': EndedRunInput,
  'settle-manifest': SettleManifestInput,
  'start-next-attempt': StartNextAttemptInput,
  'stop-builds': EndedRunInput,
  'submit-cluster': SubmitClusterInput,
  'take-lease': TakeLeaseInput,
};

/** What state machines are started with: by a parent of an earlier version, for those that have one. */
const executionInputs: Readonly<Record<string, z.ZodType>> = {
  'reconcile-manifest': ReconcileManifestInput,
  'reconcile-cluster': ReconcileClusterInput,
  'run-stage': RunStageInput,
};

/** What is kept: in the table by ended runs, in the bucket by runs in progress. */
const documents: Readonly<Record<string, z.ZodType>> = {
  'manifest-record': ManifestRecord,
  'cluster-record': ClusterRecord,
  'run-record': RunRecord,
  waypoint: WaypointDocument,
  facts: ClusterFacts,
  result: StageResult,
};

/** Where it is not understood, by field. */
function faultsOf(schema: z.ZodType | undefined, value: unknown): readonly string[] {
  if (!schema) return ['nothing takes this any more'];
  const { error } = schema.safeParse(value);
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}

it('each function of a state machine has its input schema here', () => {
  const tasks = readdirSync(new URL('../../functions/tasks/', import.meta.url)).map((file) => file.replace('.ts', ''));
  expect(Object.keys(stateInputs)).toEqual(
    tasks.filter((name) => !['publish-events', 'send-notifications', 'sync-sources', 'tick'].includes(name)).sort(),
  );
});

describe.each(versions)('records of version %s', (version) => {
  it.each(Object.entries(read(version, 'state-inputs')))(
    'the function %s accepts its recorded inputs',
    (name, inputs) => {
      expect(inputs.length).toBeGreaterThan(0);
      for (const input of inputs) expect(faultsOf(stateInputs[name], input)).toEqual([]);
    },
  );

  it('a stage without a build fails with that reason if the definition of its execution has no wait state', () => {
    const [recordedInput] = read(version, 'state-inputs')['collect-result'] ?? [];
    const build = {
      Error: 'CodeBuild.AccountLimitExceededException',
      Cause: 'Cannot have more than 1 builds in queue',
    };
    const input = CollectResultInput.parse({ ...Object(recordedInput), build });
    const { config } = fakeDeps();
    const at = '2026-11-20T12:00:00.000Z';
    const { output, error } = decideStage({ input, result: undefined, target: null, cancelled: false, at, config });
    expect(output).toMatchObject({ outcome: 'failed', Error: 'StageFailed' });
    expect(error).toMatchObject({ class: 'quota', code: 'NoBuildCapacity' });
  });

  it.each(Object.entries(executionInputs))('the state machine %s accepts its recorded inputs', (machine, schema) => {
    const inputs = read(version, 'executions')[machine] ?? [];
    expect(inputs.length).toBeGreaterThan(0);
    for (const input of inputs) expect(faultsOf(schema, input)).toEqual([]);
  });

  it.each(Object.entries(documents))('a recorded %s is parsed', (kind, schema) => {
    const kept = read(version, 'documents')[kind] ?? [];
    expect(kept.length).toBeGreaterThan(0);
    for (const document of kept) expect(faultsOf(schema, document)).toEqual([]);
  });
});

describe('builds that an older release started', () => {
  const ports = () => fakeDeps();
  const around = { signal: new AbortController().signal, answers: simulatedAnswers, templatesDirectory: '' };
  const prefix = 'checks/team/shop/cloud/1';

  it('a stage of an older release is found in its four variables', () => {
    const variables = { KUBELOOM_STAGE: 'kubernetes', KUBELOOM_MODE: 'undo', KUBELOOM_ATTEMPT: '2' };
    const waypoint = 'runs/team/shop/shop-abcde-g1-a1/shop-1234567/w00';
    expect(jobOf({ KUBELOOM_WAYPOINT: waypoint, ...variables })).toEqual({
      kind: 'stage',
      waypoint,
      stage: 'kubernetes',
      mode: 'undo',
      attempt: 2,
    });
  });

  it.each([
    ['KUBELOOM_CHECK', { provider: 'cloud', type: 'hetzner', regions: [] }, 'credentials'],
    ['KUBELOOM_LOOKUP', { url: 'github.com/team/ours', revision: 'main', secret: 'team/git' }, 'templates'],
  ])('a question of an older release, named in %s and without a kind, is answered', async (variable, request, kind) => {
    const deps = ports();
    await deps.artifacts.putText(questionKeys.request(prefix), JSON.stringify(request));
    const job = jobOf({ [variable]: prefix });
    expect(job).toEqual({ kind: 'question', prefix });
    expect(await answerQuestion(prefix, deps, around)).toBe(true);
    const result = await deps.artifacts.getText(questionKeys.result(prefix));
    expect(JSON.parse(result ?? 'null')).toMatchObject({ schema: 2, kind });
  });

  it('a check for drift that an older release wrote as a waypoint is made', async () => {
    const deps = ports();
    const waypoint = 'runs/team/shop/shop-abcde-g1-d1/shop-1234567/w00';
    const { current, reason, ...about } = aCheck(twoProviderState());
    const plan = { stage: 'drift', reasons: [reason], work: {} };
    const asBefore = { ...about, index: 0, direction: 'check', before: current, target: current, attempted: null };
    const document = JSON.stringify({ ...asBefore, stages: [plan], undo: [] });
    await deps.artifacts.putText(waypointKeys.document(waypoint), document);
    const environment = { KUBELOOM_JOB: `${waypoint}/drift/do/1` };
    expect(await runSimStage(environment, { signal: around.signal, ports: deps })).toBe(true);
    const report = await deps.artifacts.getText(waypointKeys.drift(waypoint));
    expect(JSON.parse(report ?? 'null')).toMatchObject({ schema: 1, items: [], unchecked: [] });
  });

  it('the results of questions of an older release are read', () => {
    const endedAt = '2026-11-20T12:00:02.000Z';
    const answer = { reason: 'no such branch', fix: 'name one' };
    const error = {
      class: 'bug',
      code: 'RunnerCrashed',
      message: 'a socket broke',
      hint: 'Ask again.',
      retryable: false,
    };
    const read = (result: object) => readQuestionResult(JSON.stringify({ schema: 1, endedAt, ...result }));

    expect(read({ startedAt: endedAt, findings: [] })).toMatchObject({ kind: 'credentials', found: [] });
    expect(read({ answer })).toMatchObject({ kind: 'templates', found: answer });
    expect(read({ startedAt: endedAt, error })).toMatchObject({ kind: 'failed', error });
  });

  it('a stage of an older release in progress is found, to be stopped', async () => {
    const codebuild = mockClient(CodeBuildClient);
    const waypoint = 'runs/team/shop/shop-abcde-g1-a1/shop-1234567/w00';
    const named = (name: string, value: string) => ({ environmentVariables: [{ name, value }] });
    codebuild.on(ListBuildsForProjectCommand).resolves({ ids: ['a:1', 'a:2', 'a:3'] });
    codebuild.on(BatchGetBuildsCommand).resolves({
      builds: [
        ...[
          ['a:1', named('KUBELOOM_WAYPOINT', waypoint)] as const,
          ['a:2', named('KUBELOOM_JOB', `${waypoint}/nodes/do/1`)] as const,
        ],
        ['a:3', named('KUBELOOM_JOB', `${waypoint}0/nodes/do/1`)] as const,
      ].map(([id, environment]) => ({ id, buildStatus: 'IN_PROGRESS', environment: environment as never })),
    });
    expect(await new CodeBuildBuilds(new CodeBuildClient({ region: 'eu-central-1' }), ['a']).running(waypoint)).toEqual(
      ['a:1', 'a:2'],
    );
    codebuild.restore();
  });
});

describe.each(versions)('executions with the definitions of version %s', (version) => {
  const key = { namespace: 'default', name: 'shop' };
  let platform: Platform;
  let api: CliClient;

  beforeAll(async () => {
    vi.stubEnv('KUBELOOM_LOG', 'none');
    vi.stubEnv('KUBELOOM_STAGE_RETRY_SECONDS', '0');
    vi.stubEnv('KUBELOOM_SIM_FAULTS', JSON.stringify([{ stage: 'kubernetes', class: 'user', times: 1 }]));
    const machinesDirectory = fileURLToPath(new URL(`${version}/state-machines`, recorded));
    const product = { ...kubeloom('sim'), machinesDirectory };
    platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0, product });
    api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
  });

  afterAll(async () => {
    await platform?.stop();
    vi.unstubAllEnvs();
    // They are counted for the life of the process, which other files and versions share.
    forgetFaults();
  });

  const end = (): Promise<string> =>
    vi.waitFor(
      async () => {
        const found = await api.getManifest(key).catch(() => ({ status: 'gone' }));
        expect(found.status).not.toMatch(/^(Pending|Running|Deleting)$/);
        return found.status;
      },
      { timeout: 100_000, interval: 20 },
    );

  it('a create, an undo, an upgrade and a deletion run on old state machines with current functions', async () => {
    const manifest = JSON.stringify(benchManifest('shop', 'sim'));
    await api.putManifest(key, JSON.parse(manifest.replace('1.36.0', '1.35.0')));
    expect(await end()).toBe('Failed');
    await api.retryManifest(key);
    expect(await end()).toBe('Done');
    await api.putManifest(key, JSON.parse(manifest));
    expect(await end()).toBe('Done');
    await api.deleteManifest(key);
    expect(await end()).toBe('gone');
  });
});
