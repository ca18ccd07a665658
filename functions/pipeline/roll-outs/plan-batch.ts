/** The next step of a roll-out, written into its record before it is done. */
import type { RollOutKey, RollOutRecord } from '#contracts/roll-outs.ts';
import type { PlanBatchOutput, RollOutInput } from '#contracts/state-inputs.ts';
import { type NextStep, nextStep } from '#domain/roll-out/next-step.ts';
import { counted } from '#domain/words.ts';
import type { Using } from '../../ports.ts';
import { changeRollOut, reportRollOut, storedRollOut } from './change-roll-out.ts';
import type { ClusterOutcome } from './cluster-outcome.ts';
import { type GatePorts, passGate } from './health-gate.ts';

type Ports = GatePorts & Using<'events.append' | 'rollOuts.get' | 'rollOuts.put' | 'clock'>;

/** Checks of the health gate are running. An execution has at most 25,000 events, and each poll takes 9 of them. */
const checkPauseSeconds = 60;

const nothing = { clusters: [], pauseSeconds: 0, Error: '', Cause: '' } as const;

export async function planBatch(deps: Ports, { execution, ...key }: RollOutInput): Promise<PlanBatchOutput> {
  const before = await storedRollOut(deps, key);
  const asked = before.execution === execution && nextStep(before, deps.clock.now()).kind === 'check';
  const checks = asked ? await passGate(deps, before) : undefined;
  let step: NextStep | undefined;
  const record = await changeRollOut(deps, key, (stored) => {
    step = undefined;
    if (stored.execution !== execution) return undefined;
    const checked = checks && withChecks(stored, checks, deps.clock.now());
    const now = deps.clock.now();
    step = nextStep({ ...stored, ...checked }, now);
    return { ...checked, ...changesFor({ ...stored, ...checked }, step, now) };
  });
  if (step === undefined) return { ...nothing, clusters: [], outcome: 'superseded' };
  await report(deps, record, step);
  return outputOf(step);
}

function withChecks(stored: RollOutRecord, checks: ReadonlyMap<string, ClusterOutcome>, now: Date) {
  const step = nextStep(stored, now);
  if (step.kind !== 'check') return undefined;
  const clusters = stored.clusters.map((one) => {
    const outcome = one.state === 'done' ? checks.get(one.name) : undefined;
    if (outcome?.kind !== 'failed') return one;
    return { ...one, state: 'failed' as const, message: `after its wave: ${outcome.because}`.slice(0, 300) };
  });
  return { clusters, soak: { ...step.soak, checked: true as const } };
}

function changesFor(record: RollOutRecord, step: NextStep, now: Date): Partial<RollOutRecord> {
  switch (step.kind) {
    case 'run':
      return {
        clusters: record.clusters.map((one) =>
          step.clusters.includes(one.name) ? { ...one, state: 'running' as const, message: undefined } : one,
        ),
      };
    case 'soak':
    case 'check':
      return { soak: step.soak };
    case 'paused':
      return { status: 'Paused' };
    case 'halted':
      return { status: 'Halted', halted: step.because };
    case 'ended':
      return { status: step.status, endedAt: now.toISOString() };
    default:
      return step satisfies never;
  }
}

function outputOf(step: NextStep): PlanBatchOutput {
  switch (step.kind) {
    case 'run':
      return { ...nothing, outcome: 'run', clusters: [...step.clusters] };
    case 'soak':
      return { ...nothing, clusters: [], outcome: 'soak', pauseSeconds: step.seconds };
    case 'check':
      return { ...nothing, clusters: [], outcome: 'soak', pauseSeconds: checkPauseSeconds };
    case 'halted':
      return { ...nothing, clusters: [], outcome: 'halted', Error: 'RollOutHalted', Cause: step.because.slice(0, 500) };
    case 'paused':
    case 'ended':
      return { ...nothing, clusters: [], outcome: step.kind };
    default:
      return step satisfies never;
  }
}

async function report(deps: Ports, record: RollOutRecord & RollOutKey, step: NextStep): Promise<void> {
  const { clusters, direction } = record;
  switch (step.kind) {
    case 'run': {
      if (!step.opens) return;
      const size = clusters.filter(({ wave }) => wave === step.wave).length;
      const waves = new Set(clusters.map(({ wave }) => wave)).size;
      const what = direction === 'forward' ? `wave ${step.wave + 1} of ${waves} starts` : 'it is undone';
      return reportRollOut(deps, record, 'WaveStarted', `${what}: ${counted(size, 'cluster')}`);
    }
    case 'soak':
      return reportRollOut(
        deps,
        record,
        'WaveSoaks',
        `wave ${step.soak.wave + 1} is done, the next one starts after ${step.soak.until}`,
      );
    case 'halted':
      return reportRollOut(deps, record, 'RollOutHalted', `halted: ${step.because}`);
    case 'paused':
      return reportRollOut(deps, record, 'RollOutPaused', 'paused');
    case 'ended':
      return reportRollOut(deps, record, 'RollOutEnded', step.status === 'Undone' ? 'undone' : 'rolled out');
    case 'check':
      return;
    default:
      return step satisfies never;
  }
}
