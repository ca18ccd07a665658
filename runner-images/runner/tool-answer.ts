/** JSON that a tool printed or left: read here only, so that an unreadable answer is a failure of that tool and never a fault of Kubeloom. */
import type { z } from 'zod';
import { printableText } from '#domain/observed/printable-text.ts';
import { StageFailure } from './stage-failure.ts';

export interface ToolAnswer {
  /** The program: `terraform`. */
  readonly tool: string;
  /** What it printed or left, as in `terraform: the state cannot be read`. */
  readonly what: string;
  /** Node, provider instance or object that it is about. */
  readonly resource?: string | undefined;
}

const mostWords = 200;
const mostFaults = 3;
/** Longest description of a fault in the form; paths have keys of the tool's own choice. */
const longestFault = 300;

/**
 * The value of `text`. Throws `ToolAnswerUnreadable` when it is not JSON, or of another form. Of text that is not JSON the first words are
 * shown; of JSON only paths are, as its values may be secret.
 */
export function readToolJson<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  about: ToolAnswer,
): z.infer<Schema> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw unreadableAnswer(about, notJson(text));
  }
  return readToolValue(schema, json, about);
}

/** The same for what was parsed already. */
export function readToolValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  about: ToolAnswer,
): z.infer<Schema> {
  let read: z.ZodSafeParseResult<z.infer<Schema>>;
  try {
    read = schema.safeParse(value);
  } catch {
    // A stack that is too small for it.
    throw unreadableAnswer(about, 'it is nested too deeply');
  }
  if (read.success) return read.data;
  const faults = read.error.issues.slice(0, mostFaults).map(({ path, message }) => {
    const place = path.length === 0 ? '' : `${path.join('.')}: `;
    return printableText(`${place}${message}`, longestFault);
  });
  throw unreadableAnswer(about, `it is JSON of another form than expected (${faults.join('; ')})`);
}

function notJson(text: string): string {
  const start = text.trimStart();
  if (start === '') return 'it is empty';
  if (start.startsWith('{') || start.startsWith('['))
    return `it is JSON that is damaged or incomplete (${text.length} characters)`;
  // JSON may follow, with secrets in it.
  const words = start.split(/[\n{[]/, 1)[0] ?? '';
  return `it is not JSON; it begins with "${printableText(words.trimEnd(), mostWords)}"`;
}

/** What to throw for it. Whatever made the tool do so (a full disk, a process that was ended, another version) may be over at the next try; tries are bounded. */
export function unreadableAnswer({ tool, what, resource }: ToolAnswer, problem: string): StageFailure {
  return new StageFailure({
    class: 'transient',
    code: 'ToolAnswerUnreadable',
    message: `${tool}: ${what} cannot be read: ${problem}.`,
    ...(resource !== undefined && { resource }),
    hint: `If it happens again, run the same command of ${tool} by hand, and compare its version with the one in requirements.json.`,
  });
}
