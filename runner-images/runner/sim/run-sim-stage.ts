/** The sim runner: a job in this very process, without root, tools or files; the same documents in and out. */

import { jobOf } from '#contracts/job.ts';
import { type StageName, stageNames } from '#domain/plan.ts';
import type { AllRunnerPorts } from '#functions/rights/runner-rights.ts';
import { wire } from '#functions/wire.ts';
import { simulatedAnswers } from '../answers.ts';
import { runJob } from '../run-job.ts';
import { runnerConfig } from '../runner-config.ts';
import type { Tool } from '../stage-context.ts';
import { simCheck, simTool } from './sim-tool.ts';

export interface SimStageOptions {
  readonly signal: AbortSignal;
  /** @default the ports of this process */
  readonly ports?: AllRunnerPorts;
}

/**
 * Runs the job that `environment` names. Returns whether it succeeded; its result is stored either way.
 * `KUBELOOM_SIM_STAGE_MS` is the time a stage takes (default 0), `KUBELOOM_SIM_FAULTS` the failures to simulate, `KUBELOOM_SIM_DRIFT` what checks find; all are
 * looked for in `environment`, then in the process's own.
 */
export async function runSimStage(
  environment: Readonly<Record<string, string>>,
  { signal, ports }: SimStageOptions,
): Promise<boolean> {
  const read = () => runnerConfig({ ...process.env, ...environment });
  const runner = read();
  const { simFaults: faults, simDrift: drift, stopPollMs } = runner;
  const options = {
    get stageMs() {
      return read().simStageMs;
    },
    faults,
    drift,
  };
  const tool = simTool(options);
  return runJob(jobOf(environment), ports ?? wire(), {
    signal,
    runner,
    ...(stopPollMs !== undefined && { stopPollMs }),
    templatesDirectory: '',
    needsFiles: false,
    answers: simulatedAnswers,
    tools: Object.fromEntries(stageNames.map((stage) => [stage, tool])) as Record<StageName, Tool>,
    drift: simCheck(options),
  });
}
