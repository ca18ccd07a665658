/**
 * Branches and tags of private template repositories: a runner asks for their commit, since only runners may read the token.
 * The caller repeats its request until the answer is there; an answer is valid for a while, so that what was planned is applied.
 */
import { createHash } from 'node:crypto';
import {
  errorIn,
  foundIn,
  type PluginAnswer,
  type PluginLookup,
  questionKeys,
  type TemplateLookup,
} from '#contracts/job.ts';
import { PipelineError } from '#domain/errors.ts';
import { isCommitHash } from '#domain/template-version.ts';
import type { ResolvedTemplates } from '../../ports.ts';
import { type AskedQuestion, newestQuestion, type QuestionPorts, startQuestion } from './questions.ts';

const minute = 60_000;
/** How long a commit counts as the head of a branch; if longer, an apply after a push would miss the push. */
const commitCountsMs = minute;
/** A user who fixed the cause and repeats the request wants another look-up. */
const refusalCountsMs = 30_000;

/**
 * The commit, or why it was not found. Throws `TemplatesPending` while a runner looks it up: nothing is stored then, and the
 * caller can retry in a moment. `since`: ISO 8601; what was asked from then on counts, however old it is, and nothing else.
 */
export async function lookUpTemplates(
  deps: QuestionPorts,
  reference: { readonly namespace: string; readonly name: string },
  request: TemplateLookup,
  since?: string,
): Promise<ResolvedTemplates> {
  const folder = questionKeys.lookups(reference, digestOf(request));
  const { newest, next } = await newestQuestion(deps, folder, 'templates');
  if (newest?.status === 'running') throw pending(request);
  const known = newest && answerOf(newest, request);
  if (newest && known && (since === undefined ? isRecentAnswer(deps, known) : newest.startedAt >= since))
    return known.answer;
  await startQuestion(deps, `${folder}${next}`, { kind: 'templates', ...request });
  throw pending(request);
}

interface DatedAnswer {
  readonly at: string;
  readonly answer: ResolvedTemplates;
}

function isRecentAnswer({ clock }: Pick<QuestionPorts, 'clock'>, { at, answer }: DatedAnswer): boolean {
  return clock.now().getTime() - Date.parse(at) < ('commit' in answer ? commitCountsMs : refusalCountsMs);
}

export interface PluginAsker {
  readonly namespace: string;
  /** A runner may be started for it; otherwise only what is known already is answered, whatever its age. */
  readonly mayAsk: boolean;
}

/** The same for a provider type that does not come with Kubeloom. One that is pinned wholly is asked about once. */
export async function askForPlugin(
  deps: QuestionPorts,
  { namespace, mayAsk }: PluginAsker,
  request: PluginLookup,
): Promise<PluginAnswer | Refusal> {
  const folder = questionKeys.plugins(namespace, digestOf(request));
  const { newest, next } = await newestQuestion(deps, folder, 'plugin');
  const wait = new PipelineError(
    'TemplatesPending',
    `a runner is fetching provider type "${request.name}" from ${request.url}: send the same request again in a few seconds`,
  );
  if (newest?.status === 'running') throw wait;
  if (newest !== undefined) {
    const plugin = foundIn('plugin', newest.result);
    const age = deps.clock.now().getTime() - Date.parse(newest.result?.endedAt ?? newest.startedAt);
    const isPinned = request.sha256 !== undefined || isCommitHash(request.version);
    // A Secret may be corrected.
    const counts = plugin?.secretFaults ? refusalCountsMs : isPinned ? Number.POSITIVE_INFINITY : commitCountsMs;
    if (plugin && (!mayAsk || age < counts)) return plugin;
    if (!plugin && age < refusalCountsMs) return refusalOf(newest, request.url);
  }
  if (!mayAsk)
    return {
      reason: `provider type "${request.name}" from ${request.url}: these properties must be checked by a runner, which requires the role operator in namespace "${namespace}"`,
      fix: 'let someone with that role plan the same document, then retry',
    };
  await startQuestion(deps, `${folder}${next}`, { kind: 'plugin', ...request });
  throw wait;
}

/** What it came to, and when. */
function answerOf(asked: AskedQuestion, { url }: TemplateLookup): DatedAnswer {
  const { startedAt, result } = asked;
  return { at: result?.endedAt ?? startedAt, answer: foundIn('templates', result) ?? refusalOf(asked, url) };
}

type Refusal = Extract<ResolvedTemplates, { readonly reason: string }>;

/** Why there is no answer. */
function refusalOf({ buildId, result }: AskedQuestion, url: string): Refusal {
  const error = errorIn(result);
  if (error) return { reason: error.message, fix: error.hint };
  const reason = `the runner that contacted ${url} ended without an answer (build ${buildId})`;
  const fix =
    'retry; if it keeps failing, read the log of that build, or name the 40 digits of a commit, which need no look-up';
  return { reason, fix };
}

/** Another token may see another repository: the Secret is part of the question. */
function digestOf(request: TemplateLookup | PluginLookup): string {
  return createHash('sha256')
    .update(JSON.stringify(partsOf(request)))
    .digest('hex')
    .slice(0, 16);
}

function partsOf(request: TemplateLookup | PluginLookup): unknown {
  if ('revision' in request) return [request.url, request.revision, request.secret];
  // What is kept changes no answer.
  const { kept: _, ...asked } = request;
  return asked;
}

function pending({ url, revision }: TemplateLookup): PipelineError {
  return new PipelineError(
    'TemplatesPending',
    `a runner is reading the commit of "${revision}" from the private repository ${url}: send the same request again in a few seconds`,
  );
}
