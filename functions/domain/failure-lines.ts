/**
 * A failure for people, in three lines that are the same wherever it is shown: what failed where; the cause in the tool's own words; what to do,
 * whether it is retried, and where the log is. Pure.
 */
import { z } from 'zod';
import { cutText } from './cut-text.ts';
import type { ErrorClass } from './errors.ts';
import { failurePolicy } from './failure-policy.ts';
import { listed, minuteText } from './words.ts';

export const FailureLines = z
  .object({
    what: z.string().describe('what failed, and where'),
    cause: z.string().describe("the cause in the tool's own words, in one line"),
    todo: z.string().describe('what to do, whether it is retried, and the command that shows the log'),
  })
  .meta({ id: 'FailureLines', description: 'a failure for people, as every client shows it' });
export type FailureLines = z.infer<typeof FailureLines>;

/** What is known of a failure; a stored one of any release has it. */
export interface FailedWork {
  readonly class: ErrorClass;
  readonly code: string;
  /** Secrets are masked. */
  readonly message: string;
  /** What a person can do; whether it is retried is not part of it. */
  readonly hint: string;
  readonly stage?: string | undefined;
  readonly resource?: string | undefined;
  /** Nodes that are held. */
  readonly waitsFor?: readonly unknown[] | undefined;
}

export interface FailurePlace {
  /** Name of the cluster. */
  readonly cluster: string;
  /** Names of the new pools that were left out because of it. @default none */
  readonly pools?: readonly string[];
  /** What was tried was undone. @default false */
  readonly undone?: boolean;
  /** It failed while it was undone. @default false */
  readonly undoing?: boolean;
  /** How often the stage was tried. @default 1 */
  readonly tries?: number;
  /** Absent: not decided yet. */
  readonly next?: NextTry | undefined;
  /** Absent: there is no log. */
  readonly logCommand?: string | undefined;
}

/** What follows a failure; `command` is what a person can run instead of waiting. */
export type NextTry =
  /** ISO 8601. */
  | { readonly kind: 'retry'; readonly at: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'paused' | 'secret' | 'asked'; readonly command: string }
  /** A request apart from the manifest, which was undone. */
  | { readonly kind: 'dropped' };

/** A manifest as far as it decides about retries. */
export interface FailedManifest {
  readonly namespace: string;
  readonly name: string;
  readonly status: string;
  readonly deleting: boolean;
  readonly paused?: boolean | undefined;
  /** When it is retried automatically, ISO 8601. */
  readonly retryAt?: string | undefined;
}

/** Whether a failure of a cluster of this manifest is retried. */
export function nextTryOf(
  { namespace, name, status, deleting, paused, retryAt }: FailedManifest,
  failure: Pick<FailedWork, 'class'>,
): NextTry {
  const command = (verb: string): string => `kubeloom ${verb} ${name}${inNamespace(namespace)}`;
  if (paused) return { kind: 'paused', command: command('resume') };
  if (status === 'Done') return { kind: 'dropped' };
  if (status !== 'Failed') return { kind: 'running' };
  if (retryAt !== undefined) return { kind: 'retry', at: retryAt };
  const again = command(deleting ? 'delete' : 'retry');
  return { kind: failurePolicy[failure.class].restart === 'secretStored' ? 'secret' : 'asked', command: again };
}

/** The command that shows the log of a stage, or of all stages of a run. */
export function logCommandOf(runId: string, stage: string | undefined, namespace: string): string {
  return `kubeloom logs ${runId}${stage === undefined ? '' : ` --stage ${stage}`}${inNamespace(namespace)}`;
}

const inNamespace = (namespace: string): string => (namespace === 'default' ? '' : ` --namespace ${namespace}`);

/** Characters of the cause and of the hint: more is in the log. */
const mostOf = { cause: 400, hint: 500 } as const;

export function failureLines(failure: FailedWork, place: FailurePlace): FailureLines {
  return { what: whatOf(failure, place), cause: causeOf(failure), todo: todoOf(failure, place) };
}

