/**
 * Questions that the API asks a runner, since only runners may read Secrets: numbered in their folder, one at a time. The
 * answer is there when it is asked for again.
 */
import {
  type Question,
  QuestionBuild,
  type QuestionResult,
  questionKeys,
  questionLimitMs,
  readQuestionResult,
} from '#contracts/job.ts';
import type { Using } from '../../ports.ts';

export type QuestionPorts = Using<
  | 'artifacts.getText'
  | 'artifacts.list'
  | 'artifacts.putText'
  | 'builds.status'
  | 'builds.stop'
  | 'clock'
  | 'workflows.askRunner'
>;

export interface AskedQuestion extends Pick<QuestionBuild, 'buildId' | 'startedAt'> {
  /** `lost`: its build ended without a result. */
  readonly status: 'running' | 'done' | 'lost';
  readonly result?: QuestionResult;
}

/** Writes the request and has its build started; state-machines/ask-runner.asl.json says of which project. Two who ask at the same moment write the same request, and get the same build. */
export async function startQuestion(deps: QuestionPorts, prefix: string, question: Question): Promise<void> {
  const { artifacts, clock, workflows } = deps;
  const startedAt = clock.now().toISOString();
  await artifacts.putText(questionKeys.request(prefix), JSON.stringify(question), 'application/json');
  const buildId = await workflows.askRunner({ kind: question.kind, job: prefix });
  const build: QuestionBuild = { schema: 1, buildId, startedAt };
  await artifacts.putText(questionKeys.build(prefix), JSON.stringify(build), 'application/json');
}

/** Undefined when it was never started. */
export async function findQuestion(deps: QuestionPorts, prefix: string): Promise<AskedQuestion | undefined> {
  const { artifacts, builds } = deps;
  const read = async (): Promise<QuestionResult | undefined> => {
    const text = await artifacts.getText(questionKeys.result(prefix));
    return text === undefined ? undefined : readQuestionResult(text);
  };
  const [text, early] = await Promise.all([artifacts.getText(questionKeys.build(prefix)), read()]);
  if (text === undefined) return undefined;
  const { buildId, startedAt } = QuestionBuild.parse(JSON.parse(text));
  const running = early === undefined && (await builds.status(buildId)) === 'running';
  if (running) return { status: 'running', buildId, startedAt };
  // It may have ended between the two requests.
  const result = early ?? (await read());
  return result ? { status: 'done', buildId, startedAt, result } : { status: 'lost', buildId, startedAt };
}

/**
 * The newest question of a folder, and the id of the next one. One that takes twice as long as it may is stopped: its runner
 * did not even begin.
 */
export async function newestQuestion(
  deps: QuestionPorts,
  folder: string,
  kind: Question['kind'],
): Promise<{ readonly id: string; readonly newest?: AskedQuestion; readonly next: string }> {
  const last = await lastNumber(deps, folder);
  const id = String(last);
  const next = String(last + 1);
  if (last === 0) return { id, next };
  const newest = await findQuestion(deps, `${folder}${id}`);
  // No one knows whether its build was ever started: the same request under the same id is the same build.
  if (newest === undefined) return { id, next: id };
  const age = deps.clock.now().getTime() - Date.parse(newest.startedAt);
  if (newest.status !== 'running' || age < 2 * questionLimitMs[kind]) return { id, newest, next };
  await deps.builds.stop(newest.buildId);
  return { id, newest: (await findQuestion(deps, `${folder}${id}`)) ?? newest, next };
}

/** The highest number of the questions in a folder; 0 for an empty folder. */
export async function lastNumber(deps: Using<'artifacts.list'>, folder: string): Promise<number> {
  const keys = await deps.artifacts.list(folder);
  const numbers = keys.map(({ key }) => Number(key.slice(folder.length).split('/')[0])).filter(Number.isInteger);
  return Math.max(0, ...numbers);
}
