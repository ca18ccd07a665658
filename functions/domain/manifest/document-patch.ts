/** How one document of a manifest differs from another, line by line. */
import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';

/** A side of the comparison; without a document there is none. */
export interface TitledDocument {
  readonly title: string;
  readonly document?: unknown;
}

/** A unified diff of both as YAML, three lines around each change; empty where they are equal. */
export function documentPatch(before: TitledDocument, after: TitledDocument): string {
  const [from, to] = [textOf(before), textOf(after)];
  if (from === to) return '';
  return createTwoFilesPatch(before.title, after.title, from, to, undefined, undefined, {
    context: 3,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
}

const textOf = ({ document }: TitledDocument): string => (document === undefined ? '' : stringify(document));