/** The lines of an answer of the API; one of an older release has none, and says less. */
export function reportedLines(
  failure: FailedWork & { readonly lines?: FailureLines | undefined; readonly logCommand?: string | undefined },
  cluster: string,
): FailureLines {
  return failure.lines ?? failureLines(failure, { cluster, logCommand: failure.logCommand });
}

/** One under the other, as texts that have no fields show them. */
export const failureText = ({ what, cause, todo }: FailureLines): string => [what, cause, todo].join('\n');

/** The text of a failure where its log will not exist any more. */
export function withoutLog(text: string): string {
  const at = text.lastIndexOf('Log: kubeloom logs ');
  return at < 0 || text.includes('\n', at) ? text : text.slice(0, at).trimEnd();
}

function whatOf({ class: kind, code, stage, resource, waitsFor }: FailedWork, place: FailurePlace): string {
  const { cluster, pools = [], undone = false, undoing = false, tries = 1 } = place;
  const kindOfIt = `${code} (${kind})`;
  const about = resource === undefined || resource === cluster ? '' : ` at ${inOneLine(resource, 200)}`;
  const often = tries > 1 ? ` after ${tries} tries` : '';
  const title = stage === 'drift' ? 'the drift check' : stage;
  const work = title === undefined ? cluster : `${undoing ? 'undoing ' : ''}${title} of ${cluster}`;
  if (code === 'Cancelled') return `${work} was cancelled${undone ? ' and undone' : ''}: ${kindOfIt}`;
  if (pools.length > 0) {
    const several = pools.length > 1;
    const left = `pool${several ? 's' : ''} ${listed(pools)} of ${cluster} ${several ? 'were' : 'was'} left out`;
    return `${left}: ${stage ?? 'it'} failed${about}${often}: ${kindOfIt}`;
  }
  if (code === 'PlanRefused' || code === 'PlanMoved') return `the plan of ${cluster} was refused: ${kindOfIt}`;
  if (waitsFor !== undefined) return `${work} waits${about}: ${kindOfIt}`;
  return `${work} failed${about}${often}${undone ? ' and was undone' : ''}: ${kindOfIt}`;
}

/** The place is in the first line already. */
function causeOf({ message, resource }: FailedWork): string {
  const own = resource !== undefined && message.startsWith(resource) ? message.slice(resource.length) : undefined;
  const words = own !== undefined && /^[:,] \S/.test(own) ? own.slice(2) : message;
  return inOneLine(words, mostOf.cause) || 'no cause was given';
}

function todoOf({ hint }: FailedWork, { next, logCommand }: FailurePlace): string {
  const advice = inOneLine(hint, mostOf.hint);
  const log = logCommand === undefined || advice.includes(logCommand) ? '' : `Log: ${logCommand}`;
  return [sentence(advice), next === undefined ? '' : nextSentence(next), log].filter(Boolean).join(' ');
}

function nextSentence(next: NextTry): string {
  switch (next.kind) {
    case 'retry':
      return `Kubeloom retries it at ${minuteText(next.at)}.`;
    case 'running':
      return 'A run is at work on it.';
    case 'paused':
      return `It is paused, and nothing is retried before: ${next.command}.`;
    case 'secret':
      return `It is retried when its Secret is stored again, or by: ${next.command}.`;
    case 'asked':
      return `Nothing is retried automatically; to retry: ${next.command}.`;
    case 'dropped':
      return 'Nothing is retried automatically; if it is still needed, request it again.';
    default:
      return next satisfies never;
  }
}

/** Lines become parts of one sentence after the other; what a terminal would obey is printed as text. */
function inOneLine(text: string, most: number): string {
  const lines = text.split(/[\n\r\u2028\u2029]/).map((line) => line.replaceAll('\t', ' ').trim());
  const joined = lines.filter(Boolean).reduce((all, line) => {
    if (all === '') return line;
    return /[.,:;!?…]$/.test(all) ? `${all} ${line}` : `${all}; ${line}`;
  }, '');
  return cutText(joined, most);
}

const sentence = (words: string): string => (words === '' || /[.!?…]$/.test(words) ? words : `${words}.`);
