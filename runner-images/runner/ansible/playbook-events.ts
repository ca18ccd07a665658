/** The NDJSON of `templates/ansible`: parses a line into an event and its text for the log. */
import { parseJson } from '#domain/json.ts';
import { PlaybookEvent } from '#domain/observed/playbook-event.ts';
import { printableText } from '#domain/observed/printable-text.ts';

/** Longest line of the callback that is no event in the log. */
const longestWords = 4000;

/**
 * The typed event of a line and what to log of it. Events are lines that begin with `mark`, which only the callback of this run knows: all
 * others are words of Ansible itself, in which words of a machine may be. `problem`: a line of the callback that is no event.
 */
export function readPlaybookLine(
  line: string,
  mark: string,
  stream: 'stdout' | 'stderr' = 'stdout',
): { readonly event?: PlaybookEvent; readonly problem?: string; readonly words: string | undefined } {
  // Not cut here: the end of a part may be inside of a secret, which the mask of the log does not know then.
  if (stream === 'stderr' || !line.startsWith(`${mark}{`)) return { words: line };
  const json = line.slice(mark.length);
  const parsed = PlaybookEvent.safeParse(parseJson(json));
  if (parsed.success) return { event: parsed.data, words: wordsOf(parsed.data) };
  const words = printableText(json, longestWords);
  return { problem: `the callback printed what is no event: ${printableText(json, 200)}`, words };
}

function wordsOf(event: PlaybookEvent): string | undefined {
  switch (event.event) {
    case 'play':
      return `${event.name}`;
    case 'task':
      return `  ${event.name}`;
    case 'ok': {
      const details = [...event.what, ...event.notes.map((note) => `(${note})`)];
      return `    ${event.host}: ${event.changed ? 'changed' : 'ok'}${details.length > 0 ? `: ${details.join('; ')}` : ''}`;
    }
    case 'failed':
    case 'unreachable':
      return `    ${event.host}: ${event.event}${event.ignored ? ' (tolerated)' : ''}: ${event.message}`;
    case 'facts':
    case 'stats':
      return undefined;
    default:
      return event satisfies never;
  }
}
