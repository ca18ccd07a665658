/** The one entry for all that a runner is asked: a stage, a check for drift, or a question. Whatever happens, a result is written. */
import type { Job } from '#contracts/job.ts';
import type { AllRunnerPorts } from '#functions/rights/runner-rights.ts';
import { type AnswerOptions, answerQuestion } from './answer-question.ts';
import { checkDrift, type DriftOptions } from './check-drift.ts';
import { runStage, type StageOptions } from './run-stage.ts';

/** Returns whether it went well; throws only when not even the result could be written. */
export async function runJob(
  job: Job,
  ports: AllRunnerPorts,
  options: StageOptions & DriftOptions & AnswerOptions,
): Promise<boolean> {
  if (job.kind === 'question') return answerQuestion(job.prefix, ports, options);
  if (job.kind === 'drift') return (await checkDrift(job, ports, options)).ok;
  return (await runStage(job, ports, options)).ok;
}
