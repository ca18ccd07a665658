/** A check for drift from its request to its report and result: it changes nothing. */
import { type DriftJob, readDriftCheck } from '#contracts/job.ts';
import { type StageResult, waypointKeys } from '#contracts/stage.ts';
import type { DriftReport } from '#domain/drift.ts';
import type { AllRunnerPorts } from '#functions/rights/runner-rights.ts';
import { type JobEventFeed, openEventFeed } from './event-feed.ts';
import { FactSheet } from './fact-sheet.ts';
import { type JobOptions, runInFrame } from './job-frame.ts';
import { requestBelow } from './run-stage.ts';
import type { DriftContext } from './stage-context.ts';
import { checkTooLong } from './stage-failure.ts';

export interface DriftOptions extends JobOptions {
  /** Compares. Throws `StageFailure` when nothing could be compared. */
  readonly drift: (context: DriftContext) => Promise<Omit<DriftReport, 'schema'>>;
}

/** Makes it. Returns the result that it has written; throws only when not even the result could be written. */
export async function checkDrift(job: DriftJob, ports: AllRunnerPorts, options: DriftOptions): Promise<StageResult> {
  const { waypoint: prefix, attempt } = job;
  const attemptPrefix = waypointKeys.attempt(prefix, 'drift', 'do', attempt);
  let events: JobEventFeed | undefined;
  return runInFrame({
    ports,
    options,
    logKey: waypointKeys.log(attemptPrefix),
    stopPlaces: [prefix, attemptPrefix],
    tooLong: checkTooLong,
    async work(frame) {
      const document = readDriftCheck(await requestBelow(prefix, ports));
      const { current: target, reason } = document;
      frame.log.write('runner', `why: ${reason}`);
      const feed = openEventFeed(ports, { document, stage: 'drift' }, frame.mask);
      events = feed;
      const about = { ports, document, attempt, target, others: [], facts: new FactSheet(document.facts) };
      return options.drift({ ...frame, ...about, emit: (event) => feed.emit(event) });
    },
    async store({ outcome, ...times }, hide) {
      const ended = outcome.ok
        ? { ok: true, summary: countsOf(outcome.found) }
        : { ok: false, summary: {}, error: outcome.error };
      const result: StageResult = { schema: 1, stage: 'drift', mode: 'do', attempt, ...times, ...ended };
      if (outcome.ok) {
        const report = JSON.stringify({ schema: 1, ...outcome.found } satisfies DriftReport);
        await ports.artifacts.putText(waypointKeys.drift(prefix), hide(report));
      }
      await ports.artifacts.putText(waypointKeys.result(attemptPrefix), JSON.stringify(result), 'application/json');
      await events?.close();
      return result;
    },
  });
}

function countsOf({ items, unchecked }: Omit<DriftReport, 'schema'>): StageResult['summary'] {
  return { differences: items.length, ...(unchecked.length > 0 && { notChecked: unchecked.length }) };
}
