/** How one document of a manifest differs from another, line by line. */
import { formatPatch, type StructuredPatchHunk, structuredPatch } from 'diff';
import { stringify } from 'yaml';

/** One side of the comparison; absent if there is no document. */
export interface TitledDocument {
  readonly title: string;
  readonly document?: unknown;
}

/** Lines around each change. */
const context = 3;
/** More lines than these, removed and added together, are not matched one by one: the time for that grows with their square. */
const matchedAtMost = 1000;

/** A unified diff of both as YAML, three lines around each change; empty where they are equal. */
export function documentPatch(before: TitledDocument, after: TitledDocument): string {
  const [from, to] = [textOf(before), textOf(after)];
  if (from === to) return '';
  const options = { context, maxEditLength: matchedAtMost };
  const patch = structuredPatch(before.title, after.title, from, to, undefined, undefined, options) ?? {
    oldFileName: before.title,
    newFileName: after.title,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [replacedBlock(linesOf(from), linesOf(to))],
  };
  return formatPatch(patch, { includeIndex: false, includeUnderline: false, includeFileHeaders: true });
}

const textOf = ({ document }: TitledDocument): string => (document === undefined ? '' : stringify(document));
const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1);

/** Everything between the first and the last line that differ, removed and added. */
function replacedBlock(before: readonly string[], after: readonly string[]): StructuredPatchHunk {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const [start, end] = [Math.max(0, head - context), tail - Math.min(tail, context)];
  const marked = (mark: string, lines: readonly string[]) => lines.map((line) => `${mark}${line}`);
  return {
    oldStart: start + 1,
    oldLines: before.length - end - start,
    newStart: start + 1,
    newLines: after.length - end - start,
    lines: [
      ...marked(' ', before.slice(start, head)),
      ...marked('-', before.slice(head, before.length - tail)),
      ...marked('+', after.slice(head, after.length - tail)),
      ...marked(' ', before.slice(before.length - tail, before.length - end)),
    ],
  };
}
