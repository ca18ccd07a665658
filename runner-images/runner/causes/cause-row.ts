/** The one form of all tables that map what a tool printed to what it means, and how rows are looked up. Pure. */
import type { StageError } from '#contracts/stage.ts';
import { printableText } from '#domain/observed/printable-text.ts';

/** What a failure means. Texts are matched in one line, with the queries of URLs cut away. */
export interface Meaning extends Pick<StageError, 'class' | 'hint'> {
  /** False: the same command is not run again at once, although others of this class are. */
  readonly retryable?: false;
}

/** A row of a table. */
export interface CauseRow extends Meaning {
  readonly pattern: RegExp;
}

/** The same where each cause has a code of its own. */
export interface CodedRow extends CauseRow {
  readonly code: string;
}

/** Characters of an output that rows are matched with: causes come last, so its end. */
const longestMatched = 20_000;
/** Characters of a cause in a message. */
const longestCause = 700;

/** One line: no line breaks, JSON in JSON as JSON, and no query of a URL, whose `timeout=10s` is not a timeout. */
export function matchable(text: string): string {
  return text
    .slice(-longestMatched)
    .replaceAll('\\"', '"')
    .replaceAll(/\?[\w.~-]{1,100}=[^\s"']{0,2000}/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The first row that matches the first text that any row matches: texts are ordered from the cause outwards. */
export function rowFor<Row extends CauseRow>(rows: readonly Row[], texts: readonly string[]): Row | undefined {
  for (const text of texts.map(matchable).filter(Boolean)) {
    const row = rows.find(({ pattern }) => pattern.test(text));
    if (row !== undefined) return row;
  }
  return undefined;
}

/** The cause as people read it: in one line, bounded. The beginning of a line that is too long names its subject. */
export function oneLine(text: string): string {
  return printableText(text.replaceAll(/\s+/g, ' ').trim(), longestCause);
}

/** What a person has to do comes before what may disappear. */
const urgency = [
  'platform',
  'bug',
  'credentials',
  'user',
  'quota',
  'capacity',
  'stuck',
  'conflict',
  'transient',
] as const satisfies readonly StageError['class'][];

/** The cause that decides where there are several: a known one before an unknown one, then by what a person has to do, then the first. */
export function decisive<Found extends { readonly meaning: Pick<Meaning, 'class'>; readonly known: boolean }>(
  found: readonly Found[],
): Found | undefined {
  const rank = ({ meaning, known }: Found) => (known ? 0 : urgency.length) + urgency.indexOf(meaning.class);
  return found.toSorted((a, b) => rank(a) - rank(b))[0];
}
