/** The one entry for all that a runner is asked: a stage, or a question. Whatever happens, a result is written. */
import type { Job } from '#contracts/job.ts';
import type { AllRunnerPorts } from '#functions/rights/runner-rights.ts';
import { type AnswerOptions, answerQuestion } from './answer-question.ts';
import { type RunStageOptions, runStage } from './run-stage.ts';

/** Returns whether it went well; throws only when not even the result could be written. */
export async function runJob(
  job: Job,
  ports: AllRunnerPorts,
  options: RunStageOptions & AnswerOptions,
): Promise<boolean> {
  if (job.kind === 'question') return answerQuestion(job.prefix, ports, options);
  return (await runStage(job, ports, options)).ok;
}
