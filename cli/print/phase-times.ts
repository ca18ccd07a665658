/** Where the time of a run went: the phases of its builds, added up by stage. */
import type { RunEvent } from '#contracts/records.ts';

export interface StageTimes {
  readonly stage: string;
  readonly builds: number;
  /** Seconds: until the account had a build to spare, until the tool could start, of the tool, after it. */
  readonly queue: number;
  readonly start: number;
  readonly tool: number;
  readonly end: number;
}

/** As CodeBuild names them; all others come before the tool or after it. */
const queue = ['submitted', 'queued'];
const tool = ['build'];
const end = ['post_build', 'upload_artifacts', 'finalizing', 'completed'];

/** In the order in which stages first ended. Builds of stages that did not end are not among them. */
export function phaseTimes(events: readonly RunEvent[], runId: string): readonly StageTimes[] {
  const times = new Map<string, StageTimes>();
  for (const { stage = '', phases, ...event } of events) {
    if (event.runId !== runId || phases === undefined) continue;
    const before = times.get(stage) ?? { stage, builds: 0, queue: 0, start: 0, tool: 0, end: 0 };
    const sum = (names: readonly string[]): number => names.reduce((all, name) => all + (phases[name] ?? 0), 0);
    const others = Object.keys(phases).filter((name) => ![...queue, ...tool, ...end].includes(name));
    times.set(stage, {
      stage,
      builds: before.builds + 1,
      queue: before.queue + sum(queue),
      start: before.start + sum(others),
      tool: before.tool + sum(tool),
      end: before.end + sum(end),
    });
  }
  return [...times.values()];
}
